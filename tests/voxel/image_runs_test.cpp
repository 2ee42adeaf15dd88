#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <osteon/voxel/image_runs.hpp>
#include <osteon/voxel/segment.hpp>
#include <random>
#include <voxel/random_image.hpp>

namespace image_runs_test {

using namespace osteon;
using namespace osteon::voxel;

std::vector<run> all_runs(const image_runs& set) {
  std::vector<run> runs;
  set.for_each([&](const run& r) { runs.push_back(r); });
  return runs;
}

// Oracle: the runs of the set, and their indices.
TEST(image_runs, have_the_runs_of_a_set) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const index3 shape{3, 5, 40};
    const auto data = random_image(shape, 0.05 * seed, seed);
    const run_set cells = active_cells({data.data(), shape});
    const std::vector<run> found = all_runs(image_runs_of(cells));
    ASSERT_EQ(found.size(), cells.runs().size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const run& r = cells.runs()[i];
      EXPECT_EQ(found[i].first, static_cast<std::int32_t>(i));
      EXPECT_TRUE(found[i].z == r.z && found[i].y == r.y && found[i].x == r.x && found[i].length == r.length);
    }
  }
}

// Oracle: by hand; a copy made before the removal keeps all runs. The rows of the second shape need 32 bits.
TEST(image_runs, removal_keeps_the_rows_and_the_copies) {
  for (const std::int64_t width : {70000, 60000}) {
    image_runs set({2, 2, width});
    for (int row = 0; row < 4; ++row) {
      set.begin_row();
      if (row == 1) continue;
      set.append(row, 10);
      set.append(width - 20 - row, 20);
    }
    const image_runs copy = set;
    set.keep([](std::int32_t i) { return i % 2 == 1; });
    const std::vector<run> found = all_runs(set);
    ASSERT_EQ(found.size(), 3U);
    for (int i = 0; i < 3; ++i) {
      const int row = i == 0 ? 0 : i + 1;
      const run& r = found[static_cast<std::size_t>(i)];
      EXPECT_TRUE(r.z == row / 2 && r.y == row % 2 && r.x == width - 20 - row && r.length == 20);
    }
    EXPECT_EQ(all_runs(copy).size(), 6U);
    EXPECT_EQ(set.row_begin(2), 1);
  }
}

// Oracle: more runs than one block contains; every third run remains.
TEST(image_runs, extend_over_several_blocks) {
  constexpr std::int64_t rows = 3000, per_row = 50;
  image_runs set({1, rows, 4 * per_row});
  for (std::int64_t y = 0; y < rows; ++y) {
    set.begin_row();
    for (std::int64_t i = 0; i < per_row; ++i) set.append(4 * i + y % 2, 2);
  }
  set.keep([](std::int32_t i) { return i % 3 == 0; });
  ASSERT_EQ(set.size(), rows * per_row / 3);
  std::int64_t number = 0;
  set.for_each([&](const run& r) {
    const std::int64_t before = 3 * number++;
    ASSERT_EQ(r.y, before / per_row);
    ASSERT_EQ(r.x, 4 * (before % per_row) + r.y % 2);
  });
}

template <class T>
void compare_with_voxels(scalar type, double threshold, double upper, bool inverted, std::mt19937& random) {
  for (const std::int64_t width : {1, 63, 64, 65, 130}) {
    const index3 shape{3, 2, width};
    image scan{shape, type, std::vector<std::byte>(static_cast<std::size_t>(shape.volume()) * sizeof(T))};
    std::vector<T> values(static_cast<std::size_t>(shape.volume()));
    for (T& v : values) v = static_cast<T>(std::numeric_limits<T>::lowest() == 0 ? random() % 200 : random() % 200 - 100.0);
    values[0] = std::is_integral_v<T> ? std::numeric_limits<T>::max() : T{99};
    std::memcpy(scan.bytes.data(), values.data(), scan.bytes.size());
    segmentation_options how;
    how.threshold = threshold;
    how.upper = upper;
    how.inverted = inverted;
    how.keep = keep_rule::all;
    how.must_connect_faces = false;
    std::vector<material_number> expected;
    for (const T v : values)
      expected.push_back((static_cast<double>(v) > threshold && static_cast<double>(v) <= upper) != inverted ? 1 : 0);
    if (std::count(expected.begin(), expected.end(), 1) == 0) continue;
    EXPECT_EQ(all_materials(segment(scan, how, material{})), expected) << name_of(type) << " " << threshold << " " << width;
  }
}

// Oracle: the comparison of each voxel in double precision, for each type, with limits beside and between integers and
// beyond the range of the type.
TEST(image_runs, of_a_segmentation_are_those_of_a_comparison_per_voxel) {
  std::mt19937 random(3);
  for (const bool inverted : {false, true})
    for (const auto& [low, high] : {std::pair{20.0, 150.0},
                                    {19.5, 90.5},
                                    {-30.5, 60.0},
                                    {-1e9, 50.0},
                                    {50.0, 1e300},
                                    {-1e300, -1e250},
                                    {1e12, 1e13},
                                    {254.0, 255.0}}) {
      compare_with_voxels<std::uint8_t>(scalar::u1, low, high, inverted, random);
      compare_with_voxels<std::int8_t>(scalar::i1, low, high, inverted, random);
      compare_with_voxels<std::uint16_t>(scalar::u2, low, high, inverted, random);
      compare_with_voxels<std::int16_t>(scalar::i2, low, high, inverted, random);
      compare_with_voxels<std::uint32_t>(scalar::u4, low, high, inverted, random);
      compare_with_voxels<std::int32_t>(scalar::i4, low, high, inverted, random);
      compare_with_voxels<float>(scalar::f4, low, high, inverted, random);
      compare_with_voxels<double>(scalar::f8, low, high, inverted, random);
    }
}

// Oracle: a count per voxel.
TEST(image_runs, counts_of_grey_values) {
  std::mt19937 random(4);
  image scan{{7, 11, 13}, scalar::i2, std::vector<std::byte>(2 * 7 * 11 * 13)};
  std::vector<std::int16_t> values(7 * 11 * 13);
  grey_counts expected(65536);
  for (std::int16_t& v : values) {
    v = static_cast<std::int16_t>(random() % 5000 - 2500.0);
    ++expected[static_cast<std::size_t>(v + 32768)];
  }
  std::memcpy(scan.bytes.data(), values.data(), scan.bytes.size());
  grey_counts found;
  const grey_range range = check_values(scan, &found);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(otsu_threshold(scan, range, found), otsu_threshold(scan, range));
  EXPECT_EQ(volume_threshold(scan, range, {-2000, 2000}, found), volume_threshold(scan, range, {-2000, 2000}));
}

}  // namespace image_runs_test
