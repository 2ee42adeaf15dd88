#pragma once
/// @file
/// Run a job over several clusters: start-up server, relays, each cluster's launcher, and the end of all when one dies.
#include <bridge/launch/join_plan.hpp>
#include <functional>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

struct job_settings {
  std::vector<std::string> program;  ///< and its arguments
  double grace_s = 10;               ///< that the others have to end by themselves when one side has died
  std::string osteon;                ///< path of this program, which is also the relay
  std::string library;               ///< folder of libmpi_abi.so.1 for clusters on this machine; empty: not known
  int cores = 1;                     ///< of this machine
  bool tell_scripts = false;         ///< pass the script of each cluster's shell to `note`, the job key included
  std::function<void(const std::string&)> note;  ///< gets messages for the user while the job runs
};

struct outcome {
  int exit_code = 0;   ///< of the first cluster that had one, else that of a machine_error
  std::string reason;  ///< why the job has ended early, by which process and where; empty if it did not
};

/// Run it to its end. The clusters' output goes to this program's, each line after its cluster's name; signals are passed
/// on.
/// @throws usage_error, machine_error if it cannot be started
outcome run(const join_plan& plan, const job_settings& how);

}  // namespace osteon::bridge::launch
