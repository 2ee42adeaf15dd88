#pragma once
/// @file
/// Binding of processes and threads to hardware threads.
#include <osteon/machine/topology/topology.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::machine {

/// Binding of a process: none, its cores, or the complete domains that contain its cores.
enum class binding_policy : std::uint8_t { none, core, l3, numa, socket };

/// Parse a policy. @throws usage_error unless the name is none, core, l3, numa or socket
binding_policy parse_binding(std::string_view name);
std::string_view name_of(binding_policy policy);

/// Cores of rank `local_rank` of `ranks` ranks on a host. Each rank has `threads` cores. The cores of different ranks are
/// disjoint, and evenly spaced in the order of the tree.
/// @return indices into tree.cores
/// @throws machine_error if there are fewer usable cores than ranks x threads
std::vector<int> cores_of_rank(const host_tree& tree, int local_rank, int ranks, int threads);

/// Hardware threads of the binding of a rank: all allowed threads of its cores, or of the domains that contain its cores.
/// @return all allowed hardware threads for binding_policy::none
/// @throws machine_error as cores_of_rank
pu_set binding_of(const host_tree& tree, binding_policy policy, int local_rank, int ranks, int threads);

/// Bind all threads of this process. With `memory`, new pages are allocated only on the NUMA nodes of the hardware threads.
/// @return false, without effect, on a synthetic tree
/// @throws machine_error if a hardware thread does not exist, or is outside of the cgroup
bool bind_process(const host_tree& tree, const pu_set& pus, bool memory = false);
/// Bind thread i of the OpenMP team to `pus_of_thread[i]`. The caller is thread 0. The binding remains valid for later teams
/// with the same number of threads.
/// @return, @throws as bind_process
bool bind_threads(const host_tree& tree, const std::vector<pu_set>& pus_of_thread);

/// Current binding of the calling thread.
pu_set current_binding();

}  // namespace osteon::machine
