#include <fmt/format.h>
#include <omp.h>

#include <cerrno>
#include <cstring>
#include <osteon/machine/topology/binding.hpp>
#include <osteon/machine/topology/hwloc_handle.hpp>

namespace osteon::machine {

namespace {

struct free_bitmap {
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using bitmap = std::unique_ptr<hwloc_bitmap_s, free_bitmap>;

bitmap to_bitmap(const pu_set& pus) {
  bitmap set(hwloc_bitmap_alloc());
  for (const int pu : pus) hwloc_bitmap_set(set.get(), static_cast<unsigned>(pu));
  return set;
}

// Topology of this host without caches and other objects. This reduced topology is sufficient for binding and loads fast.
hwloc_handle bare_host() {
  hwloc_handle tree = new_topology();
  hwloc_topology_set_all_types_filter(tree.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(tree.get()) != 0) throw machine_error("hwloc cannot read the topology of this host");
  return tree;
}

void require_allowed(hwloc_topology_t host, const pu_set& pus) {
  if (pus.empty()) throw machine_error("cannot bind to an empty set of hardware threads");
  const pu_set there = numbers_in(hwloc_topology_get_topology_cpuset(host));
  const pu_set allowed = numbers_in(hwloc_topology_get_allowed_cpuset(host));
  if (const pu_set absent = without(pus, there); !absent.empty())
    throw machine_error(fmt::format(
        "cannot bind to hardware threads {}: this host has the threads {}; the placement may belong to another host",
        to_list(absent), to_list(there)));
  if (const pu_set withheld = without(pus, allowed); !withheld.empty())
    throw machine_error(
        fmt::format("cannot bind to hardware threads {}: the cgroup of this job allows the threads {}; repeat the placement "
                    "in this job, or do not bind",
                    to_list(withheld), to_list(allowed)));
}

[[noreturn]] void fail(const pu_set& pus, int fault) {
  throw machine_error(fmt::format("the operating system rejects the binding to hardware threads {}: {}", to_list(pus),
                                  std::strerror(fault)));
}

}  // namespace

bool bind_process(const host_tree& tree, const pu_set& pus, bool memory) {
  if (tree.synthetic) return false;
  const hwloc_handle host = bare_host();
  require_allowed(host.get(), pus);
  const bitmap set = to_bitmap(pus);
  if (hwloc_set_cpubind(host.get(), set.get(), HWLOC_CPUBIND_PROCESS) != 0) fail(pus, errno);
  // Failure to bind memory (a single NUMA node, or no support) is ignored, because the process itself is bound.
  if (memory) hwloc_set_membind(host.get(), set.get(), HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_PROCESS);
  return true;
}

bool bind_threads(const host_tree& tree, const std::vector<pu_set>& pus_of_thread) {
  if (tree.synthetic) return false;
  const hwloc_handle host = bare_host();
  std::vector<bitmap> sets;
  for (const pu_set& pus : pus_of_thread) {
    require_allowed(host.get(), pus);
    sets.push_back(to_bitmap(pus));
  }
  std::vector<int> faults(sets.size(), 0);
#pragma omp parallel num_threads(static_cast<int>(sets.size()))
  {
    const auto i = static_cast<std::size_t>(omp_get_thread_num());
    if (hwloc_set_cpubind(host.get(), sets[i].get(), HWLOC_CPUBIND_THREAD) != 0) faults[i] = errno;
  }
  for (std::size_t i = 0; i < faults.size(); ++i)
    if (faults[i] != 0) fail(pus_of_thread[i], faults[i]);
  return true;
}

pu_set current_binding() {
  const hwloc_handle host = bare_host();
  const bitmap set(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(host.get(), set.get(), HWLOC_CPUBIND_THREAD) != 0)
    throw machine_error(fmt::format("cannot read the binding of this thread: {}", std::strerror(errno)));
  return common(numbers_in(set.get()), numbers_in(hwloc_topology_get_topology_cpuset(host.get())));
}

}  // namespace osteon::machine
