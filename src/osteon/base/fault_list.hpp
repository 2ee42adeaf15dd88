#pragma once
/// @file
/// Checks that throw on the first fault, or that collect all faults of a job or of a solver's input.
#include <fmt/format.h>

#include <osteon/base/error.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon {

/// Throw an error if a condition is false. The arguments are evaluated even if the condition is true.
template <class Error, class... Values>
void require(bool holds, fmt::format_string<Values...> text, Values&&... values) {
  if (!holds) throw Error(fmt::format(text, std::forward<Values>(values)...));
}

/// Appends a fault for each false condition: `expect(f.inertia, "flow.cfl", "{} requires flow.inertia = true", *f.cfl)`.
class fault_list {
 public:
  /// Store the faults in this object for require_none().
  fault_list() : problems_(&own_) {}
  /// @param problems list that receives the faults @param prefix beginning of all keys, for example `boundary[2].`
  explicit fault_list(std::vector<problem>& problems, std::string prefix = {})
      : problems_(&problems), prefix_(std::move(prefix)) {}
  fault_list(const fault_list&) = delete;
  fault_list& operator=(const fault_list&) = delete;

  /// @param text text of the fault, formatted only if the condition is false @return the value of the condition
  template <class... Values>
  bool operator()(bool holds, const std::string& key, fmt::format_string<Values...> text, Values&&... values) const {
    if (!holds) problems_->push_back({prefix_ + key, fmt::format(text, std::forward<Values>(values)...)});
    return holds;
  }
  bool operator()(bool holds, const std::string& key, const char* text) const {
    if (!holds) problems_->push_back({prefix_ + key, text});
    return holds;
  }
  /// Append a fault without a key.
  bool operator()(bool holds, const std::string& text) const { return (*this)(holds, {}, text.c_str()); }

  /// @throws usage_error with the texts of all faults, one fault per line
  void require_none() const {
    std::string lines;
    for (const problem& fault : *problems_) lines += (lines.empty() ? "" : "\n") + fault.text;
    if (!lines.empty()) throw usage_error(lines);
  }

 private:
  std::vector<problem> own_;
  std::vector<problem>* problems_;
  std::string prefix_;
};

}  // namespace osteon
