#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transport/residence_time.hpp>

#include "physics/flow_openings.hpp"

namespace flow_residence_test {

using namespace osteon;
using namespace flow_images;

struct setting {
  image img;
  double speed = 2;
  bool slips = false;  // slip along the walls of y and x
  double diffusivity = 1e-6;
};

physics::residence_problem make_ages(MPI_Comm comm, const setting& s) {
  std::vector<flow_boundary> boundaries{on(axis::z, false, face_flow::velocity, s.speed, !s.slips),
                                        on(axis::z, true, face_flow::outlet)};
  if (s.slips)
    for (const axis a : {axis::y, axis::x})
      for (const bool high : {false, true}) boundaries.push_back(on(a, high, face_flow::slip));
  const physics::through_problem flow = make_through(comm, s.img, boundaries);
  physics::through_options how{1e-10, 2000, true, {}};
  how.faces = true;
  const auto answer = physics::solve_flow_through(flow, how, null_log());
  EXPECT_TRUE(answer.flows[0].certificate.converged);
  return {flow.where, flow.spacing_mm, flow.cells, boundaries, answer.face_velocity_mm_per_s, s.diffusivity};
}

physics::residence_solution solve_ages(const physics::residence_problem& p) {
  auto answer = physics::solve_residence_time(p, {1e-8, 500, nullptr}, null_log());
  EXPECT_TRUE(answer.certificate.converged);
  return answer;
}

double age_at(const physics::residence_problem& p, const physics::residence_solution& s, index3 voxel) {
  double value = -1e300;
  const index3 own = voxel - p.where.owned.begin;
  if (p.where.owned.contains(voxel))
    value = static_cast<double>(s.age_s[static_cast<std::size_t>(p.fluid.find(own.z, own.y, own.x))]);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, p.where.comm);
  return value;
}

image box(index3 shape) {
  return {shape, [](index3) { return 1; }};
}

// Oracle: the distance divided by the speed, to half a voxel. Half a voxel is the maximum error of convection by limited
// differences.
TEST(flow_residence, plug_flow_is_as_old_as_its_way) {
  const ranks_with_a_plane comm(20);
  if (comm == MPI_COMM_NULL) return;
  const setting s{box({20, 3, 3}), 2, true};
  const auto p = make_ages(comm, s);
  const auto a = solve_ages(p);
  for (std::int64_t z = 0; z < 20; ++z) EXPECT_NEAR(age_at(p, a, {z, 1, 1}), (static_cast<double>(z) + 0.5) / 2, 0.26);
  EXPECT_NEAR(a.leaving.mean, 10, 1e-5);
  EXPECT_NEAR(a.leaving.median, 10, 1e-5);
  EXPECT_NEAR(a.leaving.p95, 10, 1e-5);
  EXPECT_NEAR(a.inside.mean, 5, 0.26);
  EXPECT_NEAR(a.outflow_mm3_per_s, 18, 1e-6);
  EXPECT_EQ(a.volume_mm3, 180);
  EXPECT_EQ(a.stagnant_share, 0);
}

// Oracle: a = z/u + D/u^2 (1 - exp(u (z - L) / D)) in a closed vessel with dispersion. The error is of second order in the
// voxel size.
TEST(flow_residence, dispersion_in_a_closed_vessel_has_the_closed_form) {
  double errors[2] = {0, 0};
  for (int fine = 0; fine < 2; ++fine) {
    const std::int64_t n = fine ? 40 : 20;
    const ranks_with_a_plane comm(n);
    if (comm == MPI_COMM_NULL) continue;
    // The vessel is unchanged. Its length is 20, with twice as many voxels of half the size.
    setting s{box({n, 2, 2}), 2, true, 8};
    if (fine) s.diffusivity *= 4, s.speed *= 2;  // values in voxels
    const auto p = make_ages(comm, s);
    const auto a = solve_ages(p);
    const double u = s.speed, d = s.diffusivity, length = static_cast<double>(n);
    for (std::int64_t z = 0; z < n; ++z) {
      const double at = static_cast<double>(z) + 0.5;
      const double exact = at / u + d / (u * u) * (1 - std::exp(u * (at - length) / d));
      errors[fine] = std::max(errors[fine], std::abs(age_at(p, a, {z, 0, 0}) / exact - 1));
    }
    EXPECT_NEAR(a.leaving.mean, length / u, 1e-5);
  }
  EXPECT_LT(errors[0], 0.02);
  if (errors[1] > 0) {
    EXPECT_GT(errors[0], 2.5 * errors[1]);
  }
}

// Oracle: an ideally mixed vessel has one age at every point, volume divided by flow rate.
TEST(flow_residence, mixed_fluid_is_of_one_age) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  const auto p = make_ages(comm, {box({8, 6, 4}), 2, false, 1e4});
  const auto a = solve_ages(p);
  for (const double age : {a.leaving.mean, a.leaving.median, a.inside.mean, a.inside.p95, a.inside.high})
    EXPECT_NEAR(age, 4, 1e-2);
}

// Oracles: the mean age is volume divided by flow rate, for any diffusion. Only diffusion renews a pocket, so that its age
// exceeds h^2 / D. Closed pores are never renewed.
TEST(flow_residence, pockets_grow_old_and_closed_pores_have_no_age) {
  const ranks_with_a_plane comm(12);
  if (comm == MPI_COMM_NULL) return;
  setting s{box({12, 10, 3}), 2, false, 0.05};
  for (std::int64_t z = 0; z < 12; ++z)
    for (std::int64_t y = 4; y < 10; ++y)
      for (std::int64_t x = 0; x < 3; ++x) {
        const bool pocket = z == 6 && y < 8, closed = z == 2 && y > 6 && y < 9;
        if (!pocket && !closed) s.img.voxels[static_cast<std::size_t>((z * 10 + y) * 3 + x)] = 0;
      }
  const auto p = make_ages(comm, s);
  const auto a = solve_ages(p);
  const double volume = 12 * 4 * 3 + 4 * 3, rate = 2 * 12;
  EXPECT_NEAR(a.volume_mm3, volume, 1e-9);
  EXPECT_NEAR(a.leaving.mean, volume / rate, 1e-5 * volume / rate);
  EXPECT_GT(age_at(p, a, {6, 7, 1}), 4 * 4 / (2 * 0.05) / 2);
  EXPECT_NEAR(a.inside.high, std::max(age_at(p, a, {6, 7, 1}), age_at(p, a, {6, 7, 0})), 1e-3);
  std::int64_t nowhere = 0;
  for (const float v : a.age_s) nowhere += std::isnan(v);
  MPI_Allreduce(MPI_IN_PLACE, &nowhere, 1, MPI_INT64_T, MPI_SUM, comm);
  EXPECT_EQ(nowhere, 2 * 3);
  EXPECT_GE(a.stagnant_share, (2 * 3 + 2 * 3) / (volume + 2 * 3));
  EXPECT_LE(a.stagnant_share, (2 * 3 + 4 * 3 + 8) / (volume + 2 * 3));
}

// Oracle: invalid input is refused on all ranks.
TEST(flow_residence, rejects_invalid_input) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  auto p = make_ages(comm, {box({6, 3, 3}), 2, true, 1});
  p.diffusivity_mm2_per_s = 0;
  EXPECT_THROW(solve_ages(p), usage_error);
  p.diffusivity_mm2_per_s = 1;
  std::fill(p.face_velocity_mm_per_s.begin(), p.face_velocity_mm_per_s.end(), 0.0);
  EXPECT_THROW(solve_ages(p), usage_error);
}

}  // namespace flow_residence_test
