#pragma once
/// @file
/// Nodes that several ranks hold a copy of, and the sums over their copies.
#include <mpi.h>

#include <cstdint>
#include <osteon/comm/communicator.hpp>
#include <span>
#include <vector>

namespace osteon::grid {

/// Where component c of node i is stored: c * component_stride + i * node_stride.
struct node_layout {
  int components = 1;
  std::int64_t component_stride = 1, node_stride = 1;
};

/// The nodes of this rank that other ranks hold, too. Any number of ranks may share a node.
class shared_nodes {
 public:
  /// @param ids global numbers of this rank's nodes, ascending
  /// @param candidates ranks that may share a node with this one; symmetric: if a names b, b names a
  /// @collective on comm
  shared_nodes(MPI_Comm comm, std::span<const std::int64_t> ids, std::span<const int> candidates);

  /// Replace the value of each shared node by the sum over its copies, added in the order of the ranks, so that all
  /// copies are equal bit for bit.
  /// @collective on comm, among neighbours
  /// @cost one message each way per neighbour, the shared values; two adds a copy
  template <class T>
  void exchange_add(T* values, node_layout layout) const;

  /// Nodes that a lower rank holds as well, ascending local numbers: skip them to count every node once.
  std::span<const std::int32_t> not_owned() const { return not_owned_; }

 private:
  struct neighbour {
    int rank;
    std::vector<std::int32_t> slot;  // places in shared_, in the order of the global numbers on both sides
  };
  comm::communicator comm_;
  std::vector<neighbour> neighbours_;  // ascending ranks
  std::vector<std::int32_t> shared_;   // local numbers, ascending
  std::vector<std::int32_t> not_owned_;
};

extern template void shared_nodes::exchange_add(float*, node_layout) const;
extern template void shared_nodes::exchange_add(double*, node_layout) const;

}  // namespace osteon::grid
