#pragma once
/// @file
/// Anderson's acceleration of a fixed point x = G(x).
#include <functional>
#include <span>
#include <vector>

namespace osteon::numerics {

/// From the corrections d = G(x) - x of the last iterates, the change of x: where a linear model of G through these iterates
/// has the smallest correction. Differences of corrections are kept as the factors of a QR decomposition, orthonormal
/// vectors in single precision, without an inverse; the oldest one is removed by plane rotations.
/// @cite [Anderson1965]; [WalkerNi2011], section 4
/// @tparam T float or double: of the corrections
template <class T>
class anderson_acceleration {
 public:
  /// Inner product of two vectors of a rank's values, the same on all ranks.
  using inner_product = std::function<double(const float*, const float*)>;

  /// @param depth differences that are kept, at least 1
  explicit anderson_acceleration(inner_product dot, std::size_t depth = 5) : dot_(std::move(dot)), depth_(depth) {}

  /// Replace the correction of x by the change of x. @param correction of this rank's values; a rank may have none
  /// @collective where the inner product is
  void accelerate(std::span<T> correction);
  /// x moved by another change than that of the last accelerate().
  void set_change(std::span<const T> change) { last_change_.assign(change.begin(), change.end()); }
  /// Forget all iterates: the map is another one.
  void restart();

 private:
  struct direction {
    std::vector<float> residual, image;  // of length one, and the change of G that belongs to it
    std::vector<double> column;          // of the triangular factor, down to its diagonal
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
