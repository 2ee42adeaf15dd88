#pragma once
/// @file
/// Owner of an hwloc topology (internal to the two sources that use hwloc).
#include <hwloc.h>

#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/machine/topology/pu_set.hpp>

namespace osteon::machine {

struct destroy_topology {
  void operator()(hwloc_topology_t tree) const { hwloc_topology_destroy(tree); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, destroy_topology>;

/// Create a topology that is not yet loaded. The topology includes cores excluded by the cgroup, because error messages
/// distinguish excluded cores from nonexistent cores.
inline hwloc_handle new_topology() {
  hwloc_topology_t tree = nullptr;
  if (hwloc_topology_init(&tree) != 0) throw machine_error("cannot initialise hwloc; check the memory of the machine");
  hwloc_handle owned(tree);
  hwloc_topology_set_flags(tree, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return owned;
}

inline pu_set numbers_in(hwloc_const_bitmap_t set) {
  pu_set result;
  for (int pu = hwloc_bitmap_first(set); pu >= 0; pu = hwloc_bitmap_next(set, pu)) result.push_back(pu);
  return result;
}

}  // namespace osteon::machine
