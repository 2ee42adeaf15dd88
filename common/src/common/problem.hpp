#pragma once
#include <string>
#include <vector>

namespace osteon {

/// One fault of an input, so that all faults can be shown at once.
struct problem {
  std::string where;  ///< key or place, e.g. `load.strain` or `job.toml:12`
  std::string text;   ///< what, value, limit, what to do
};

/// Adds a problem for each condition that does not hold.
class expectation {
 public:
  explicit expectation(std::vector<problem>& problems) : problems_(problems) {}
  /// @return holds
  bool operator()(bool holds, const std::string& where, const std::string& text) const {
    if (!holds) problems_.push_back({where, text});
    return holds;
  }

 private:
  std::vector<problem>& problems_;
};

}  // namespace osteon
