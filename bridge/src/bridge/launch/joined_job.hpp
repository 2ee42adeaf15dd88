#pragma once
/// @file
/// Execution of a job over several clusters. The function starts the server, the relays and the launcher of each cluster.
/// After a failure, the function ends all processes.
#include <bridge/launch/join_plan.hpp>
#include <functional>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

struct job_settings {
  std::vector<std::string> program;  ///< the program and its arguments
  double grace_s = 10;               ///< time in s for the other clusters to end after a failure
  std::string osteon;                ///< path of this program, which also contains the relay
  std::string library;               ///< folder of libmpi_abi.so.1 for clusters on this machine; empty: unknown
  int cores = 1;                     ///< number of cores of this machine
  /// true: pass the script for the shell of each cluster to `note`, including the key of the job
  bool shows_scripts = false;
  std::function<void(const std::string&)> note;  ///< function that receives messages for the user while the job is running
};

struct outcome {
  int exit_code = 0;   ///< exit code of the first failed cluster, or exit code of a machine_error
  std::string reason;  ///< reason of an early end, with process and place; empty if the job did not end early
};

/// Run a job to its end. The output of the clusters is forwarded to the output of this program. The name of the cluster
/// precedes each line. Signals are forwarded to the clusters.
/// @throws usage_error; machine_error if the job cannot be started
outcome run(const join_plan& plan, const job_settings& options);

}  // namespace osteon::bridge::launch
