#pragma once
/// @file
/// Allocation of a batch system: hosts, tasks, memory and time of the job in which this process runs (Slurm, PBS, LSF).
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace osteon {

enum class batch_system : unsigned char { slurm, pbs, lsf };

/// Resources of a batch job. Values that the batch system does not provide are empty.
struct allocation {
  batch_system system = batch_system::slurm;
  std::string job;                     ///< identifier of the job for the commands of the batch system
  std::vector<std::string> hosts;      ///< in the order of the batch system
  std::vector<int> tasks;              ///< number of tasks on each host, as requested or by default
  std::vector<int> cores;              ///< number of cores on each host; empty if unknown
  bool tasks_are_requested = false;    ///< the user requested a number of tasks
  int threads = 0;                     ///< requested cores per task; 0: none
  int groups = 1;                      ///< components of a heterogeneous job; the other members describe the first one
  std::optional<double> memory_bytes;  ///< memory limit of the job on a host; the smallest of all hosts
  std::optional<double> seconds_left;  ///< time until the end of the job, at the time of reading

  int total_tasks() const;
};

/// Value of an environment variable; none if unset.
using variable_reader = std::function<std::optional<std::string>(const std::string&)>;

/// Variables of this process.
std::optional<std::string> own_variable(const std::string& name);

/// Read the allocation from environment variables and the host file of the batch system. The memory and the end of the job
/// are incomplete without the answer of the batch system.
/// @return none outside of a batch job @collective local
std::optional<allocation> allocation_of(const variable_reader& variable);

/// Command that prints the time left and the memory of the job.
std::vector<std::string> query_of(const allocation& job);
/// Add the output of `query_of` to an allocation. Unknown text has no effect.
void add_answer(allocation& job, const std::string& output);

/// Host names of a Slurm list: "n[1-3,07],m" or "r[0-1]n[0-3]".
std::vector<std::string> hosts_in_list(const std::string& list);
/// Numbers of a Slurm list with repetitions: "2(x3),1". Empty if the text is not valid.
std::vector<int> counts_in_list(const std::string& list);
/// Seconds of "days-hours:minutes:seconds" without leading parts; none for other texts such as UNLIMITED.
std::optional<double> seconds_in(const std::string& text);

/// "Slurm", "PBS" or "LSF".
const char* name_of(batch_system system);
/// "Slurm job 12".
std::string title_of(const allocation& job);

}  // namespace osteon
