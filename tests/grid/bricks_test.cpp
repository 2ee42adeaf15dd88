#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/grid/bricks.hpp>
#include <random>

namespace bricks_test {

using namespace osteon;

using image = std::vector<material_number>;

grid::box_tree serial(const image& voxels, index3 domain, int ranks) {
  return grid::balance_bricks(MPI_COMM_SELF, domain, {{}, domain}, {voxels.data(), domain}, ranks);
}

std::vector<std::int64_t> shares(const grid::box_tree& tree, const image& voxels) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(tree.ranks()));
  const index3 n = tree.domain();
  std::size_t i = 0;
  for (std::int64_t z = 0; z < n.z; ++z)
    for (std::int64_t y = 0; y < n.y; ++y)
      for (std::int64_t x = 0; x < n.x; ++x, ++i)
        if (voxels[i]) ++result[static_cast<std::size_t>(tree.owner_of({z, y, x}))];
  return result;
}

// Each voxel is in the box of its owner, and in no other box.
void expect_partition(const grid::box_tree& tree) {
  std::int64_t volume = 0;
  const index3 n = tree.domain();
  for (int r = 0; r < tree.ranks(); ++r) {
    const box3 box = tree.box_of(r);
    ASSERT_FALSE(box.empty()) << r;
    ASSERT_EQ(grid::overlap(box, {{}, n}), box);
    volume += box.volume();
    for (const index3 corner : {box.begin, box.end - index3{1, 1, 1}}) ASSERT_EQ(tree.owner_of(corner), r);
  }
  ASSERT_EQ(volume, n.volume());
  for (std::int64_t z = 0; z < n.z; ++z)
    for (std::int64_t y = 0; y < n.y; ++y)
      for (std::int64_t x = 0; x < n.x; ++x) ASSERT_TRUE(tree.box_of(tree.owner_of({z, y, x})).contains({z, y, x}));
}

image random_voxels(index3 domain, std::mt19937& random, unsigned one_in) {
  image voxels(static_cast<std::size_t>(domain.volume()));
  for (auto& v : voxels) v = random() % one_in == 0;
  return voxels;
}

// Oracle: the invariants of a partition, for random, empty, full and unbalanced images.
TEST(bricks, cover_the_domain_once_for_every_number_of_ranks) {
  std::mt19937 random(1);
  const index3 domain{7, 5, 6};
  image corner(static_cast<std::size_t>(domain.volume())), point = corner;
  for (std::size_t i = 0; i < 12; ++i) corner[i % 3 + 6 * (i / 3)] = 1;
  point.back() = 1;
  for (const image& voxels : {random_voxels(domain, random, 3), random_voxels(domain, random, 1), corner, point,
                              image(static_cast<std::size_t>(domain.volume()))})
    for (int ranks = 1; ranks <= 64; ++ranks) expect_partition(serial(voxels, domain, ranks));
  expect_partition(serial(corner, domain, 210));  // each box has one voxel
  for (const index3 thin : {index3{1, 1, 64}, index3{3, 3, 7}, index3{64, 1, 1}})
    expect_partition(serial(random_voxels(thin, random, 2), thin, 63));
}

// Oracle: the mean number of voxels. A deviation by the voxels of one plane of a box is permitted, because no cut can divide
// a plane.
TEST(bricks, balance_active_voxels_within_a_few_percent) {
  std::mt19937 random(2);
  const index3 domain{48, 40, 44};
  const image even = random_voxels(domain, random, 4);
  image arch = even;  // a curved plate, for which most boxes of equal size would be empty
  std::size_t i = 0;
  for (std::int64_t z = 0; z < domain.z; ++z)
    for (std::int64_t y = 0; y < domain.y; ++y)
      for (std::int64_t x = 0; x < domain.x; ++x, ++i) {
        const double r = std::hypot(static_cast<double>(y) - 5, static_cast<double>(x) - 22);
        arch[i] = r > 14 && r < 20;
      }
  for (const image& voxels : {even, arch})
    for (const int ranks : {2, 3, 5, 8, 13, 24, 64}) {
      const auto share = shares(serial(voxels, domain, ranks), voxels);
      const auto total = static_cast<double>(std::accumulate(share.begin(), share.end(), std::int64_t{0}));
      const double mean = total / ranks;
      const double granularity = std::log2(ranks) * 0.5 / std::cbrt(mean);  // half a plane of a cube per level of bisection
      EXPECT_LE(static_cast<double>(*std::max_element(share.begin(), share.end())) / mean, 1.03 + granularity) << ranks;
    }
}

// Oracle: determined by hand. If there are as many active voxels as ranks, each rank has a box with one active voxel.
TEST(bricks, leave_no_rank_without_active_voxels_if_possible) {
  const index3 domain{9, 8, 7};
  image corner(static_cast<std::size_t>(domain.volume()));
  for (const std::size_t z : {0u, 1u})
    for (const std::size_t y : {0u, 1u})
      for (const std::size_t x : {0u, 1u}) corner[(z * 8 + y) * 7 + x] = 1;
  EXPECT_EQ(shares(serial(corner, domain, 8), corner), std::vector<std::int64_t>(8, 1));
  image uneven(static_cast<std::size_t>(domain.volume()), 0);  // a full plate at the end, and one distant voxel
  std::fill(uneven.begin(), uneven.begin() + 56, material_number{1});
  uneven.back() = 1;
  for (const std::int64_t share : shares(serial(uneven, domain, 6), uneven)) EXPECT_GT(share, 0);
}

// Oracle: determined by hand. The middle of a dumb-bell has the smallest cross-section.
TEST(bricks, cut_where_little_is_solid) {
  const index3 domain{200, 20, 20};
  image voxels(static_cast<std::size_t>(domain.volume()), 1);
  for (std::int64_t z = 99; z < 102; ++z)
    for (std::int64_t i = 1; i < 400; ++i) voxels[static_cast<std::size_t>(z * 400 + i)] = 0;
  const auto tree = serial(voxels, domain, 2);
  EXPECT_EQ(tree.cuts()[0].along, 0);
  EXPECT_NEAR(static_cast<double>(tree.cuts()[0].position), 100.5, 1.6);
}

// Oracle: the tree computed by one rank alone. The preliminary parts may be planes and may be empty.
TEST(bricks, are_the_same_from_parts_on_many_ranks) {
  std::mt19937 random(3);
  const index3 domain{11, 9, 10};
  const image voxels = random_voxels(domain, random, 5);
  const int me = comm::rank(MPI_COMM_WORLD), size = comm::size(MPI_COMM_WORLD);
  const std::int64_t begin = std::min<std::int64_t>(11, 5 * me),
                     end = me + 1 == size ? 11 : std::min<std::int64_t>(11, 5 * (me + 1));
  const box3 part{{begin, 0, 0}, {end, 9, 10}};
  for (const int ranks : {1, 2, 7, 30}) {
    const auto together =
        grid::balance_bricks(MPI_COMM_WORLD, domain, part, {voxels.data() + begin * 90, part.shape()}, ranks);
    const auto expected = serial(voxels, domain, ranks);
    EXPECT_TRUE(std::equal(together.cuts().begin(), together.cuts().end(), expected.cuts().begin(), expected.cuts().end()));
  }
  EXPECT_THROW(grid::balance_bricks(MPI_COMM_WORLD, domain, part, {voxels.data() + begin * 90, part.shape()}, 991),
               usage_error);
}

// Oracle: the comparison of every pair of boxes.
TEST(box_tree, finds_the_ranks_of_a_part_and_those_that_touch) {
  std::mt19937 random(4);
  const index3 domain{13, 12, 17};
  for (const int ranks : {1, 6, 29}) {
    const auto tree = serial(random_voxels(domain, random, 3), domain, ranks);
    for (int trial = 0; trial < 50; ++trial) {
      const auto pick = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<unsigned>(n + 3)) - 2;
      };
      const box3 part{{pick(13), pick(12), pick(17)}, {pick(13), pick(12), pick(17)}};
      std::vector<int> expected;
      for (int r = 0; r < ranks; ++r)
        if (!grid::overlap(tree.box_of(r), part).empty()) expected.push_back(r);
      EXPECT_EQ(tree.ranks_overlapping(part), expected);
    }
  }
  const int me = comm::rank(MPI_COMM_WORLD), size = comm::size(MPI_COMM_WORLD);
  const auto where = grid::make_block(MPI_COMM_WORLD, serial(random_voxels(domain, random, 3), domain, size));
  for (const std::array<bool, 3> periodic : {std::array{false, false, false}, {true, true, true}, {true, false, true}})
    for (int level = 0; level < 6; ++level) {
      std::vector<int> expected;
      for (int r = 0; r < size; ++r) {
        bool touch = r != me;
        const box3 a = where.owned, b = where.boxes->box_of(r);
        for (int axis = 0; axis < 3; ++axis) {  // planes of nodes of the bricks that contain the voxels
          std::vector<std::int64_t> mine, theirs;
          const std::int64_t bricks = ((domain[axis] - 1) >> level) + 1;
          const auto planes = [&](const box3& box, std::vector<std::int64_t>& all) {
            for (std::int64_t n = box.begin[axis] >> level; n <= ((box.end[axis] - 1) >> level) + 1; ++n)
              all.push_back(periodic[static_cast<std::size_t>(axis)] ? n % bricks : n);
          };
          planes(a, mine);
          planes(b, theirs);
          touch = touch && std::find_first_of(mine.begin(), mine.end(), theirs.begin(), theirs.end()) != mine.end();
        }
        if (touch) expected.push_back(r);
      }
      EXPECT_EQ(grid::adjacent_ranks(where, level, periodic), expected);
    }
}

// Oracle: the given planes. A block of planes knows its neighbours.
TEST(box_tree, holds_planes_as_well) {
  const std::vector<std::int64_t> first{0, 2, 2, 5, 9};
  const auto tree = grid::box_tree::of_planes({9, 3, 4}, first);
  ASSERT_EQ(tree.ranks(), 4);
  EXPECT_TRUE(tree.is_planes());
  for (std::size_t r = 0; r < 4; ++r)
    EXPECT_EQ(tree.box_of(static_cast<int>(r)), (box3{{first[r], 0, 0}, {first[r + 1], 3, 4}}));
  EXPECT_EQ(tree.owner_of({2, 0, 0}), 2);  // rank 1 has no voxels
  EXPECT_EQ(tree.ranks_overlapping({{1, 0, 0}, {3, 1, 1}}), (std::vector<int>{0, 2}));
}

}  // namespace bricks_test
