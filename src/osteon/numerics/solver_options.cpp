#include <osteon/numerics/solver_options.hpp>

#include <fmt/format.h>

#include <osteon/base/error.hpp>

namespace osteon::numerics {

void check_tolerance(const options& how) {
  if (!(how.tolerance > 0 && how.tolerance < 1))
    throw usage_error(
        fmt::format("tolerance of the heat solver: must be between 0 and 1 (such as 1e-6), not {}", how.tolerance));
}

}  // namespace osteon::numerics
