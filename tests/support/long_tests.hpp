#pragma once
#include <cstdlib>

namespace osteon::test {

/// Whether a test runs all of its variations. `./run check long` sets the variable (VARIATIONS of tests/CMakeLists.txt).
inline bool with_long_tests() { return std::getenv("OSTEON_LONG_TESTS") != nullptr; }

}  // namespace osteon::test
