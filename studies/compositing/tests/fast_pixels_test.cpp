// Fast blends, compression by value and counts of messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <osteon/base/error.hpp>
#include <osteon/plan/verify.hpp>
#include <random>
#include <studies/compositing/frames/swap_2d.hpp>
#include <studies/compositing/model/message_counts.hpp>
#include <studies/compositing/pixels/compression.hpp>
#include <studies/compositing/pixels/fast_blend.hpp>

namespace osteon::studies::fast_pixels_test {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int v : values) result.push_back(static_cast<std::byte>(v));
  return result;
}

// Oracle: computed by hand. Behind an opacity of 55, the fraction 200 / 255 of the light passes. The value 100 becomes
// 78.43. Division by 255 with rounding yields 78. The shift 20000 >> 8 also yields 78. For 255, the shift yields 199 instead
// of 200.
TEST(fast_blend, shift_and_table_by_hand) {
  auto shifted = bytes({1, 2, 3, 55}), looked_up = shifted;
  const auto back = bytes({100, 255, 0, 255});
  blend_behind(fast_blend::shift, shifted, back);
  blend_behind(fast_blend::table, looked_up, back);
  EXPECT_EQ(shifted, bytes({79, 201, 3, 254}));
  EXPECT_EQ(looked_up, bytes({79, 202, 3, 255}));
}

// Oracle: rounding theory. One exact rounding has an error of at most half of a unit. Two layers of a table also have an
// error of at most half of a unit. A shift reduces the value by up to two units per layer. An error in the opacity has a
// further effect in the next layer.
TEST(fast_blend, errors_are_those_of_rounding_at_each_layer) {
  for (const int layers : {2, 4, 16}) {
    const auto found = compare_blends(layers, 4096, 0);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_LE(found[0].worst, 0.501) << layers;
    EXPECT_LE(found[2].worst, layers == 2 ? 0.501 : layers) << layers;
    EXPECT_GT(found[1].mean, found[2].mean) << layers;
    EXPECT_GT(found[1].worst, 0.6) << layers;
    EXPECT_LE(found[1].worst, 2.0 * (layers - 1)) << layers;
    EXPECT_GT(found[0].rate, 0);
  }
}

// Oracle: the input.
TEST(compression, finds_every_pixel_again) {
  std::mt19937 random(5);
  for (const std::size_t pixels : {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{4099}})
    for (const unsigned values : {1u, 2u, 256u}) {
      std::vector<std::byte> data(4 * pixels);
      for (auto& b : data) b = static_cast<std::byte>(random() % values);
      for (const auto how : {value_code::runs, value_code::differences})
        EXPECT_EQ(decompress(how, compress(how, data), data.size()), data) << pixels << " " << values;
    }
}

// Oracle: counted by hand. 600 equal pixels form runs of 255, 255 and 90 pixels. The differences of a ramp with 100 steps
// are 400 ones.
TEST(compression, has_the_length_counted_by_hand) {
  EXPECT_EQ(compress(value_code::runs, std::vector<std::byte>(2400, std::byte{9})).size(), 3u * 5);
  std::vector<std::byte> ramp;
  for (int i = 1; i <= 100; ++i) ramp.insert(ramp.end(), 4, static_cast<std::byte>(i));
  EXPECT_EQ(compress(value_code::differences, ramp).size(), 2u * 2);  // 400 ones form runs of 255 and 145
  EXPECT_EQ(compress(value_code::runs, ramp).size(), 500u);
}

TEST(compression, refuses_damaged_messages) {
  auto code = compress(value_code::runs, std::vector<std::byte>(400, std::byte{1}));
  EXPECT_THROW(decompress(value_code::runs, code, 396), data_error);
  EXPECT_THROW(decompress(value_code::runs, code, 404), data_error);
  code.pop_back();
  EXPECT_THROW(decompress(value_code::runs, code, 400), data_error);
}

// Oracle: the table of the methods. The largest number of messages of a rank is n - 1 for direct send, 1 for a chain or a
// tree, and log2 n for binary swap. In binary swap, all ranks together send n log2 n messages.
TEST(message_counts, are_those_of_the_literature) {
  const auto found = count_messages({"direct-send", "tree", "binary-swap", "multi-step:16"}, 256);
  for (const auto& m : found) {
    ASSERT_EQ(m.counts.size(), 8u);
    for (const auto& c : m.counts) {
      int levels = 0;
      while (1 << levels < c.ranks) ++levels;
      if (m.method == "direct-send") {
        EXPECT_EQ(c.most, c.ranks - 1);
      }
      if (m.method == "tree") {
        EXPECT_EQ(c.most, 1);
        EXPECT_EQ(c.all, c.ranks - 1);
      }
      if (m.method == "binary-swap") {
        EXPECT_EQ(c.most, levels);
        EXPECT_EQ(c.all, c.ranks * levels);
      }
      if (m.method == "multi-step:16") {
        EXPECT_GE(c.most, std::min(levels, 4));
        EXPECT_LE(c.most, std::min(levels, 4) + 2);
      }
    }
  }
  EXPECT_THROW(count_messages({"binary-swop"}, 4), usage_error);
}

// Oracle: the symbolic verification of plans. Each pixel is blended once in visibility order. Further values are computed by
// hand. With 64 ranks and 64 x 48 pixels, each part has 8 x 6 pixels. The number of sent pixels equals the number for
// stripes.
TEST(swap_2d, is_a_legal_plan_of_rectangles) {
  std::mt19937 random(3);
  for (const auto& [width, height] : {std::pair{64, 48}, {7, 31}, {1, 70}})
    for (int ranks = 1; ranks <= 64; ranks *= 2) {
      std::vector<int> order(static_cast<std::size_t>(ranks));
      for (int i = 0; i < ranks; ++i) order[static_cast<std::size_t>(i)] = i;
      std::shuffle(order.begin(), order.end(), random);
      const plan::plan what = binary_swap_in_rectangles(width, height, order);
      const auto faults = plan::verify(what, {order, -1});
      EXPECT_TRUE(faults.empty()) << width << " x " << height << ", " << ranks;
      const int root = ranks / 2;
      EXPECT_TRUE(plan::verify(binary_swap_in_rectangles(width, height, order, root), {order, root}).empty())
          << width << " x " << height << ", " << ranks;
      if (width == 64) {
        EXPECT_EQ(plan::summarise(what).sent_elements, std::int64_t{64} * 48 * (ranks - 1));
        EXPECT_EQ(plan::summarise(what).messages,
                  ranks * static_cast<std::int64_t>(std::bit_width(static_cast<unsigned>(ranks)) - 1));
      }
      if (width == 64 && ranks == 64) {
        EXPECT_EQ(what.result(5).size(), 6u);
        EXPECT_EQ(what.result(5).front().size(), 8);
      }
    }
  const std::vector<int> three{0, 1, 2}, twice{0, 0};
  EXPECT_THROW(binary_swap_in_rectangles(64, 48, three), usage_error);
  EXPECT_THROW(binary_swap_in_rectangles(64, 48, twice), usage_error);
}

// Oracle: symmetry. With rectangles, two and four ranks have equal parts of a disk in the middle. With stripes, the parts
// differ.
TEST(swap_2d, shares_a_disk_in_the_middle_evenly) {
  const auto found = compare_cuts(256, 256, 16);
  EXPECT_EQ(found[0].owned_rectangles, found[0].owned_stripes);
  EXPECT_GT(found[1].owned_stripes, found[1].owned_rectangles * 1.5);
  EXPECT_NEAR(static_cast<double>(found[1].owned_rectangles), 3.14159265 * 0.09 * 256 * 256 / 4, 60);
}

}  // namespace osteon::studies::fast_pixels_test
