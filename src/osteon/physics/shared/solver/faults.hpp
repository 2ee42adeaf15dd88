#pragma once
/// @file
/// Faults of a problem, reported together.
#include <osteon/base/error.hpp>
#include <string>

namespace osteon::physics {

/// Adds a line for each condition that does not hold.
class fault_lines {
 public:
  void operator()(bool holds, const std::string& text) {
    if (!holds) lines_ += (lines_.empty() ? "" : "\n") + text;
  }
  /// @throws usage_error with all lines
  void require_none() const {
    if (!lines_.empty()) throw usage_error(lines_);
  }

 private:
  std::string lines_;
};

}  // namespace osteon::physics
