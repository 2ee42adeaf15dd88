#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <studies/subdomain_mapping/block/face_halo.hpp>
#include <studies/subdomain_mapping/block/ghosted_block.hpp>
#include <support/all_cuts.hpp>

namespace face_halo_test {

using namespace osteon;
using namespace osteon::studies;

// Oracle: the value of each cell is the global number of the cell. Each ghost can therefore be checked separately. Ghosts at
// the end of the grid remain 0.
TEST(face_halo, ghosts_behind_faces_are_the_neighbours_cells) {
  const int rank = comm::rank(MPI_COMM_WORLD);
  const index3 cells{9, 8, 10};
  const auto number = [&](index3 at) { return static_cast<double>((at.z * cells.y + at.y) * cells.x + at.x + 1); };
  for (const index3 cut : test::all_cuts(comm::size(MPI_COMM_WORLD))) {
    const cartesian where(cells, cut);
    const box3 box = where.box_of(rank);
    ghosted_block<double> block(box.shape());
    face_halo<double> halo(MPI_COMM_WORLD, where);
    std::int64_t sent = 0;
    for (int round = 1; round <= 2; ++round) {  // the second round has other values
      const index3 shape = box.shape();
      for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
          for (std::int64_t x = 0; x < shape.x; ++x) block.view()(z, y, x) = round * number(box.begin + index3{z, y, x});
      halo.start(block.view());
      halo.finish(block.view());
      sent = 0;
      for (std::int64_t z = -1; z <= shape.z; ++z)
        for (std::int64_t y = -1; y <= shape.y; ++y)
          for (std::int64_t x = -1; x <= shape.x; ++x) {
            const index3 here{z, y, x}, at = box.begin + here;
            int outside = 0;
            for (int a = 0; a < 3; ++a) outside += here[a] < 0 || here[a] >= shape[a];
            const bool in_grid = box3{{}, cells}.contains(at);
            sent += outside == 1 && in_grid;
            if (outside <= 1) {
              ASSERT_EQ(block.view()(z, y, x), in_grid ? round * number(at) : 0) << at.z << " " << at.y << " " << at.x;
            }
          }
    }
    EXPECT_EQ(halo.bytes(), 8 * sent);  // the sent bytes equal the received bytes
  }
}

// Oracle: the numbering of [Ito] (x first). The numbers are determined by hand for 2 x 2 x 3 boxes of 4 x 5 x 7 cells.
TEST(cartesian, boxes_and_neighbours) {
  const cartesian where({4, 5, 7}, {2, 2, 3});
  EXPECT_EQ(where.place_of(7), (index3{1, 0, 1}));
  EXPECT_EQ(where.box_of(7), (box3{{2, 0, 2}, {4, 2, 4}}));
  EXPECT_EQ(where.neighbour(7, {0, false}), 1);
  EXPECT_EQ(where.neighbour(7, {0, true}), -1);
  EXPECT_EQ(where.neighbour(7, {1, true}), 10);
  EXPECT_EQ(where.neighbour(7, {2, false}), 6);
  EXPECT_EQ(where.neighbour(7, {2, true}), 8);
  EXPECT_EQ(where.cells_of(7, {2, true}), 4);
  EXPECT_EQ(where.cells_of(7, {0, true}), 0);
  EXPECT_THROW(cartesian({4, 5, 7}, {5, 1, 1}), usage_error);
  EXPECT_THROW(cartesian({4, 5, 7}, {1, 0, 1}), usage_error);
}

// Oracle: the rule that collective errors are thrown on all ranks.
TEST(face_halo, another_number_of_boxes_is_refused_by_all) {
  const cartesian where({4, 4, 40}, {1, 1, comm::size(MPI_COMM_WORLD) + 1});
  EXPECT_THROW(face_halo<float>(MPI_COMM_WORLD, where), usage_error);
}

}  // namespace face_halo_test
