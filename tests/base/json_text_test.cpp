#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <osteon/base/json_text.hpp>

namespace json_text_test {

using namespace osteon;
using json = nlohmann::ordered_json;

// Oracle: values computed by hand.
TEST(json_text, keeps_order_and_values) {
  const std::string text = R"({"b":1,"a":[0.1,null,"x"]})";
  EXPECT_EQ(json_to_text(json_from_text<json>(text)), text);
  EXPECT_EQ(json_to_text(valid_json_from_text<nlohmann::json>(text)), R"({"a":[0.1,null,"x"],"b":1})");
  EXPECT_EQ(json_to_text(json{{"a", 1}}, 2), "{\n  \"a\": 1\n}");
}

// Oracle: a damaged text or an absent file is discarded, or is an error, as requested.
TEST(json_text, rejects_damaged_text) {
  EXPECT_TRUE(json_from_text<json>("{\"a\":").is_discarded());
  EXPECT_TRUE(json_from_text<json>("").is_discarded());
  EXPECT_TRUE(json_from_file<json>("/nonexistent/file.json").is_discarded());
  EXPECT_TRUE(json_from_file<json>(testing::TempDir()).is_discarded());
  EXPECT_THROW(valid_json_from_text<nlohmann::json>("{\"a\":"), nlohmann::json::parse_error);
}

// Oracle: the text of the file.
TEST(json_text, reads_a_file) {
  const std::string path = testing::TempDir() + "osteon_json_text";
  std::ofstream(path) << "{\"a\": 2}";
  EXPECT_EQ(json_from_file<nlohmann::json>(path).at("a"), 2);
  std::filesystem::remove(path);
}

// Oracle: U+FFFD replaces a byte that is not UTF-8. An escape sequence replaces a character outside of ASCII.
TEST(json_text, replaces_and_escapes) {
  EXPECT_EQ(json_to_text(json("a\xff")), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(json_to_text(json("\xc3\xa9"), -1, true), "\"\\u00e9\"");
}

}  // namespace json_text_test
