#include <gtest/gtest.h>

#include <osteon/base/text_pattern.hpp>
#include <string>
#include <vector>

namespace text_pattern_test {

using namespace osteon;

// Oracle: values determined by hand.
TEST(text_pattern, matches_and_finds) {
  const text_pattern frame("frame_(?:([0-9]+)_)?([0-9]{6})");
  EXPECT_EQ(frame.match("frame_2_000010"), (std::vector<std::string>{"frame_2_000010", "2", "000010"}));
  EXPECT_EQ(frame.match("frame_000010"), (std::vector<std::string>{"frame_000010", "", "000010"}));
  EXPECT_TRUE(frame.match("frame_000010.png").empty());
  EXPECT_EQ(text_pattern("<([a-z]*)>").find_all("<a> <bc> <>"), (std::vector<std::string>{"a", "bc", ""}));
}

}  // namespace text_pattern_test
