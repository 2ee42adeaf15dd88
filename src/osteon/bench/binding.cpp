#include <fmt/format.h>

#include <osteon/base/error.hpp>
#include <osteon/bench/composite.hpp>
#if defined(OSTEON_HWLOC)
#include <hwloc.h>
#endif

namespace osteon::bench {

#if defined(OSTEON_HWLOC)
namespace {

class machine_tree {
 public:
  machine_tree() {
    if (hwloc_topology_init(&tree_) != 0 || hwloc_topology_load(tree_) != 0)
      throw machine_error("hwloc cannot read this machine's topology; bind = none works without it");
  }
  ~machine_tree() { hwloc_topology_destroy(tree_); }
  machine_tree(const machine_tree&) = delete;
  machine_tree& operator=(const machine_tree&) = delete;
  hwloc_topology_t get() const { return tree_; }

 private:
  hwloc_topology_t tree_ = nullptr;
};

}  // namespace

std::string bind(int rank, const std::string& how, int ranks_per_domain) {
  if (how == "none") return "none";
  if ((how != "numa_1" && how != "numa_2") || ranks_per_domain < 1)
    throw usage_error(
        fmt::format("binding '{}' with {} ranks on a domain: give none, numa_1 or numa_2, and at least one rank", how,
                    ranks_per_domain));
  const machine_tree tree;
  for (const auto& [type, name] : {std::pair{HWLOC_OBJ_NUMANODE, "memory domains"}, std::pair{HWLOC_OBJ_PACKAGE, "packages"},
                                   std::pair{HWLOC_OBJ_L3CACHE, "caches"}, std::pair{HWLOC_OBJ_CORE, "cores"},
                                   std::pair{HWLOC_OBJ_PU, "hardware threads"}}) {
    const int domains = hwloc_get_nbobjs_by_type(tree.get(), type);
    if (domains < 2) continue;
    const int domain = how == "numa_1" ? rank / ranks_per_domain % domains : rank % domains;
    const hwloc_obj_t object = hwloc_get_obj_by_type(tree.get(), type, static_cast<unsigned>(domain));
    if (hwloc_set_cpubind(tree.get(), object->cpuset, HWLOC_CPUBIND_PROCESS) != 0)
      throw machine_error(fmt::format("rank {} cannot be bound to {} {} of this machine", rank, name, domain));
    // Memory follows, where the machine has more than one place for it.
    if (type == HWLOC_OBJ_NUMANODE)
      hwloc_set_membind(tree.get(), object->nodeset, HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_BYNODESET);
    return fmt::format("{}: {} {}", how, domains, name);
  }
  return how + ": one core";
}
#else
std::string bind(int, const std::string& how, int) {
  if (how == "none") return "none";
  throw machine_error(
      fmt::format("binding '{}': osteon was built without hwloc; install libhwloc-dev and build again, or give "
                  "none",
                  how));
}
#endif

}  // namespace osteon::bench
