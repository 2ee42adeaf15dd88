#pragma once
/// @file
/// Results of an earlier job in the output folder: they are kept beside it, never overwritten.
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::job {

/// Moves what an earlier job computed from NAME.out to NAME.out.1 (.2 and so on if that is there), so that the folder
/// always tells of one job. If this one fails before it has results of its own, they come back. One process has it.
class earlier_results {
 public:
  earlier_results() = default;
  /// What is marked as not converged is not kept.
  /// @throws machine_error if they cannot be moved
  earlier_results(const spec& job, log_sink& log);
  earlier_results(earlier_results&& other) noexcept { *this = std::move(other); }
  earlier_results& operator=(earlier_results&& other) noexcept {
    std::swap(moved_, other.moved_);
    std::swap(place_, other.place_);
    std::swap(home_, other.home_);
    return *this;
  }
  ~earlier_results() { put_back(); }

  /// Results of this job, or its checkpoint, take their place.
  void stay_away() {
    moved_.clear();
    place_.clear();
  }

 private:
  void put_back() noexcept;
  std::string place_, home_;                                ///< where they are, and where they were
  std::vector<std::pair<std::string, std::string>> moved_;  ///< from, to
};

}  // namespace osteon::job
