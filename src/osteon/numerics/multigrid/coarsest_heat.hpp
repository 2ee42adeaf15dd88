#pragma once
/// @file
/// The coarsest levels of the heat multigrid. A level is gathered on one rank if rank boundaries limit the growth of
/// aggregates. The last level is factorised.
#include <cstdint>
#include <memory>
#include <osteon/numerics/multigrid/aggregation.hpp>
#include <vector>

namespace osteon::numerics {

/// A level gathered on rank 0, and the transfer of vectors to rank 0 and back. Rank 0 alone processes the coarser levels.
class gathered_level {
 public:
  /// @param level, geometry on return, rank 0 has the data of all ranks, and the data of other ranks are empty. Block sizes
  /// are chosen again from the positions of the points. The next level then has about two to eight times fewer points.
  /// Blocks may become smaller.
  /// @collective on comm
  gathered_level(MPI_Comm comm, coarse_level& level, level_geometry& geometry);

  /// Gather the values of all ranks on rank 0; `all` is empty elsewhere. @collective on comm
  void gather(const float* own, std::vector<float>& all) const;
  /// @collective on comm
  void scatter(const std::vector<float>& all, float* own) const;

 private:
  MPI_Comm comm_;                      // borrowed
  std::vector<int> counts_, offsets_;  // per rank; rank 0 only
  int owned_ = 0;
};

/// A sparse Cholesky factorisation of a level on one rank. Thermally isolated parts of the solid make the matrix singular.
/// For each of these parts the solver applies the pseudo-inverse to the deviations from the mean of the part.
class coarse_direct {
 public:
  /// @param geometry geometry of `level`: heat exchange and storage of its points
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
