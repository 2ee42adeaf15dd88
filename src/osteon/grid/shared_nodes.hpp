#pragma once
/// @file
/// Nodes with copies on several ranks, and sums over their copies.
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/neighbours.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::grid {

/// Storage: component c of node i is at c * component_stride + i * node_stride.
struct node_layout {
  int components = 1;
  std::int64_t component_stride = 1, node_stride = 1;
};

/// A node that may have copies: equal ids are copies of one node.
struct identified_node {
  std::int64_t id = 0;    ///< global number
  std::int32_t node = 0;  ///< local number
};

/// Nodes of this rank that have copies on other ranks, or on this one at periodic faces. Any number of ranks may share a
/// node.
class shared_nodes {
 public:
  /// @param boundary nodes of this rank that may have copies, each once, in any order
  /// @param candidates other ranks that may share a node with this one; symmetric: if a lists b, b lists a
  /// @param name name under which the messages are counted
  /// @collective on comm
  shared_nodes(MPI_Comm comm, std::vector<identified_node> boundary, std::span<const int> candidates,
               const std::string& name = "shared nodes");

  /// Copy of this object whose messages are counted under another name. @collective on comm
  shared_nodes renamed(const std::string& name) const;

  /// Replace the value of each shared node by the sum over its copies, added in the order of the ranks, so that all copies
  /// are equal bit for bit. Virtual ranks without values (comm/virtual_ranks.hpp) count the messages.
  /// @collective on comm, among neighbours
  /// @cost one message of shared values in each direction per neighbour; two additions per copy
  template <class T>
  void exchange_add(T* values, node_layout layout) const;

  /// Replace each value by the smallest over the copies of its node.
  /// @param values shape (with_copies().size(), components)
  /// @collective on comm, among neighbours
  void exchange_min(std::span<std::int64_t> values, int components) const;

  /// Nodes with copies on other ranks or on this one.
  std::span<const std::int32_t> with_copies() const { return with_copies_; }

  /// All copies but one of every node, in ascending local numbers: skip them to count every node once. The remaining copy is
  /// the first one on the lowest rank.
  std::span<const std::int32_t> not_owned() const { return not_owned_; }

 private:
  shared_nodes() = default;
  template <class T, class Combine>
  void exchange(std::vector<T>& own, std::size_t components, Combine combine) const;

  comm::communicator comm_;
  std::unique_ptr<comm::neighbours> copies_;  // of slots: shared nodes in the order of the ids, which is that of all ranks
  std::vector<std::int32_t> with_copies_;     // local numbers, grouped by slot
  std::vector<std::int32_t> slot_begin_;      // per slot, its first place in with_copies_; one more at the end
  std::vector<std::int32_t> not_owned_;
};

extern template void shared_nodes::exchange_add(float*, node_layout) const;
extern template void shared_nodes::exchange_add(double*, node_layout) const;

}  // namespace osteon::grid
