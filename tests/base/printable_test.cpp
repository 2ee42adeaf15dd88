#include <gtest/gtest.h>

#include <common/printable.hpp>
#include <string>

namespace printable_test {

using osteon::printable;

// Oracle: ordinary text of any script remains unchanged.
TEST(printable, leaves_text_alone) {
  for (const std::string text : {"", "bone 12 µm, \"a\" 'b'", "пример é 骨 🦴", "two\nlines\tand a tab"})
    EXPECT_EQ(printable(text), text);
}

// Oracle: values determined by hand from the tables of ECMA-48 and Unicode.
TEST(printable, escapes_control_and_invisible_characters) {
  EXPECT_EQ(printable("\x1b]0;title\x07\x1b[31mred"), "\\x1b]0;title\\x07\\x1b[31mred");
  EXPECT_EQ(printable("a\rb\x7f"), "a\\x0db\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");  // CSI as a single character
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "gpj.exe"),
            "\\u202egpj.exe");  // a terminal displays the following characters from right to left
  EXPECT_EQ(printable("\xef\xbb\xbf"), "\\ufeff");
}

// Oracle: the bytes, determined by hand. Invalid UTF-8 may be a control character in another character set.
TEST(printable, escapes_bytes_that_are_no_utf_8) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // an overlong encoding
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a UTF-16 surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

}  // namespace printable_test
