#include <osteon/job/batch_job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/job/subprocess.hpp>

namespace osteon::job {

namespace {

constexpr double longest_answer_s = 10;

void ask(allocation& batch) {
  const stopwatch clock;
  const program_result answer = run_program(query_of(batch), [&] { return clock.seconds() > longest_answer_s; });
  if (answer.exit_code == 0) add_answer(batch, answer.out);
}

std::string text_of_seconds(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", std::max(seconds, 0.0));
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace

std::optional<allocation> read_allocation() {
  std::optional<allocation> batch = allocation_of(own_variable);
  if (batch) ask(*batch);
  return batch;
}

std::string text_of(const allocation& batch) {
  std::string text =
      fmt::format("{}: {} task{} on {} host{}", title_of(batch), batch.total_tasks(), batch.total_tasks() == 1 ? "" : "s",
                  batch.hosts.size(), batch.hosts.size() == 1 ? "" : "s");
  if (batch.memory_bytes) text += fmt::format(", {:.3g} GB of memory per host", *batch.memory_bytes / 1e9);
  if (batch.seconds_left) text += fmt::format(", {} left", text_of_seconds(*batch.seconds_left));
  return text;
}

int ranks_of(const allocation& batch, std::int64_t threads) {
  std::int64_t ranks = 0, of_cores = 0;
  for (std::size_t host = 0; host < batch.hosts.size(); ++host) {
    ranks += batch.tasks[host];
    if (!batch.cores.empty()) of_cores += batch.cores[host] / std::max<std::int64_t>(threads, 1);
  }
  if (!batch.cores.empty()) ranks = batch.tasks_are_requested ? std::min(ranks, of_cores) : of_cores;
  return static_cast<int>(std::max<std::int64_t>(ranks, 1));
}

allocation_end::allocation_end(std::optional<allocation> batch) : batch_(std::move(batch)) {}

std::optional<double> allocation_end::seconds_left() const {
  if (!batch_ || !batch_->seconds_left) return std::nullopt;
  return *batch_->seconds_left - since_answer_.seconds();
}

bool allocation_end::is_within(double needed_s) {
  if (seconds_left().value_or(needed_s) >= needed_s) return false;
  constexpr double largest_drift_s = 5;
  const std::chrono::duration<double> passed = std::chrono::system_clock::now() - answered_;
  const bool has_jumped = std::abs(passed.count() - since_answer_.seconds()) > largest_drift_s;
  batch_->seconds_left = seconds_left();
  since_answer_.restart();
  answered_ = std::chrono::system_clock::now();
  if (!has_jumped) ask(*batch_);
  return *batch_->seconds_left < needed_s;
}

std::string allocation_end::name() const { return batch_ ? title_of(*batch_) : ""; }

}  // namespace osteon::job
