#pragma once
#include <string>

namespace osteon {

/// One fault of an input. All faults are collected and reported together.
struct problem {
  std::string where;  ///< key or place, e.g. `load.strain` or `job.toml:12`
  std::string text;   ///< problem, value, limit, remedy
};

}  // namespace osteon
