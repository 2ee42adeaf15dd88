#pragma once
/// @file
/// Run a job over several clusters: start the server, the relays and the launcher of each cluster, and end all processes
/// after a failure.
#include <bridge/launch/join_plan.hpp>
#include <functional>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

struct job_settings {
  std::vector<std::string> program;  ///< and its arguments
  double grace_s = 10;               ///< time for the remaining clusters to end after a failure
  std::string osteon;                ///< path of this program, which is also the relay
  std::string library;               ///< folder of libmpi_abi.so.1 for clusters on this machine; empty: not known
  int cores = 1;                     ///< cores of this machine
  bool shows_scripts = false;        ///< pass the script of each cluster's shell to `note`, including the job key
  std::function<void(const std::string&)> note;  ///< receives messages for the user while the job runs
};

struct outcome {
  int exit_code = 0;   ///< exit code of the first failed cluster, or exit code of a machine_error
  std::string reason;  ///< reason of an early end, with process and place; empty without an early end
};

/// Run a job to its end. The output of the clusters is forwarded to the output of this program; each line is preceded by the
/// name of the cluster. Signals are passed on.
/// @throws usage_error; machine_error if the job cannot be started
outcome run(const join_plan& plan, const job_settings& options);

}  // namespace osteon::bridge::launch
