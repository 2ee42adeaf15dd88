#pragma once
/// @file
/// Consistent binding of the ranks of a job.
#include <mpi.h>

#include <functional>
#include <osteon/comm/communicator.hpp>
#include <osteon/machine/topology/binding.hpp>
#include <utility>

namespace osteon::machine {

/// Ranks of a communicator on this host, and the cores available to these ranks.
///
/// A core is available if at least one rank may use it, as restricted by cgroup, taskset and launcher.
class local_ranks {
 public:
  /// @param threads threads per rank
  /// @throws machine_error on all ranks if the topology of a host cannot be read @collective on comm
  local_ranks(MPI_Comm comm, int threads);

  const host_tree& host() const { return host_; }  ///< host, with the available cores allowed
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// The following values are equal on all ranks of the communicator, over all hosts.
  bool enough_cores() const { return enough_cores_; }    ///< at least one core per thread
  bool bound_already() const { return bound_already_; }  ///< a launcher has assigned different cores to ranks

  /// Default policy of a job. The policy is `core` if the job uses all cores of its hosts. Otherwise other jobs may run on
  /// the hosts, and two jobs must not be bound to the same cores. In this case, the policy is `numa` if there are several
  /// NUMA nodes, and `none` otherwise.
  binding_policy default_policy() const;

  /// Binding of this process by a policy. @throws machine_error if there are not enough cores
  pu_set pus(binding_policy policy) const { return binding_of(host_, policy, rank_, ranks_, threads_); }
  /// Bind this process. On a host with several NUMA nodes, the memory of the process is also bound. With
  /// binding_policy::core, each thread is bound to a core.
  /// @throws machine_error if there are not enough cores @collective local
  void bind(binding_policy policy) const;

 private:
  host_tree host_;
  int rank_ = 0, ranks_ = 1, threads_;
  bool enough_cores_ = false, bound_already_ = false;
  bool fill_ = false;      ///< true if there is exactly one core per thread
  bool memories_ = false;  ///< true if a host has more than one NUMA node
};

/// Result of a trial of bindings.
struct binding_trial {
  binding_policy selected = binding_policy::none;
  std::vector<std::pair<binding_policy, double>> seconds;  ///< best time of each policy; equivalent policies are listed once
  /// Summary, for example "none 10.3 ms, core 8.1 ms: core".
  std::string summary() const;
};

/// Measure the policies alternately with the given work, and bind by the fastest policy. Ranks remain unbound unless the
/// gain of a policy is at least 3 %, because work on thousands of cores may be slower with binding.
/// @param work function that returns the time of this rank in s. The function must allocate its own memory, because the
/// binding determines the placement of this memory
/// @return equal on all ranks @collective on comm
/// @cite [Ono]: modes numa_1 and numa_2 compared with none
binding_trial try_bindings(MPI_Comm comm, const local_ranks& here, int turns, const std::function<double()>& work);

}  // namespace osteon::machine
