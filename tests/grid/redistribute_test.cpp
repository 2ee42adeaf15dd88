#include <gtest/gtest.h>

#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/redistribute.hpp>

#include "sample_bricks.hpp"

namespace redistribute_test {

using namespace osteon;

// Planes that are distributed so that some ranks have no planes.
grid::box_tree lopsided_planes(index3 domain) {
  const int size = comm::size(MPI_COMM_WORLD);
  std::vector<std::int64_t> first;
  for (int r = 0; r < size; ++r) first.push_back(std::min<std::int64_t>(domain.z, r / 2 * 3));
  first.push_back(domain.z);
  return grid::box_tree::of_planes(domain, first);
}

// Oracle: the value of a voxel is its global number.
TEST(redistribute, takes_planes_to_bricks_and_back) {
  const index3 domain{8, 7, 9};
  const int me = comm::rank(MPI_COMM_WORLD);
  const auto planes = lopsided_planes(domain), bricks = sample::bricks(domain, {});
  const auto bytes = sample::numbers<material_number>(domain, planes.box_of(me));
  const auto moved = grid::redistribute<material_number>(MPI_COMM_WORLD, planes, bricks, bytes);
  EXPECT_EQ(moved, sample::numbers<material_number>(domain, bricks.box_of(me)));
  EXPECT_EQ(grid::redistribute<material_number>(MPI_COMM_WORLD, bricks, planes, moved), bytes);

  // The field has three components. NaN remains NaN.
  auto values = sample::numbers<float>(
      {8, 7, 27}, {{bricks.box_of(me).begin.z, bricks.box_of(me).begin.y, 3 * bricks.box_of(me).begin.x},
                   {bricks.box_of(me).end.z, bricks.box_of(me).end.y, 3 * bricks.box_of(me).end.x}});
  for (float& v : values)
    if (static_cast<int>(v) % 5 == 0) v = std::numeric_limits<float>::quiet_NaN();
  const auto back = grid::redistribute<float>(MPI_COMM_WORLD, bricks, planes, values, 3);
  const std::int64_t first = planes.box_of(me).begin.z * 7 * 27;
  ASSERT_EQ(std::ssize(back), 3 * planes.box_of(me).volume());
  for (std::size_t i = 0; i < back.size(); ++i) {
    const std::int64_t number = first + static_cast<std::int64_t>(i);
    if (number % 5 == 0)
      ASSERT_NE(back[i], back[i]);
    else
      ASSERT_EQ(back[i], static_cast<float>(number));
  }

  const bool last = me + 1 == comm::size(MPI_COMM_WORLD);
  const std::vector<float> wrong(values.begin(), values.end() - (last ? 1 : 0));
  EXPECT_THROW(grid::redistribute<float>(MPI_COMM_WORLD, bricks, planes, wrong, 3), usage_error);
}

// Oracle: the value of a node is its global number. Each rank stores only some of the nodes that it shares.
TEST(redistribute_nodes, joins_values_of_all_ranks) {
  const index3 domain{8, 5, 6}, nodes{9, 6, 7};
  const int me = comm::rank(MPI_COMM_WORLD);
  const auto bricks = sample::bricks(domain, {}), planes = lopsided_planes(nodes);
  const box3 mine = bricks.box_of(me);
  const box3 corners{mine.begin, mine.end + index3{1, 1, 1}};
  auto values = sample::numbers<float>(nodes, corners);
  std::size_t i = 0;
  for (std::int64_t z = corners.begin.z; z < corners.end.z; ++z)
    for (std::int64_t y = corners.begin.y; y < corners.end.y; ++y)
      for (std::int64_t x = corners.begin.x; x < corners.end.x; ++x, ++i) {
        const bool inner = x > corners.begin.x || x == 0;  // only the rank below stores the nodes of the low x face
        if (!inner || static_cast<int>(values[i]) % 7 == 0) values[i] = std::numeric_limits<float>::quiet_NaN();
      }
  const auto joined = grid::redistribute_nodes(MPI_COMM_WORLD, bricks, planes, values);
  const auto expected = sample::numbers<float>(nodes, planes.box_of(me));
  ASSERT_EQ(joined.size(), expected.size());
  for (std::size_t k = 0; k < joined.size(); ++k) {
    if (static_cast<int>(expected[k]) % 7 == 0)
      ASSERT_NE(joined[k], joined[k]);
    else
      ASSERT_EQ(joined[k], expected[k]);
  }
}

}  // namespace redistribute_test
