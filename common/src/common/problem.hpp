#pragma once
#include <string>

namespace osteon {

/// One fault of an input. Checks collect all faults, and report the faults together.
struct problem {
  std::string where;  ///< key or place, for example `load.strain` or `job.toml:12`
  std::string text;   ///< text with problem, value, limit and remedy
};

}  // namespace osteon
