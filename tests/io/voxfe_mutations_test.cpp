#include <gtest/gtest.h>

#include "fuzz/voxfe_round_trip.hpp"
#include "io/voxfe_sample.hpp"

namespace voxfe_mutations_test {

using namespace osteon;

// Bit flips, truncations, repeated pieces, and numbers that are difficult for parsers.
std::string mutated(std::string text, std::mt19937& draw) {
  static const char* const numbers[] = {"-1", "0",   "4294967296", "9223372036854775808", "1e999", "nan", "0x1f",
                                        "",   "1 1", "\n"};
  for (unsigned edits = 1 + draw() % 3; edits > 0 && !text.empty(); --edits) {
    const std::size_t at = draw() % text.size();
    switch (draw() % 5) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << draw() % 8));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.insert(at, text.substr(at / 2, draw() % 40));
        break;
      case 3:
        text.replace(at, draw() % 4, numbers[draw() % std::size(numbers)]);
        break;
      default:
        text.erase(at, draw() % 20);
    }
  }
  return text;
}

// Oracle: the parsers reproduce canonical text unchanged and throw only data_error. Many of the files remain readable.
TEST(VoxfeMutations, ten_thousand_damaged_files_are_refused_or_read_as_they_stand) {
  const auto bytes = [](const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); };
  std::mt19937 draw(11);
  const std::string model = "\n0.1 0.1 0.1\n6\n1 1 1 1 1\n2 40 7 1 1\n3 1 1 6 1\n4 40 1 1 5\n5 1 3 3 3\n6 1 7 6 5\n";
  ASSERT_TRUE(fuzz::round_trip_model(bytes(model), model.size()));
  int texts = 0, models = 0;
  for (int i = 0; i < 2500; ++i) {
    const voxfe_files files = random_voxfe(static_cast<unsigned>(i % 20));
    for (const std::string* text : {&files.script, &files.materials, &files.constraints})
      texts += fuzz::round_trip_texts(mutated(*text, draw)) > 0;
    const std::string damaged = mutated(model, draw);
    models += fuzz::round_trip_model(bytes(damaged), damaged.size());
  }
  EXPECT_GT(texts, 500);
  EXPECT_GT(models, 50);
}

}  // namespace voxfe_mutations_test
