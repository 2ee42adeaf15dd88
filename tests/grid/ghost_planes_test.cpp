#include <gtest/gtest.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/grid/ghost_planes.hpp>

using namespace osteon;

// Oracle: the value of a voxel is its global number, so every plane can be checked by itself.
TEST(ghost_planes, hold_the_neighbours_values_even_through_thin_blocks) {
  const index3 domain{9, 3, 4};
  const std::vector<std::int64_t> weight(9, 1);
  const grid::block where = grid::make_block(MPI_COMM_WORLD, domain, weight);
  const std::int64_t plane = domain.y * domain.x;
  std::vector<float> owned(static_cast<std::size_t>(where.owned.volume()));
  for (std::size_t i = 0; i < owned.size(); ++i)
    owned[i] = static_cast<float>(where.owned.begin.z * plane + static_cast<std::int64_t>(i));

  for (int depth = 0; depth <= 4; ++depth) {
    const auto field = grid::with_ghost_planes(where, owned, depth);

    EXPECT_EQ(field.begin, std::max<std::int64_t>(0, where.owned.begin.z - depth));
    EXPECT_EQ(field.end, std::min<std::int64_t>(9, where.owned.end.z + depth));
    for (std::size_t i = 0; i < field.values.size(); ++i)
      ASSERT_EQ(field.values[i], static_cast<float>(field.begin * plane + static_cast<std::int64_t>(i)));
  }
}
