#pragma once
/// @file
/// Nodes with copies on several ranks, and reductions over copies.
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/neighbours.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::grid {

/// Layout of node values. Component c of node i is at c * component_stride + i * node_stride.
struct node_layout {
  int components = 1;
  std::int64_t component_stride = 1, node_stride = 1;
};

/// A node that may have copies. Nodes with equal ids are copies.
struct identified_node {
  std::int64_t id = 0;    ///< global number
  std::int32_t node = 0;  ///< local number
};

/// Nodes of this rank that have copies on other ranks, or on this rank at periodic faces. Any number of ranks may have a
/// copy of a node.
class shared_nodes {
 public:
  /// @param boundary nodes of this rank that may have copies; any order, without duplicates
  /// @param candidates other ranks that may have copies of the same nodes; the lists must be symmetric
  /// @param name name of the nodes in message counts
  /// @collective on comm
  shared_nodes(MPI_Comm comm, std::vector<identified_node> boundary, std::span<const int> candidates,
               const std::string& name = "shared nodes");

  /// Copy of this object with another name in message counts. @collective on comm
  shared_nodes renamed(const std::string& name) const;

  /// Replace the value of each shared node by the sum over its copies. Values are added in rank order. All copies are
  /// therefore bitwise equal. On virtual ranks without values (comm/virtual_ranks.hpp), the function only counts messages.
  /// @collective on comm, among neighbours
  /// @cost one message of shared values in each direction per neighbour; two additions per copy
  template <class T>
  void exchange_add(T* values, node_layout layout) const;

  /// Replace each value by the minimum over the copies of its node.
  /// @param values shape (with_copies().size(), components)
  /// @collective on comm, among neighbours
  void exchange_min(std::span<std::int64_t> values, int components) const;

  /// Nodes with copies on other ranks or on this rank.
  std::span<const std::int32_t> with_copies() const { return with_copies_; }

  /// All copies of shared nodes except one copy per node, in ascending order of local numbers. A loop that skips these
  /// copies processes every node exactly once. The remaining copy is the first copy on the lowest rank.
  std::span<const std::int32_t> not_owned() const { return not_owned_; }

 private:
  shared_nodes() = default;
  template <class T, class Combine>
  void exchange(std::vector<T>& own, std::size_t components, Combine combine) const;

  comm::communicator comm_;
  std::unique_ptr<comm::neighbours> copies_;  // exchange of slots; a slot is a shared node, and slots have ascending ids
  std::vector<std::int32_t> with_copies_;     // local numbers, grouped by slot
  // for each slot: index of the first copy in with_copies_; the last entry is the number of copies
  std::vector<std::int32_t> slot_begin_;
  std::vector<std::int32_t> not_owned_;
};

extern template void shared_nodes::exchange_add(float*, node_layout) const;
extern template void shared_nodes::exchange_add(double*, node_layout) const;

}  // namespace osteon::grid
