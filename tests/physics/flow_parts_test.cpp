#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/numerics/operators/connected_parts.hpp>

#include "physics/flow_images.hpp"

namespace flow_parts_test {

using namespace osteon;
using namespace flow_images;
using physics::flow_surroundings;

numerics::flow_parts parts_of(MPI_Comm comm, const image& img, bool periodic) {
  const auto problem = make_problem(comm, img, {axis::z}, flow_surroundings::periodic);
  return numerics::find_flow_parts(problem.where, problem.cells, periodic, 7);
}

std::uint8_t union_of(MPI_Comm comm, const numerics::flow_parts& parts) {
  std::uint8_t bits = 0;
  for (const auto b : parts.through) bits |= b;
  MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_UINT8_T, MPI_BOR, comm);
  return bits;
}

// Oracle: determined by hand. There are channels along one axis, a channel that returns through the other side, and a
// channel that rises along its loop.
TEST(flow_parts, lead_through_if_they_come_back_in_another_period) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  for (int a = 0; a < 3; ++a) {
    const image channel({6, 6, 6}, [&](index3 p) {
      p[a] = 3;
      return p == index3{3, 3, 3};
    });
    for (const bool periodic : {true, false}) EXPECT_EQ(union_of(comm, parts_of(comm, channel, periodic)), 1U << a);
  }
  // The part touches both faces of z, but from above and below one solid plane.
  const image bay({6, 3, 3}, [](index3 p) { return p.z != 3 && p.y == 1 && p.x == 1; });
  EXPECT_EQ(union_of(comm, parts_of(comm, bay, true)), 0);
  EXPECT_EQ(parts_of(comm, bay, true).parts, 1);
  EXPECT_EQ(parts_of(comm, bay, false).parts, 2);
  // A staircase, in which one period along z includes one period along x.
  const image stairs({6, 3, 6}, [](index3 p) { return p.y == 1 && (p.x == p.z || p.x == (p.z + 1) % 6); });
  EXPECT_EQ(union_of(comm, parts_of(comm, stairs, true)), 5);
  EXPECT_EQ(parts_of(comm, stairs, true).flowing_parts, 1);
}

// Oracle: topology.
TEST(flow_parts, without_a_way_through_have_no_permeability_and_are_not_solved) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image img({6, 6, 6}, [](index3 p) { return p.z != 3 && p.y < 4; });
  for (const auto around : {flow_surroundings::periodic, flow_surroundings::mirrored, flow_surroundings::closed}) {
    const auto answer =
        physics::solve_permeability(make_problem(comm, img, {axis::z, axis::x, axis::y}, around), tight, null_log());
    EXPECT_FALSE(answer.directions[0].percolates);
    EXPECT_EQ(answer.directions[0].permeability_mm2, 0);
    EXPECT_EQ(answer.directions[0].certificate.iterations, 0);
    EXPECT_TRUE(answer.directions[0].certificate.converged);
    EXPECT_TRUE(answer.directions[1].percolates);
    EXPECT_GT(answer.directions[1].permeability_mm2, 0);
    EXPECT_EQ(answer.tensor_mm2[0], (std::array<double, 3>{}));
    EXPECT_EQ(answer.counts.fluid, 5 * 4 * 6);
  }
}

// Oracle: determined by hand for a duct 3 voxels wide and an island in closed sides.
TEST(flow_parts, are_counted) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image img({6, 8, 8}, [](index3 p) {
    return (p.y >= 1 && p.y < 4 && p.x >= 1 && p.x < 7) || (p.z == 2 && p.y == 6 && p.x == 6);
  });
  const auto answer = physics::solve_permeability(make_problem(comm, img, {axis::z}, flow_surroundings::closed, {1, 1, 1}),
                                                  tight, null_log());
  EXPECT_EQ(answer.counts.parts, 2);
  EXPECT_EQ(answer.counts.flowing_parts, 1);
  EXPECT_EQ(answer.counts.fluid, 6 * 18 + 1);
  EXPECT_EQ(answer.counts.flowing, 6 * 18);
  EXPECT_EQ(answer.counts.thin, 6 * 18);
  EXPECT_EQ(answer.counts.wetted_faces, 6 * 18);
  EXPECT_DOUBLE_EQ(answer.hydraulic_diameter_mm, 4);
}

TEST(flow_parts, that_nothing_holds_back_are_refused) {
  const ranks_with_a_plane comm(3);
  if (comm == MPI_COMM_NULL) return;
  const image all({3, 3, 3}, [](index3) { return 1; }), none({3, 3, 3}, [](index3) { return 0; });
  const auto solved = [&](const image& img, flow_surroundings around) {
    return physics::solve_permeability(make_problem(comm, img, {axis::z}, around), tight, null_log());
  };
  EXPECT_THROW(solved(all, flow_surroundings::periodic), data_error);
  EXPECT_THROW(solved(all, flow_surroundings::mirrored), data_error);
  EXPECT_GT(solved(all, flow_surroundings::closed).directions[0].permeability_mm2, 0);
  EXPECT_THROW(solved(none, flow_surroundings::closed), data_error);
  auto wrong = make_problem(comm, all, {axis::z, axis::z}, flow_surroundings::closed);
  wrong.viscosity_Pa_s = 0;
  try {
    physics::check_permeability(wrong, {});
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("viscosity"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("direction z is listed 2 times"), std::string::npos);
  }
}

// By hand.
TEST(flow_parts, fluid_is_a_choice_of_labels) {
  const std::vector<material_number> labels{0, 1, 1, 2, 0, 0, 2, 0};
  const view3<const material_number> image(labels.data(), {1, 1, 8});
  const auto active = voxel::active_cells(image);
  const auto material = voxel::gather(active, image);
  const auto runs = [&](std::vector<material_number> fluid) {
    std::vector<std::array<int, 2>> list;
    const voxel::run_set cells = physics::fluid_cells(active, material, fluid);
    for (const auto& r : cells.runs()) list.push_back({r.x, r.length});
    return list;
  };
  using list = std::vector<std::array<int, 2>>;
  EXPECT_EQ(runs({0}), (list{{0, 1}, {4, 2}, {7, 1}}));
  EXPECT_EQ(runs({2}), (list{{3, 1}, {6, 1}}));
  EXPECT_EQ(runs({0, 2}), (list{{0, 1}, {3, 5}}));
  EXPECT_EQ(runs({0, 1, 2}), (list{{0, 8}}));
}

}  // namespace flow_parts_test
