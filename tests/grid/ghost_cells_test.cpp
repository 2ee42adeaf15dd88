#include <gtest/gtest.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/grid/ghost_cells.hpp>

#include "sample_bricks.hpp"

namespace ghost_cells_test {

using namespace osteon;

// Oracle: the value of a voxel is its global number. Every voxel can therefore be checked independently.
TEST(ghost_cells, hold_the_neighbours_values_even_through_thin_blocks) {
  const index3 domain{9, 5, 4};
  const std::vector<std::int64_t> weight(9, 1);
  for (const grid::block& where :
       {grid::make_block(MPI_COMM_WORLD, domain, weight), grid::make_block(MPI_COMM_WORLD, sample::bricks(domain, {}))}) {
    const std::vector<float> owned = sample::numbers<float>(domain, where.owned);
    for (int depth = 0; depth <= 4; ++depth) {
      const auto field = grid::with_ghost_cells(where, owned, depth);

      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(field.present.begin[axis], std::max<std::int64_t>(0, where.owned.begin[axis] - depth));
        EXPECT_EQ(field.present.end[axis], std::min(domain[axis], where.owned.end[axis] + depth));
      }
      ASSERT_EQ(field.values, sample::numbers<float>(domain, field.present));
    }
  }
}

}  // namespace ghost_cells_test
