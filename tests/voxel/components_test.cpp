#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/voxel/components.hpp>
#include <voxel/random_image.hpp>

namespace components_test {

using namespace osteon;
using namespace osteon::voxel;

// The simple reference is a flood fill from every unvisited voxel. The sizes are in the order of the first voxels.
std::vector<std::int64_t> flood_fill(const std::vector<material_number>& image, index3 shape, std::vector<int>& label,
                                     std::array<bool, 3> periodic, connectivity by) {
  label.assign(image.size(), -1);
  std::vector<std::int64_t> sizes;
  const auto at = [&](index3 p) { return static_cast<std::size_t>((p.z * shape.y + p.y) * shape.x + p.x); };
  for (std::int64_t i = 0; i < shape.volume(); ++i) {
    const index3 seed{i / (shape.y * shape.x), i / shape.x % shape.y, i % shape.x};
    if (!image[at(seed)] || label[at(seed)] >= 0) continue;
    std::vector<index3> stack{seed};
    label[at(seed)] = static_cast<int>(sizes.size());
    sizes.push_back(0);
    while (!stack.empty()) {
      const index3 p = stack.back();
      stack.pop_back();
      ++sizes.back();
      for (int n = 0; n < 27; ++n) {
        const index3 step{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
        if (by == connectivity::faces && std::abs(step.z) + std::abs(step.y) + std::abs(step.x) > 1) continue;
        index3 q = p + step;
        for (int a = 0; a < 3; ++a)
          if (periodic[static_cast<std::size_t>(a)]) q[a] = (q[a] + shape[a]) % shape[a];
        if (!box3{{0, 0, 0}, shape}.contains(q) || !image[at(q)] || label[at(q)] >= 0) continue;
        label[at(q)] = label[at(p)];
        stack.push_back(q);
      }
    }
  }
  return sizes;
}

// Oracle: flood fill, voxel by voxel. The tall images consist of several slabs, which threads process.
TEST(components, agree_with_flood_fill) {
  for (unsigned seed = 0; seed < 160; ++seed) {
    const index3 shape = seed % 3 == 0 ? index3{37, 4, 6} : index3{5, 7, 9};
    const connectivity by = seed < 80 ? connectivity::faces : connectivity::corners;
    const std::array<bool, 3> periodic{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0};
    const auto data = random_image(shape, seed < 80 ? 0.1 + 0.01 * seed : 0.02 + 0.003 * (seed - 80), seed);
    std::vector<int> label;
    const auto sizes = flood_fill(data, shape, label, periodic, by);
    const run_set cells = active_cells({data.data(), shape});

    const components found = find_components(cells, periodic, by);

    const components same = find_components(image_runs_of(cells), periodic, by);
    ASSERT_EQ(found.parts.size(), sizes.size());
    ASSERT_EQ(found.part_of_run, same.part_of_run);
    for (std::size_t i = 0; i < found.parts.size(); ++i) {
      EXPECT_EQ(found.parts[i].voxels, same.parts[i].voxels);
      EXPECT_EQ(found.parts[i].low, same.parts[i].low);
      EXPECT_EQ(found.parts[i].high, same.parts[i].high);
    }
    for (std::size_t i = 1; i < found.parts.size(); ++i) EXPECT_LE(found.parts[i].voxels, found.parts[i - 1].voxels);
    std::vector<int> expected_part(sizes.size(), -1);
    for (std::size_t r = 0; r < cells.runs().size(); ++r) {
      const run& a = cells.runs()[r];
      for (std::int32_t i = 0; i < a.length; ++i) {
        const int expected = label[static_cast<std::size_t>((a.z * shape.y + a.y) * shape.x + a.x + i)];
        int& part = expected_part[static_cast<std::size_t>(expected)];
        if (part < 0) part = found.part_of_run[r];
        ASSERT_EQ(part, found.part_of_run[r]);
        ASSERT_EQ(found.parts[static_cast<std::size_t>(part)].voxels, sizes[static_cast<std::size_t>(expected)]);
      }
    }
  }
}

// Oracle: determined by hand. Voxels that touch only at an edge are two parts.
TEST(components, do_not_connect_through_edges) {
  const std::vector<material_number> data{1, 0, 0, 1};
  const components found = find_components(active_cells({data.data(), {1, 2, 2}}));
  EXPECT_EQ(found.parts.size(), 2u);
  EXPECT_EQ(find_components(active_cells({data.data(), {1, 2, 2}}), {}, connectivity::corners).parts.size(), 1u);
}

// Oracle: determined by hand. Three bars of 2^30 voxels are more than 2^31 voxels. One process can process these voxels, but
// no rank can number them.
TEST(components, count_beyond_an_int) {
  constexpr std::int32_t length = 1 << 30;
  const index3 shape{1, 4, length};
  const std::vector<run> bars{{0, 0, 0, length, 0}, {0, 1, 0, length, 0}, {0, 3, 0, length, 0}};
  const components found = find_components(run_set(shape, bars, numbering::none));
  ASSERT_EQ(found.parts.size(), 2u);
  EXPECT_EQ(found.parts[0].voxels, std::int64_t{2} * length);
  EXPECT_EQ(found.parts[1].voxels, length);
  EXPECT_THROW(run_set(shape, bars), data_error);
}

TEST(components, know_the_faces_that_they_touch) {
  const std::vector<material_number> data{0, 1, 0, 0, 1, 0, 0, 0, 0};  // shape (1, 3, 3), with a bar from y = 0 to y = 1
  const components found = find_components(active_cells({data.data(), {1, 3, 3}}));
  ASSERT_EQ(found.parts.size(), 1u);
  EXPECT_TRUE(found.parts[0].touches({1, 3, 3}, 1, false));
  EXPECT_FALSE(found.parts[0].touches({1, 3, 3}, 1, true));
  EXPECT_TRUE(found.parts[0].touches({1, 3, 3}, 0, true));
}

}  // namespace components_test
