#pragma once
/// @file
/// Options of the commands whose queue of jobs is Python's: batch, cohort, rev.
#include <app/command_line.hpp>
#include <optional>
#include <string>
#include <vector>

namespace osteon::app {

struct queue_options {
  std::vector<std::string> set, slurm_lines;
  std::string json;
  std::optional<int> ranks, threads, only, at_once;
  bool collect = false, slurm = false, submit = false;
};

/// @param item what the command calls one job of its queue
void add_queue_options(command c, queue_options& o, const std::string& item);

/// Become the program of `osteon NAME`, which is batch, cohort or rev, with those options, `more`, and `items` behind them.
/// @throws usage_error under a launcher, or if options exclude each other; machine_error if it cannot be started
[[noreturn]] void become_queue(const std::string& name, const queue_options& o, const std::vector<std::string>& more,
                               const std::vector<std::string>& items);

}  // namespace osteon::app
