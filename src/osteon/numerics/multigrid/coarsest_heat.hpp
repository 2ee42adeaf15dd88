#pragma once
/// @file
/// The coarsest levels of the heat multigrid: of all ranks on one, where aggregates that end at the boundaries of ranks
/// cannot grow any more; and the last, factorised.
#include <cstdint>
#include <memory>
#include <osteon/numerics/multigrid/aggregation.hpp>
#include <vector>

namespace osteon::numerics {

/// A level gathered on rank 0, which continues on its own, and the transfer of vectors there and back.
class gathered_level {
 public:
  /// @param level, geometry become those of all ranks on rank 0, and empty elsewhere. Blocks may be smaller than before:
  /// they
  ///   are chosen anew, from the positions of the points, so that the next level is coarser by a factor of about two to
  ///   eight.
  /// @collective on comm
  gathered_level(MPI_Comm comm, coarse_level& level, level_geometry& geometry);

  /// The values of all ranks on rank 0; nothing elsewhere. @collective on comm
  void gather(const float* own, std::vector<float>& all) const;
  /// @collective on comm
  void scatter(const std::vector<float>& all, float* own) const;

 private:
  MPI_Comm comm_;                      // borrowed
  std::vector<int> counts_, offsets_;  // per rank; rank 0 only
  int owned_ = 0;
};

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

}  // namespace osteon::numerics
