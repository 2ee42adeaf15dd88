#pragma once
/// @file
/// @cite [WalkerNi2011]: Anderson acceleration, by normal equations
/// A fixed point that is approached by more than its last iterate.
#include <functional>
#include <span>
#include <vector>

namespace osteon::numerics {

/// Given the corrections d_k = g(u_k) - u_k, finds the change of u: d_k less what combines earlier changes so that the
/// corrections would be least. Vectors are in single precision: a change is a correction of few digits.
class anderson {
 public:
  /// @param dot of two vectors, the same on all ranks @param most earlier iterates
  anderson(std::size_t size, std::function<double(const float*, const float*)> dot, std::size_t most = 5)
      : dot_(std::move(dot)), most_(most), last_(size) {}

  /// Replace a correction by the change of u. @collective where the dot is
  void accelerate(std::span<float> correction);
  /// Forget earlier iterates.
  void restart();

 private:
  std::function<double(const float*, const float*)> dot_;
  std::size_t most_, next_ = 0;
  std::vector<float> last_;  // the correction before
  bool has_last_ = false;
  std::vector<std::vector<float>> changes_, differences_;  // of u; of the corrections
  std::vector<std::vector<double>> products_;              // of the differences
};

}  // namespace osteon::numerics
