#include <gtest/gtest.h>

#include <common/toml_limits.hpp>
#include <string>

namespace toml_limits_test {

using namespace osteon;

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

std::string fault_of(const std::string& text) {
  const auto fault = beyond_toml_limits(text, "f");
  return fault ? fault->where + ": " + fault->text : "";
}

// Oracle: a recursive parser would overflow its stack for this text. The error states the limit and the line.
TEST(toml_limits, rejects_excessive_nesting) {
  EXPECT_EQ(fault_of("a = 1\n" + repeated("a.", 40000) + "a = 1"),
            "f:2: a key has more parts than 32; use fewer nested tables");
  EXPECT_NE(fault_of("[" + repeated("\"x\" . ", 33) + "y]"), "");
  EXPECT_NE(fault_of("a = " + repeated("[", 40000)), "");
  EXPECT_NE(fault_of("a = " + repeated("{ b = ", 33) + "1" + repeated("}", 33)), "");
  EXPECT_NE(fault_of(std::string(largest_toml + 1, '\n')), "");
}

// Oracle: these files are valid, whatever their strings and comments contain.
TEST(toml_limits, lets_jobs_pass) {
  EXPECT_EQ(fault_of(""), "");
  EXPECT_EQ(fault_of("[a.b.c]\nx = [[1.5, 2.5], [3.5, 4.5]]\n[[d]]\ny = { z = 1 }\n"), "");
  EXPECT_EQ(fault_of(repeated("[[material]]\nname = \"m.a.b\"\n", 5000)), "");
  EXPECT_EQ(fault_of("t = \"" + repeated("a.", 100) + repeated("[", 100) + "\"\n"), "");
  EXPECT_EQ(fault_of("t = '''\n" + repeated("a.\"b\n[", 100) + "'''\n"), "");
  EXPECT_EQ(fault_of("t = \"a\\\"" + repeated("[", 100) + "\"\n"), "");
  EXPECT_EQ(fault_of("# " + repeated("[", 100) + repeated("a.", 100) + "\nv = [" + repeated("1.5,\n", 5000) + "]\n"), "");
}

}  // namespace toml_limits_test
