#pragma once
#include <string>

namespace osteon {

/// One fault of an input, so that all faults can be shown at once.
struct problem {
  std::string where;  ///< key or place, e.g. `load.strain` or `job.toml:12`
  std::string text;   ///< what, value, limit, what to do
};

}  // namespace osteon
