#include <osteon/numerics/solver_options.hpp>

#include <fmt/format.h>

#include <osteon/base/error.hpp>

namespace osteon::numerics {

void check_tolerance(const options& how) {
  if (!(how.tolerance > 0 && how.tolerance < 1))
    throw usage_error(
        fmt::format("the tolerance of the heat solver is {}; it must lie between 0 and 1, e.g. 1e-6", how.tolerance));
}

}  // namespace osteon::numerics
