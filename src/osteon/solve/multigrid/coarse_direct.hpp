#pragma once
/// @file
/// The coarsest level: factorised.
#include <cstdint>
#include <memory>
#include <osteon/solve/multigrid/aggregation.hpp>
#include <vector>

namespace osteon::solve {

/// A sparse Cholesky factorisation of a level that is on one rank. Parts of the solid that exchange heat with nothing leave
/// the matrix singular; there it is the pseudo-inverse, which works with the deviations from each part's mean.
class coarse_direct {
 public:
  /// @param geometry of `level`: what exchanges heat or stores it
  /// @throws solve_error if the matrix is not positive semidefinite @collective local
  coarse_direct(const coarse_level& level, const level_geometry& geometry);
  ~coarse_direct();
  coarse_direct(coarse_direct&&) noexcept;
  /// x = K^-1 b. @collective local
  void solve(const float* b, float* x) const;

 private:
  std::vector<std::vector<std::int32_t>> floating_;  // points of each part without a temperature of its own
  struct factorisation;                              // Eigen's, of which only one file knows
  std::unique_ptr<factorisation> factor_;
};

}  // namespace osteon::solve
