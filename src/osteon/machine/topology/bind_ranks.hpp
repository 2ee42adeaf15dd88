#pragma once
/// @file
/// Consistent binding of the ranks of a job.
#include <mpi.h>

#include <functional>
#include <osteon/comm/communicator.hpp>
#include <osteon/machine/topology/binding.hpp>
#include <utility>

namespace osteon::machine {

/// Ranks of a communicator on this host, with the cores available to them.
///
/// Available are the cores on which any of the ranks may run: those allowed by a cgroup, taskset or the launcher.
class local_ranks {
 public:
  /// @param threads threads per rank
  /// @throws machine_error on all ranks if a host cannot be read @collective on comm
  local_ranks(MPI_Comm comm, int threads);

  const host_tree& host() const { return host_; }  ///< host with these cores allowed
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// The following are equal on all ranks of the communicator, over all hosts.
  bool enough_cores() const { return enough_cores_; }    ///< at least one core per thread
  bool fill_the_cores() const { return fill_; }          ///< exactly one core per thread
  bool bound_already() const { return bound_already_; }  ///< a launcher has assigned different cores to ranks
  bool several_memories() const { return memories_; }    ///< a host has more than one NUMA node

  /// Default policy of a job: `core` if it fills its hosts. Otherwise other jobs may run there, and two jobs must not be
  /// bound to the same cores: the NUMA node if there are several, or none.
  binding_policy usual_policy() const;

  /// Binding of this process by a policy. @throws machine_error if there are not enough cores
  pu_set pus(binding_policy policy) const { return binding_of(host_, policy, rank_, ranks_, threads_); }
  /// Bind this process, its memory if a host has several NUMA nodes, and with binding_policy::core each thread to a core.
  /// @throws machine_error if there are not enough cores @collective local
  void bind(binding_policy policy) const;

 private:
  host_tree host_;
  int rank_ = 0, ranks_ = 1, threads_;
  bool enough_cores_ = false, fill_ = false, bound_already_ = false, memories_ = false;
};

/// Result of a trial of bindings.
struct binding_trial {
  binding_policy kept = binding_policy::none;
  std::vector<std::pair<binding_policy, double>> seconds;  ///< best times of the policies that differ on this machine
  /// "none 10.3 ms, core 8.1 ms: core"
  std::string summary() const;
};

/// Measure the policies alternately with the actual work, and bind by the fastest. No binding is the default unless another
/// policy gains at least 3 %: on thousands of cores, binding may be slower.
/// @param work allocates its own memory, so that the binding determines its placement; returns the seconds of this rank
/// @return the same on all ranks @collective on comm
/// @cite [Ono]: its modes numa_1 and numa_2 against none
binding_trial try_bindings(MPI_Comm comm, const local_ranks& here, int turns, const std::function<double()>& work);

}  // namespace osteon::machine
