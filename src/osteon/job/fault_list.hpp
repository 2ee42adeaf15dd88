#pragma once
/// @file
/// Collects the faults of a job.
#include <fmt/format.h>

#include <osteon/base/error.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::job {

/// Appends a fault for each condition that does not hold: `expect(f.inertia, "flow.cfl", "{} needs inertia", *f.cfl)`.
class fault_list {
 public:
  /// @param problems receives the faults @param prefix of all keys: `boundary[2].`
  explicit fault_list(std::vector<problem>& problems, std::string prefix = {})
      : problems_(&problems), prefix_(std::move(prefix)) {}

  /// @param text of the fault, formatted only if the condition fails @return holds
  template <class... Values>
  bool operator()(bool holds, const std::string& key, fmt::format_string<Values...> text, Values&&... values) const {
    if (!holds) problems_->push_back({prefix_ + key, fmt::format(text, std::forward<Values>(values)...)});
    return holds;
  }
  bool operator()(bool holds, const std::string& key, const char* text) const {
    if (!holds) problems_->push_back({prefix_ + key, text});
    return holds;
  }

 private:
  std::vector<problem>* problems_;
  std::string prefix_;
};

}  // namespace osteon::job
