#include <gtest/gtest.h>

#include <osteon/base/xxh3.hpp>
#include <osteon/base/xxh64.hpp>
#include <string_view>

namespace xxh64_test {

using namespace osteon;

std::string digest(std::string_view text) { return xxh64_of(std::as_bytes(std::span(text))); }

// Oracle: values of the reference implementation (XXH64 of xxHash 0.8, seed 0).
TEST(xxh64, has_the_known_values) {
  EXPECT_EQ(digest(""), "ef46db3751d8e999");
  EXPECT_EQ(digest("a"), "d24ec4f1a98c6e5b");
  EXPECT_EQ(digest("abc"), "44bc2cf5ad770999");
  EXPECT_EQ(digest("Nobody inspects the spammish repetition"), "fbcea83c8a378bf1");
}

// Oracle: the digest of the whole text, for any division into parts.
TEST(xxh64, of_parts_is_that_of_the_whole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    for (const std::size_t part : {std::size_t{1}, std::size_t{31}, std::size_t{64}}) {
      xxh64 d;
      d.update(std::as_bytes(std::span(text).first(cut)));
      for (std::size_t at = cut; at < text.size(); at += part)
        d.update(std::as_bytes(std::span(text).subspan(at, std::min(part, text.size() - at))));
      ASSERT_EQ(d.hex(), digest(text)) << cut << " " << part;
    }
}

// Oracle: the Python package xxhash (function xxh3_64), for the whole text and for parts.
TEST(xxh3, has_the_known_values) {
  std::string bytes;
  for (int i = 0; i < 2560; ++i) bytes += static_cast<char>(i % 256);
  for (const auto& [text, known] : {std::pair<std::string, const char*>{"", "2d06800538d394c2"},
                                    {"a", "e6c632b61e964e1f"},
                                    {"osteon", "6e98f4af4c523475"},
                                    {bytes, "ce94c58d4049e3e5"}}) {
    const auto all = std::as_bytes(std::span(text));
    EXPECT_EQ(xxh3_of(all), known);
    xxh3 d;
    for (std::size_t at = 0; at < all.size(); at += 321)
      d.update(all.subspan(at, std::min<std::size_t>(321, all.size() - at)));
    EXPECT_EQ(d.hex(), known);
  }
}

}  // namespace xxh64_test
