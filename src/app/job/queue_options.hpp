#pragma once
/// @file
/// Options of the commands with a queue of jobs in Python: batch, cohort, rev.
#include <app/command_line.hpp>
#include <optional>
#include <string>
#include <vector>

namespace osteon::app {

struct queue_options {
  std::vector<std::string> set, slurm_lines;
  std::string json;
  std::optional<int> ranks, threads, only, at_once;
  bool collect = false, slurm = false, submit = false, requeue = false;
};

/// @param item name of one job of the queue
void add_queue_options(command c, queue_options& o, const std::string& item);

/// Replace this process by the Python program of `osteon NAME` (batch, cohort or rev) with the options `o`, `more` and
/// `items`.
/// @throws usage_error under a launcher, or if options are mutually exclusive; machine_error if the program cannot be
/// started
[[noreturn]] void exec_queue(const std::string& name, const queue_options& o, const std::vector<std::string>& more,
                             const std::vector<std::string>& items);

}  // namespace osteon::app
