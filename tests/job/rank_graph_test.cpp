#include <gtest/gtest.h>

#include <osteon/job/placement/rank_graph.hpp>

namespace rank_graph_test {

using namespace osteon;

// Oracle: counted by hand. Four planes have 6, 2, 2 and 2 voxels of bone. The cut for two ranks leaves 6 voxels on each
// rank.
TEST(rank_graph, planes_are_a_chain_weighed_by_the_voxels_at_their_cuts) {
  job::spec job;
  job.run.decomposition = job::cut_of_image::planes;
  job.physics = "heat";
  const std::vector<std::int64_t> active{6, 2, 2, 2};
  const auto g = job::rank_graph(job, {4, 4, 4}, active, 2);
  EXPECT_EQ(g.to, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(g.weight, (std::vector<std::int64_t>{2 * 8, 2 * 8}));
  job.physics = "elasticity";
  EXPECT_EQ(job::rank_graph(job, {4, 4, 4}, active, 2).weight[0], 2 * 24);
  job.physics = "thermo_elasticity";  // the elastic system of this job is the larger system
  EXPECT_EQ(job::rank_graph(job, {4, 4, 4}, active, 2).weight[0], 2 * 24);
  EXPECT_EQ(job::values_per_node(job), 3);
}

// Oracle: a cube of 8 bricks. Each brick has three neighbours across faces, three across edges and one across a corner.
// Faces of 4 x 4 voxels have the largest weight, and half of the voxels are bone.
TEST(rank_graph, bricks_of_a_cube) {
  job::spec job;
  job.run.decomposition = job::cut_of_image::bricks;
  job.physics = "heat";
  const std::vector<std::int64_t> active(8, 32);
  const auto g = job::rank_graph(job, {8, 8, 8}, active, 8);
  ASSERT_EQ(g.size(), 8);
  for (int v = 0; v < 8; ++v) {
    ASSERT_EQ(g.neighbours(v).size(), 7U);
    for (std::size_t n = 0; n < 7; ++n) {
      // Ranks are numbered by bisection. Each bit of a number is therefore the side of a rank along one axis.
      const int apart = __builtin_popcount(static_cast<unsigned>(v ^ g.neighbours(v)[n]));
      EXPECT_EQ(g.weights(v)[n], 8 * (apart == 1 ? 8 : apart == 2 ? 2 : 1)) << v << " " << g.neighbours(v)[n];
    }
  }
}

}  // namespace rank_graph_test
