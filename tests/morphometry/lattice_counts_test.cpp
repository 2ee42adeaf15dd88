#include <gtest/gtest.h>

#include <cmath>
#include <osteon/morphometry/lattice_counts.hpp>

#include "phases.hpp"

namespace lattice_counts_test {

using namespace osteon;

constexpr index3 domain{20, 22, 24};

std::vector<morphometry::lattice_counts> counted(const std::function<bool(double, double, double)>& is_solid) {
  const std::vector<float> all = sample::phase(domain, is_solid);
  std::vector<morphometry::lattice_counts> found;
  for (const grid::block& where : sample::decompositions(domain))
    found.push_back(morphometry::count_lattice(where, sample::part_of(where, all)));
  return found;
}

// Oracle: topology. The number is parts minus tunnels plus hollows. A solid is closed at the ends of the image. Parts that
// touch at an edge or a corner are one part.
TEST(euler_number, is_that_of_the_shape) {
  const auto euler = [](const std::function<bool(double, double, double)>& is_solid) {
    const auto found = counted(is_solid);
    EXPECT_EQ(found[0].euler, found[1].euler);
    return found[0].euler;
  };
  const auto from = [](double z, double y, double x) { return std::hypot(z - 10, y - 11, x - 12); };
  EXPECT_EQ(euler([&](double z, double y, double x) { return from(z, y, x) < 7; }), 1);
  EXPECT_EQ(euler([&](double z, double y, double x) { return from(z, y, x) < 7 && from(z, y, x) > 4; }), 2);
  EXPECT_EQ(euler([&](double z, double y, double x) { return std::hypot(z - 10, std::hypot(y - 11, x - 12) - 7) < 2.5; }),
            0);
  EXPECT_EQ(euler([](double, double, double) { return true; }), 1);
  EXPECT_EQ(euler([](double z, double y, double x) { return z < 3 && y < 3 && (x < 3 || x > 20); }), 2);
  EXPECT_EQ(
      euler([](double z, double y, double x) { return z < 4 && ((y < 4 && x < 4) || (y > 4 && y < 8 && x > 4 && x < 8)); }),
      1);
}

// Oracle: each cell of a lattice of rods has the Euler number -2 (a node minus three struts), for any cut of the image. The
// inner corners of the image are those of two cells along each axis.
TEST(inner_euler_number, does_not_depend_on_where_the_image_is_cut) {
  const index3 size{17, 19, 21};
  for (int shift = 0; shift < 10; ++shift) {
    const std::vector<float> all = sample::phase(size, [&](double z, double y, double x) {
      const auto on = [&](double p, int period) { return std::fmod(p + shift, period) < 2; };
      return on(z, 8) + on(y, 9) + on(x, 10) >= 2;
    });
    for (const grid::block& where : sample::decompositions(size)) {
      const auto counts = morphometry::count_lattice(where, sample::part_of(where, all));
      EXPECT_EQ(counts.inner_euler(), -2 * 8) << shift;
    }
  }
}

// Oracle: the weights of [LeglandKieuDevaux2007] for cubes. The weights are for one sense of each direction.
TEST(direction_weights, are_those_of_the_literature) {
  const auto weight = morphometry::direction_weights({0.3, 0.3, 0.3});
  double sum = 0;
  for (std::size_t k = 0; k < 13; ++k) {
    sum += weight[k];
    EXPECT_NEAR(weight[k], 2 * (k < 3 ? 0.04577789120476 : k < 9 ? 0.03698062787608 : 0.03519563978232), 2e-4) << k;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

// Oracle: the area of a ball, and the numbers of voxels and pairs of a block, counted by hand.
TEST(lattice_counts, tell_volume_and_surface) {
  const double r = 7.3;
  const auto ball = counted([&](double z, double y, double x) { return std::hypot(z - 10, y - 11.2, x - 12.1) < r; })[1];
  const double area = morphometry::surface_mm2(ball, domain, {0.1, 0.1, 0.1});
  // the area is smaller by 1/20, because pairs that leave the image are missing
  EXPECT_NEAR(area / (4 * M_PI * r * r * 0.01), 1, 0.1);
  const auto block = counted([](double z, double y, double x) { return z < 5 && y < 6 && x < 7; });
  for (const auto& c : block) {
    EXPECT_EQ(c.voxels, 210);
    EXPECT_EQ(c.mixed[0], 42);
    EXPECT_EQ(c.mixed[1], 35);
    EXPECT_EQ(c.mixed[2], 30);
    EXPECT_EQ(c.pairs[0], 19 * 22 * 24);
    EXPECT_EQ(c.pairs[12], 19 * 21 * 23);
  }
}

// Oracle: an ellipsoid with half axes a has mean intercepts that are proportional to a, for any orientation.
TEST(fabric, has_the_axes_of_an_ellipsoid) {
  const double turn = 0.5;
  const auto found = counted([&](double z, double y, double x) {
    const double dz = z - 10, dy = y - 11, dx = x - 12;
    const double along = dx * std::cos(turn) + dy * std::sin(turn), across = dy * std::cos(turn) - dx * std::sin(turn);
    return std::hypot(dz / 5, across / 5, along / 9) < 1;
  })[0];
  const auto f = morphometry::fabric_of(found, domain, {0.2, 0.2, 0.2});
  ASSERT_TRUE(f);
  EXPECT_NEAR(f->anisotropy(), 9.0 / 5, 0.12);
  EXPECT_NEAR(f->length_mm[1] / f->length_mm[2], 1, 0.06);
  EXPECT_NEAR(std::abs(f->direction_zyx[0][1] * std::sin(turn) + f->direction_zyx[0][2] * std::cos(turn)), 1, 0.01);
  EXPECT_FALSE(morphometry::fabric_of(counted([](double z, double, double) { return z < 9; })[0], domain, {1, 1, 1}));
}

}  // namespace lattice_counts_test
