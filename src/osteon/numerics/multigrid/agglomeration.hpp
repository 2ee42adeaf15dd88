#pragma once
/// @file
/// Agglomeration of coarse levels. A level with few nodes per rank moves to fewer ranks, because the time saved in exchanges
/// then exceeds the time of the additional computation per rank.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <osteon/comm/neighbours.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/numerics/multigrid/coarse_stiffness.hpp>
#include <osteon/numerics/operators/brick_mesh.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::numerics {

/// The ranks that store a level: the ranks 0 ... count() - 1. The finest level is on all ranks. Each reduction moves the
/// parts of up to eight consecutive ranks to one rank. Consecutive ranks have adjacent boxes. The first ranks are usually on
/// one host; small levels are therefore on one host. Each rank computes the assignment from the numbers of ranks, without
/// messages.
class holding_ranks {
 public:
  explicit holding_ranks(int ranks) : counts_{ranks} {}
  int count() const { return counts_.back(); }
  /// Reduce to an eighth of the ranks, rounded up, but at least to `fewest` ranks.
  void reduce(int fewest = 1) { counts_.push_back(std::max(fewest, (count() + 7) / 8)); }
  /// Rank that stores the part of a rank of the finest level.
  int holder_of(int rank) const;
  /// First rank of the finest level with a part on the holder. `first_of(holder + 1)` is the end of these ranks.
  int first_of(int holder) const;
  /// Holders that may share a node with this rank. @collective local
  std::vector<int> touching(const grid::block& where, int level, const std::array<bool, 3>& periodic) const;

  /// For one reduction from `before` to `after` ranks: the new holder of an old holder's part, and the first old holder with
  /// a part on a new holder.
  static int new_holder_of(int old, int before, int after) { return static_cast<int>(std::int64_t{old} * after / before); }
  static int first_old_of(int holder, int before, int after) {
    return static_cast<int>((std::int64_t{holder} * before + after - 1) / after);
  }

 private:
  std::vector<int> counts_;  // before and after each reduction
};

/// Move of one level from ranks 0 ... before - 1 to ranks 0 ... after - 1. The object contains the merged mesh and transfers
/// vectors. Vectors have four floats per node.
class agglomeration {
 public:
  /// @param mesh this rank's bricks @param matrices of these bricks; replaced by the matrices of the merged mesh
  /// @param level number of the level in the names of the messages
  /// @param before number of ranks that store the level now @param after smaller number of ranks after the move
  /// @collective on comm, which is borrowed
  agglomeration(MPI_Comm comm, int level, int before, int after, const brick_mesh& mesh, brick_matrices& matrices);

  /// The merged mesh, without bricks on ranks that do not store the level.
  brick_mesh mesh;
  /// Vector of the nodes before the move: the source of `gather`, and the target of `scatter`. Empty if the problem has no
  /// values.
  std::span<float> local() { return local_; }

  /// Set a vector of the merged mesh to the sums of the local vectors, in the order of the ranks.
  /// @param merged 4 x merged nodes; empty on ranks that do not store the level
  /// @collective on the ranks before the move
  void gather(std::span<float> merged);
  /// Copy a vector of the merged mesh to the local vectors. @param merged as for gather
  /// @collective on the ranks before the move
  void scatter(std::span<const float> merged);

 private:
  MPI_Comm comm_;
  std::vector<float> local_;
  comm::neighbours in_, out_;
};

}  // namespace osteon::numerics
