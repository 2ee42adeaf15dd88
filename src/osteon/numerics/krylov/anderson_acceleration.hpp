#pragma once
/// @file
/// Anderson acceleration of the fixed-point iteration x = G(x).
#include <functional>
#include <span>
#include <vector>

namespace osteon::numerics {

/// Computes the update of x from the corrections d = G(x) - x of the last iterates. A linear model of G through these
/// iterates predicts the next correction, and the update minimises the predicted correction. The differences of corrections
/// are stored as a QR decomposition with orthonormal vectors in single precision. Plane rotations remove the oldest
/// difference.
/// @cite [Anderson1965]; [WalkerNi2011], section 4
/// @tparam T float or double: type of the corrections
template <class T>
class anderson_acceleration {
 public:
  /// Inner product over all ranks of two distributed vectors; returns equal values on all ranks.
  using inner_product = std::function<double(const float*, const float*)>;

  /// @param depth number of stored differences, at least 1
  explicit anderson_acceleration(inner_product dot, std::size_t depth = 5) : dot_(std::move(dot)), depth_(depth) {}

  /// Replace the correction of x by the update of x. @param correction values of this rank, possibly empty
  /// @collective on the communicator of the inner product
  void accelerate(std::span<T> correction);
  /// Replace the update returned by the last accelerate() by the update that was applied to x.
  void set_change(std::span<const T> change) { last_change_.assign(change.begin(), change.end()); }
  /// Remove all iterates. Call this function after G has changed.
  void restart();

 private:
  struct direction {
    std::vector<float> residual, image;  // unit vectors, and the corresponding changes of G
    std::vector<double> column;          // columns of the triangular factor, down to its diagonal
  };
  void add_difference(std::span<const T> correction);
  void remove_oldest();

  inner_product dot_;
  std::size_t depth_;
  bool has_last_ = false;
  std::vector<T> last_correction_, last_change_;
  std::vector<direction> kept_;
};

extern template class anderson_acceleration<float>;
extern template class anderson_acceleration<double>;

}  // namespace osteon::numerics
