#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace osteon::test {

/// Selects the tests of one file. The tests of a module are one program, and `test_solve heat_test.cpp` runs the tests of
/// one file. Call this function after testing::InitGoogleTest, which removes its own options from argv.
/// @returns false, with a message on stderr, if the file has no tests
inline bool choose_file(int argc, char** argv) {
  if (argc < 2) return true;
  const std::string name = std::string("/") + argv[1];
  const auto& all = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const auto& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const auto& info = *suite.GetTestInfo(t);
      if (std::string_view(info.file()).ends_with(name)) filter += std::string(suite.name()) + "." + info.name() + ":";
    }
  }
  if (filter.empty()) std::fprintf(stderr, "no tests from a file %s in this program\n", argv[1]);
  if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, filter);
  return !filter.empty();
}

}  // namespace osteon::test
