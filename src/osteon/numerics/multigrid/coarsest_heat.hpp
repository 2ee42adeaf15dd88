#pragma once
/// @file
/// The coarsest levels of the heat multigrid: a level gathered on one rank, once aggregates limited by rank boundaries
/// cannot grow any further; and the last level, factorised.
#include <cstdint>
#include <memory>
#include <osteon/numerics/multigrid/aggregation.hpp>
#include <vector>

namespace osteon::numerics {

/// A level gathered on rank 0, which continues alone, and the transfer of vectors to rank 0 and back.
class gathered_level {
 public:
  /// @param level, geometry become those of all ranks on rank 0, and empty elsewhere. Blocks may be smaller than before:
  ///   they are chosen again from the positions of the points, so that the next level is coarser by a factor of about two
  ///   to eight.
  /// @collective on comm
  gathered_level(MPI_Comm comm, coarse_level& level, level_geometry& geometry);

  /// The values of all ranks on rank 0; empty elsewhere. @collective on comm
  void gather(const float* own, std::vector<float>& all) const;
  /// @collective on comm
  void scatter(const std::vector<float>& all, float* own) const;

 private:
  MPI_Comm comm_;                      // borrowed
  std::vector<int> counts_, offsets_;  // per rank; rank 0 only
  int owned_ = 0;
};

/// A sparse Cholesky factorisation of a level on one rank. Thermally isolated parts of the solid make the matrix singular;
/// for these the solver applies the pseudo-inverse, which acts on the deviations from the mean of each part.
class coarse_direct {
 public:
  /// @param geometry of `level`: heat exchange and storage of its points
  /// @throws solve_error if the matrix is not positive semidefinite @collective local
  coarse_direct(const coarse_level& level, const level_geometry& geometry);
  ~coarse_direct();
  coarse_direct(coarse_direct&&) noexcept;
  /// x = K^-1 b. @collective local
  void solve(const float* b, float* x) const;

 private:
  std::vector<std::vector<std::int32_t>> floating_;  // points of each thermally isolated part
  struct factorisation;                              // Eigen type, defined in one source file only
  std::unique_ptr<factorisation> factor_;
};

}  // namespace osteon::numerics
