#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>
#include <random>

#include "physics/flow_openings.hpp"

namespace flow_labels_test {

using namespace osteon;
using namespace flow_images;
using physics::face_flow;
using physics::flow_boundary;

const physics::through_options exact{1e-9, 3000, true, {}};

// Voxels with the value 1 are fluid. Voxels with 0 or a larger value are solid, and a larger value is the label value - 1.
physics::through_problem labelled(MPI_Comm comm, const image& img, std::vector<flow_boundary> boundaries,
                                  std::size_t names = 0, vector3 spacing = {1, 1, 1}) {
  const image fluid(img.shape, [&](index3 p) { return img.at(p) == 1; });
  auto problem = make_through(comm, fluid, std::move(boundaries), spacing);
  const index3 shape = problem.where.owned.shape();
  std::vector<material_number> own(static_cast<std::size_t>(shape.volume()));
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x)
        if (const auto value = img.at(problem.where.owned.begin + index3{z, y, x}); value > 1)
          own[static_cast<std::size_t>((z * shape.y + y) * shape.x + x)] = static_cast<material_number>(value - 1);
  const view3<const material_number> view(own.data(), shape);
  problem.labelled.cells = voxel::active_cells(view);
  problem.labelled.number = voxel::gather(problem.labelled.cells, view);
  for (std::size_t n = 1; n <= names; ++n) problem.labelled.names.push_back(std::to_string(n));
  return problem;
}

flow_boundary on_label(int label, face_flow kind, double value = 0, bool is_developed = false) {
  flow_boundary b = on(axis::z, false, kind, value, is_developed);
  b.is_inside = true;
  b.label = static_cast<material_number>(label);
  b.name = "label " + std::to_string(label);
  return b;
}

physics::through_flow solve_it(const physics::through_problem& problem, const physics::through_options& how = exact) {
  const auto answer = physics::solve_flow_through(problem, how, null_log());
  EXPECT_TRUE(answer.flows[0].certificate.converged);
  return answer.flows[0];
}

// The quantities that the tests compare between flows.
std::vector<double> numbers_of(const physics::through_flow& f) {
  std::vector<double> all{f.inflow_mm3_per_s, f.pressure_drop_Pa, f.mean_speed_mm_per_s, f.highest_speed_mm_per_s,
                          f.mean_wall_shear_Pa};
  for (const auto& b : f.boundaries) all.insert(all.end(), {b.inflow_mm3_per_s, b.mean_pressure_Pa, b.area_mm2});
  for (int a = 0; a < 3; ++a) all.push_back(f.force_on_solid_N[a] * 1e6);
  return all;
}

void expect_same(const physics::through_flow& a, const physics::through_flow& b, double tolerance) {
  const auto p = numbers_of(a), q = numbers_of(b);
  ASSERT_EQ(p.size(), q.size());
  double scale = 0;
  for (const double v : p) scale = std::max(scale, std::abs(v));
  for (std::size_t n = 0; n < p.size(); ++n) EXPECT_NEAR(p[n], q[n], tolerance * scale) << n;
}

// Oracle: the force on the whole solid, which balances the pressure drop.
TEST(flow_labels, share_the_force_among_them) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  std::mt19937 random(11);
  const image img({7, 8, 9}, [&](index3) {
    return random() % 5 != 0 ? 1 : static_cast<int>(random() % 4) + 1 == 1 ? 0 : static_cast<int>(random() % 3) + 2;
  });
  for (const bool inertia : {false, true}) {
    auto problem =
        labelled(comm, img, {on(axis::z, false, face_flow::velocity, 2), on(axis::z, true, face_flow::outlet)}, 3);
    problem.has_inertia = inertia;
    const auto flow = solve_it(problem, {1e-5, 1000, false, {}});
    ASSERT_EQ(flow.force_on_label_N.size(), 3U);
    // The force on the solid without a label is found by a job in which this solid has a label.
    const image rest(img.shape, [&](index3 p) { return img.at(p) == 1 ? 1 : img.at(p) == 0 ? 2 : 3; });
    auto others = labelled(comm, rest, problem.boundaries, 2);
    others.has_inertia = inertia;
    const auto of_rest = solve_it(others, {1e-5, 1000, false, {}});
    for (int a = 0; a < 3; ++a) {
      const double scale = std::abs(flow.force_on_solid_N.z);
      double sum = of_rest.force_on_label_N[0][a];
      for (const vector3& n : flow.force_on_label_N) sum += n[a];
      EXPECT_NEAR(sum, flow.force_on_solid_N[a], 1e-12 * scale);
      EXPECT_NE(flow.force_on_label_N[0][a], flow.force_on_label_N[1][a]);
      EXPECT_NEAR(of_rest.force_on_label_N[0][a] + of_rest.force_on_label_N[1][a], flow.force_on_solid_N[a], 1e-12 * scale);
    }
  }
}

// Oracle: symmetry, and the balance of momentum of a channel whose walls are the faces of the image.
TEST(flow_labels, of_two_mirrored_blocks_feel_mirrored_forces) {
  const ranks_with_a_plane comm(10);
  if (comm == MPI_COMM_NULL) return;
  const image img({10, 12, 4}, [](index3 p) {
    if (p.z < 4 || p.z > 5) return 1;
    return p.y >= 2 && p.y < 5 ? 2 : p.y >= 7 && p.y < 10 ? 3 : 1;
  });
  const auto flow = solve_it(labelled(comm, img,
                                      {on(axis::z, false, face_flow::pressure, 5), on(axis::z, true, face_flow::pressure, 1),
                                       on(axis::y, false, face_flow::slip), on(axis::y, true, face_flow::slip),
                                       on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip)},
                                      2));
  const double drop = 1e-6 * 4 * 12 * 4;
  EXPECT_NEAR(flow.force_on_solid_N.z, drop, 1e-6 * drop);
  EXPECT_NEAR(flow.force_on_label_N[0].z, drop / 2, 1e-6 * drop);
  EXPECT_NEAR(flow.force_on_label_N[1].z, drop / 2, 1e-6 * drop);
  EXPECT_NEAR(flow.force_on_label_N[0].y, -flow.force_on_label_N[1].y, 1e-6 * drop);
}

// Oracle: the image that is cropped at the beginning of the label, with openings at its faces.
TEST(flow_labels, open_a_pipe_as_its_cropped_end_does) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  constexpr std::int64_t n = 6, more = 2;
  std::mt19937 random(5);
  std::vector<int> solid(static_cast<std::size_t>(n * n * n));
  for (int& s : solid) s = random() % 5 == 0;
  for (const axis along : {axis::z, axis::y, axis::x})
    for (const int kind : {0, 1, 2}) {
      const int a = static_cast<int>(along);
      if (kind != a && kind != 2 - a) continue;
      const auto inner = [&](index3 p) { return solid[static_cast<std::size_t>((p.z * n + p.y) * n + p.x)] ? 0 : 1; };
      index3 shape{n, n, n};
      const image cropped(shape, inner);
      shape[a] += 2 * more;
      const image whole(shape, [&](index3 p) {
        p[a] -= more;
        return p[a] < 0 ? 2 : p[a] >= n ? 3 : inner(p);
      });
      const face_flow in = kind == 0 ? face_flow::pressure : kind == 1 ? face_flow::flow_rate : face_flow::velocity;
      const face_flow out = kind == 0 ? face_flow::pressure : face_flow::outlet;
      const bool is_developed = kind == 1;
      auto one = labelled(comm, cropped, {on(along, false, in, 3, is_developed), on(along, true, out, 1)});
      auto other = labelled(comm, whole, {on_label(1, in, 3, is_developed), on_label(2, out, 1)});
      one.has_inertia = other.has_inertia = kind == 2;
      expect_same(solve_it(one), solve_it(other), 1e-7);
    }
}

// A cross with a label in a box of fluid with pores. The opening has steps, and convex and concave edges.
image with_a_source(index3 shape, unsigned seed) {
  std::mt19937 random(seed);
  return {shape, [&](index3 p) {
            const bool is_solid = random() % 8 == 0;
            int across = 0, along = 0;
            for (int a = 0; a < 3; ++a) across += p[a] == 3 || p[a] == 4, along += p[a] >= 2 && p[a] <= 5;
            if (across >= 2 && along == 3) return 2;
            return is_solid ? 0 : 1;
          }};
}

// Oracle: the same image on one rank, mirrored, and rotated.
TEST(flow_labels, open_inside_alike_on_any_ranks_and_axes) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  const image img = with_a_source({8, 8, 8}, 4);
  for (const face_flow kind : {face_flow::pressure, face_flow::outlet, face_flow::flow_rate})
    for (const bool inertia : {false, true}) {
      if (inertia && kind != face_flow::outlet) continue;
      const double value = kind == face_flow::outlet ? 0 : 7;
      const face_flow other = kind == face_flow::outlet ? face_flow::velocity : face_flow::outlet;
      const auto flow_along = [&](MPI_Comm on_ranks, axis along, bool backwards) {
        const image turned(img.shape, [&](index3 p) {
          const int a = static_cast<int>(along);
          return img.at({backwards ? 7 - p[a] : p[a], p[(a + 1) % 3], p[(a + 2) % 3]});
        });
        auto problem = labelled(on_ranks, turned, {on_label(1, kind, value), on(along, !backwards, other, 2)}, 0);
        problem.has_inertia = inertia;
        problem.density_kg_per_m3 = 1e5;
        auto flow = solve_it(problem);
        EXPECT_LT(std::abs(flow.imbalance), 1e-6);
        const int a = static_cast<int>(along);
        const vector3 f = flow.force_on_solid_N;
        flow.force_on_solid_N = {(backwards ? -1 : 1) * f[a], f[(a + 1) % 3], f[(a + 2) % 3]};
        return flow;
      };
      const auto one = flow_along(MPI_COMM_SELF, axis::z, false);
      EXPECT_GT(one.boundaries[0].faces, 40);
      expect_same(one, flow_along(comm, axis::z, false), 1e-6);
      if (kind == face_flow::flow_rate) continue;
      expect_same(one, flow_along(comm, axis::y, true), 1e-6);
      if (inertia) continue;
      expect_same(one, flow_along(comm, axis::x, false), 1e-6);
      expect_same(one, flow_along(comm, axis::z, true), 1e-6);
    }
}

// Oracle: a sheet of one voxel between two channels is an opening at the ends of both channels.
TEST(flow_labels, of_one_voxel_open_to_both_sides) {
  const ranks_with_a_plane comm(9);
  if (comm == MPI_COMM_NULL) return;
  for (const axis along : {axis::z, axis::y}) {
    const int a = static_cast<int>(along);
    index3 shape{9, 9, 9}, half{9, 9, 9};
    half[a] = 4;
    const image img(shape, [&](index3 p) { return p[a] == 4 ? 2 : 1; });
    const auto both = solve_it(labelled(comm, img,
                                        {on_label(1, face_flow::pressure, 4), on(along, false, face_flow::outlet, 1),
                                         on(along, true, face_flow::outlet, 1)}));
    const ranks_with_a_plane fewer(4);
    EXPECT_NEAR(both.boundaries[1].inflow_mm3_per_s, both.boundaries[2].inflow_mm3_per_s, 1e-6 * both.inflow_mm3_per_s);
    const image one_half(half, [](index3) { return 1; });
    const auto one = solve_it(make_through(
        MPI_COMM_SELF, one_half, {on(along, true, face_flow::pressure, 4), on(along, false, face_flow::outlet, 1)}));
    EXPECT_NEAR(both.boundaries[1].inflow_mm3_per_s, one.boundaries[1].inflow_mm3_per_s, 1e-6 * one.inflow_mm3_per_s);
  }
}

// Oracle: moving walls and slip faces of the cropped image, and Couette's force.
TEST(flow_labels, slide_and_slip_as_faces_of_the_image_do) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image cropped({6, 5, 3}, [](index3) { return 1; });
  const image whole({6, 7, 3}, [](index3 p) { return p.y == 0 ? 2 : p.y == 6 ? 3 : 1; });
  const auto lid = [](flow_boundary b) {
    b.slide_mm_per_s.z = 3;
    return b;
  };
  const std::vector<flow_boundary> sides{on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip),
                                         on(axis::z, false, face_flow::pressure, 1),
                                         on(axis::z, true, face_flow::pressure, 0)};
  const auto join = [&](std::vector<flow_boundary> some) {
    some.insert(some.end(), sides.begin(), sides.end());
    return some;
  };
  for (const bool slips : {false, true}) {
    const auto floor = slips ? face_flow::slip : face_flow::wall;
    auto one = solve_it(labelled(comm, cropped, join({lid(on(axis::y, false, face_flow::wall)), on(axis::y, true, floor)})));
    auto other = solve_it(labelled(comm, whole, join({lid(on_label(1, face_flow::wall)), on_label(2, floor)}), 2));
    // The walls are solid, so that the whole pressure drop acts on the walls.
    const double drop = 1e-6 * 5 * 3;
    EXPECT_NEAR(other.force_on_solid_N.z, drop, 1e-6 * drop);
    EXPECT_NEAR(other.force_on_label_N[0].z + other.force_on_label_N[1].z, drop, 1e-6 * drop);
    if (slips) {
      EXPECT_NEAR(other.force_on_label_N[1].z, 0, 1e-9 * drop);
    }
    one.force_on_solid_N = other.force_on_solid_N = {};
    expect_same(one, other, 1e-6);
  }
}

// The conditions refer to any solid in a ball, and to one side of a label.
TEST(flow_labels, may_be_parts_of_surfaces) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  // A plug in a pipe. There is fluid on both sides of the plug.
  const image img({8, 4, 4}, [](index3 p) { return p.z == 3 || p.z == 4 ? 2 : 1; });
  auto plug = on_label(1, face_flow::velocity, 2);
  plug.only_side = 1;  // the side faces the high end
  const auto flow = solve_it(labelled(comm, img, {plug, on(axis::z, true, face_flow::outlet)}));
  EXPECT_EQ(flow.boundaries[0].faces, 16);
  EXPECT_NEAR(flow.boundaries[1].inflow_mm3_per_s, -32, 1e-5);
  auto any = on_label(0, face_flow::velocity, 2);
  any.low_mm.z = 4;
  const image plain({8, 4, 4}, [](index3 p) { return p.z == 3 || p.z == 4 ? 5 : 1; });  // a solid without a name
  expect_same(flow, solve_it(labelled(comm, plain, {any, on(axis::z, true, face_flow::outlet)})), 1e-9);
}

// Oracle: the steady flow.
TEST(flow_labels, open_a_flow_in_time) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  auto problem = labelled(comm, with_a_source({8, 8, 8}, 4),
                          {on_label(1, face_flow::pressure, 30), on(axis::z, true, face_flow::outlet)}, 1);
  problem.has_inertia = true;
  problem.density_kg_per_m3 = 1e5;
  const auto steady = solve_it(problem, {1e-7, 2000, true, {}});
  physics::flow_time_plan plan;
  plan.end_s = 20;
  plan.step_s = 0;
  plan.record_every_s = 20;
  plan.steady_change_per_s = 1e-7;
  const auto settled = physics::solve_transient_flow(problem, plan, {1e-7, 500, false, {}}, nullptr, {}, null_log());
  EXPECT_TRUE(settled.is_steady);
  auto last = settled.history.back().flow;
  expect_same(steady, last, 2e-5);
}

template <class Error>
std::string fault_of(const physics::through_problem& problem) {
  try {
    physics::check_flow_through(problem, exact);
  } catch (const Error& e) {
    return e.what();
  }
  return "no fault";
}

TEST(flow_labels, reject_contradictions) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const auto holds = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const image img({6, 4, 4}, [](index3 p) { return p.z == 0 ? 2 : p.z == 5 ? p.y < 2 ? 3 : 0 : 1; });
  const auto out = on_label(2, face_flow::outlet);
  holds(fault_of<usage_error>(
            labelled(comm, img, {on_label(1, face_flow::velocity, 1), on_label(1, face_flow::pressure), out})),
        "conditions on the same label");
  holds(fault_of<data_error>(labelled(comm, img, {on_label(1, face_flow::velocity, 1), on_label(7, face_flow::outlet)})),
        "label 7 has no voxel face in common with the fluid");
  holds(fault_of<usage_error>(labelled(comm, img, {on_label(1, face_flow::velocity, 1)})), "connects it to another opening");
  auto left = on_label(1, face_flow::velocity, 1), right = left;
  left.high_mm.x = 3;
  right.low_mm.x = 2;
  holds(fault_of<usage_error>(labelled(comm, img, {left, right, out})), "overlap on a voxel face");
  const image stepped({6, 4, 4}, [](index3 p) { return p.z == 0 || (p.z == 1 && p.y == 0) ? 2 : p.z == 5 ? 3 : 1; });
  holds(fault_of<usage_error>(labelled(comm, stepped, {on_label(1, face_flow::velocity, 1, true), out})), "in one plane");
}

}  // namespace flow_labels_test
