#pragma once
/// @file
/// A coarse level of all ranks on one: where aggregates that end at the boundaries of ranks cannot grow any more.
#include <osteon/solve/multigrid/aggregation.hpp>
#include <vector>

namespace osteon::solve {

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

}  // namespace osteon::solve
