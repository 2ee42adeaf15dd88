#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/kernel/elasticity/deformation_table.hpp>
#include <osteon/kernel/elasticity/graded_bricks.hpp>
#include <random>

namespace deformation_table_test {

using namespace osteon;
using kernel::brick_shape;
using kernel::deformation_table;
using kernel::symmetric24;

constexpr vector3 sides{0.5, 2, 1};

// A coarse brick with some of its octants solid.
symmetric24 coarse_brick(unsigned octants) {
  symmetric24 sum;
  for (int octant = 0; octant < 8; ++octant)
    if (octants >> octant & 1) {
      auto k = kernel::element_stiffness({sides.z / 2, sides.y / 2, sides.x / 2}, kernel::lame_of(1, 0.3));
      kernel::restrict_to_parent(k, octant, {0.5, 0.5, 0.5});
      sum.add(k);
    }
  return sum;
}

// A table with the entries of all matrices.
deformation_table table_of(const std::vector<symmetric24>& matrices, const std::vector<bool>& is_anchored,
                           const brick_shape& shape) {
  deformation_table table;
  table.number(is_anchored);
  for (std::size_t m = 0; m < matrices.size(); ++m) table.add_entries(static_cast<std::int32_t>(m), matrices[m], shape);
  return table;
}

void add_all(const kernel::table_bricks& bricks, const float* x, float* y) {
  std::vector<kernel::brick_batch> batches;
  kernel::append_batches(bricks, 0, static_cast<std::int32_t>(bricks.matrix.size()), batches);
  kernel::add_product(bricks, batches, x, y);
}

std::array<float, 32> product(const symmetric24& matrix, bool is_anchored, const std::array<float, 32>& x) {
  const std::vector<brick_shape> shapes{brick_shape(sides)};
  // The matrix is not the first one of the table.
  const deformation_table table = table_of({coarse_brick(3), matrix}, {false, is_anchored}, shapes[0]);
  const std::vector<std::array<std::int32_t, 8>> corners{{0, 1, 2, 3, 4, 5, 6, 7}};
  const std::vector<std::int32_t> number{1};
  std::array<float, 32> y{};
  add_all({corners, number, &table, {}, shapes}, x.data(), y.data());
  return y;
}

double largest(const std::array<float, 32>& values) {
  float most = 0;
  for (const float v : values) most = std::max(most, std::abs(v));
  return static_cast<double>(most);
}

std::array<float, 32> random_values(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  std::array<float, 32> x{};
  for (std::size_t i = 0; i < 24; ++i) x[4 * (i / 3) + i % 3] = value(random);
  return x;
}

void expect_plain_product(const symmetric24& matrix, bool is_anchored) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto x = random_values(seed), y = product(matrix, is_anchored, x);
    for (std::size_t i = 0; i < 24; ++i) {
      double force = 0;
      for (std::size_t j = 0; j < 24; ++j) force += matrix(i, j) * static_cast<double>(x[4 * (j / 3) + j % 3]);
      EXPECT_NEAR(y[4 * (i / 3) + i % 3], force, 2e-6);
      EXPECT_EQ(y[4 * (i / 3) + 3], 0);
    }
  }
}

// Oracle: the element matrices of the octants, interpolated, summed and scaled one by one. There are nine bricks, so that
// there are two batches. The bricks have octants without material, octants of one modulus, and octants of very different
// moduli.
TEST(graded_bricks, are_the_sum_of_their_octants) {
  const vector3 octant_sides{sides.z / 2, sides.y / 2, sides.x / 2};
  std::vector<kernel::lame> materials{{}};
  for (int m = 1; m < 4000; ++m) materials.push_back(kernel::lame_of(std::pow(1.001, m), m % 2 ? 0.3 : 0.45));
  materials[7] = kernel::lame_of(1e-3, 0.2);
  const double stiffening = 1e-3;
  const kernel::graded_bricks graded(octant_sides, materials, stiffening);
  const std::vector<brick_shape> shapes{brick_shape(sides)};
  const deformation_table none;
  std::mt19937_64 random(3);
  std::vector<kernel::octant_materials> octants{{7, 7, 7, 7, 7, 7, 3999, 7}, {7}, {1, 0, 0, 0, 0, 0, 0, 3999}};
  while (octants.size() < 9)
    for (material_number& m : octants.emplace_back()) m = static_cast<material_number>(random() % 2 * (random() % 4000));
  std::vector<std::array<std::int32_t, 8>> corners;
  std::vector<std::int32_t> number;
  std::vector<float> x, y(9 * 32);
  for (std::int32_t e = 0; e < 9; ++e) {
    corners.push_back({8 * e, 8 * e + 1, 8 * e + 2, 8 * e + 3, 8 * e + 4, 8 * e + 5, 8 * e + 6, 8 * e + 7});
    number.push_back(~e);
    const auto values = random_values(static_cast<unsigned>(e));
    x.insert(x.end(), values.begin(), values.end());
  }
  add_all({corners, number, &none, {}, shapes, &graded, octants}, x.data(), y.data());
  for (std::size_t e = 0; e < 9; ++e) {
    symmetric24 expected;
    double stiffest = 0;
    for (int octant = 0; octant < 8; ++octant)
      if (const kernel::lame m = materials[octants[e][static_cast<std::size_t>(octant)]]; m.mu > 0) {
        auto k = kernel::element_stiffness(octant_sides, m);
        kernel::restrict_to_parent(k, octant, {0.5, 0.5, 0.5});
        expected.add(k);
      }
    kernel::stiffen(expected, shapes[0], stiffening);
    for (std::size_t i = 0; i < 24; ++i) stiffest = std::max(stiffest, expected(i, i));
    const symmetric24 found = graded.matrix(octants[e]);
    for (std::size_t i = 0; i < 24; ++i) {
      double force = 0;
      for (std::size_t j = 0; j < 24; ++j) {
        EXPECT_NEAR(found(i, j), expected(i, j), 1e-12 * stiffest) << e;
        force += expected(i, j) * static_cast<double>(x[32 * e + 4 * (j / 3) + j % 3]);
      }
      EXPECT_NEAR(y[32 * e + 4 * (i / 3) + i % 3], force, 3e-6 * stiffest) << e;
    }
  }
}

// Oracle: the plain matrix.
TEST(deformation_table, multiply_free_bricks) {
  for (const unsigned octants : {255U, 1U, 0x81U, 0x17U}) expect_plain_product(coarse_brick(octants), false);
}

// Oracle: the plain matrix. A fixed displacement sets rows and columns to zero.
TEST(deformation_table, multiply_anchored_bricks) {
  auto full = coarse_brick(255).full();
  for (const std::size_t fixed : {0UL, 7UL, 20UL})
    for (std::size_t i = 0; i < 24; ++i) full[24 * fixed + i] = full[24 * i + fixed] = 0;
  symmetric24 matrix;
  matrix.add(full);
  expect_plain_product(matrix, true);
}

// Oracle: the sum of the plain products. One vector contains two bricks, which have a common face in this test.
TEST(deformation_table, multiplies_neighbours_side_by_side) {
  const std::vector<brick_shape> shapes{brick_shape(sides)};
  const std::vector<symmetric24> matrices{coarse_brick(0x17), coarse_brick(0xf1), coarse_brick(255)};
  const deformation_table table = table_of(matrices, {false, false, false}, shapes[0]);
  const std::vector<std::array<std::int32_t, 8>> corners{
      {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 8, 9, 10, 11}, {1, 12, 3, 13, 5, 14, 7, 15}};
  const std::vector<std::int32_t> number{0, 1, 2};
  std::array<float, 64> x{}, y{};
  const auto low = random_values(1), high = random_values(2);
  std::copy(low.begin(), low.end(), x.begin());
  std::copy(high.begin(), high.end(), x.begin() + 32);
  add_all({corners, number, &table, {}, shapes}, x.data(), y.data());
  std::array<double, 64> force{};
  for (std::size_t e = 0; e < 3; ++e) {
    const auto at = [&](std::size_t i) { return static_cast<std::size_t>(4 * corners[e][i / 3]) + i % 3; };
    for (std::size_t i = 0; i < 24; ++i)
      for (std::size_t j = 0; j < 24; ++j) force[at(i)] += matrices[e](i, j) * static_cast<double>(x[at(j)]);
  }
  for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(y[i], force[i], 4e-6);
}

// Oracle: the sum of the plain products. Some batches have one matrix, and other batches have several matrices. The last
// batches are incomplete.
TEST(deformation_table, multiplies_batches_of_every_kind) {
  constexpr std::size_t bricks = 43, nodes = 30;
  const std::vector<brick_shape> shapes{brick_shape(sides)};
  const std::vector<symmetric24> matrices{coarse_brick(255), coarse_brick(0x17), coarse_brick(0xf1), coarse_brick(3)};
  const deformation_table table = table_of(matrices, {false, false, false, true}, shapes[0]);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<std::array<std::int32_t, 8>> corners(bricks);
  std::vector<std::int32_t> number(bricks), node(nodes);
  for (std::size_t i = 0; i < nodes; ++i) node[i] = static_cast<std::int32_t>(i);
  for (std::size_t e = 0; e < bricks; ++e) {
    std::shuffle(node.begin(), node.end(), random);
    std::copy_n(node.begin(), 8, corners[e].begin());
    number[e] = e % 2 ? 0 : static_cast<std::int32_t>(e / 2 % 4);
  }
  std::vector<float> x(4 * nodes), y(4 * nodes);
  std::vector<double> force(4 * nodes);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 4 == 3 ? 0 : value(random);
  add_all({corners, number, &table, {}, shapes}, x.data(), y.data());
  for (std::size_t e = 0; e < bricks; ++e) {
    const auto at = [&](std::size_t i) { return static_cast<std::size_t>(4 * corners[e][i / 3]) + i % 3; };
    for (std::size_t i = 0; i < 24; ++i)
      for (std::size_t j = 0; j < 24; ++j)
        force[at(i)] += matrices[static_cast<std::size_t>(number[e])](i, j) * static_cast<double>(x[at(j)]);
  }
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], force[i], 1e-5);
}

// Oracle: a rigid motion causes zero force, even if the motion is a million times as large as a deformation with unit force.
TEST(deformation_table, let_rigid_motions_cost_nothing) {
  std::array<float, 32> x{};
  constexpr float far = 0x1p20F;  // this distance is a power of two, so that the motion is exact
  for (int a = 0; a < 8; ++a) {
    const auto at = static_cast<std::size_t>(4 * a);
    const float z = static_cast<float>(sides.z) * static_cast<float>(a >> 2),
                y = static_cast<float>(sides.y) * static_cast<float>(a >> 1 & 1);
    x[at] = far - far / 1024 * y;
    x[at + 1] = far + far / 1024 * z;
    x[at + 2] = -far;
  }
  EXPECT_LT(largest(product(coarse_brick(255), false, x)), 1e-3);
}

// Oracle: invariants. Every deformation increases the energy. A rigid motion does not change the energy.
TEST(deformation_table, stiffen_deformations_only) {
  const symmetric24 before = coarse_brick(0x17);
  symmetric24 after = before;
  kernel::stiffen(after, brick_shape(sides), 0.5);
  const auto energy = [](const symmetric24& k, const std::array<double, 24>& u) {
    double sum = 0;
    for (std::size_t i = 0; i < 24; ++i)
      for (std::size_t j = 0; j < 24; ++j) sum += u[i] * k(i, j) * u[j];
    return sum;
  };
  std::array<double, 24> rotation{}, hourglass{};
  for (std::size_t a = 0; a < 8; ++a) {
    rotation[3 * a] = -sides.y * static_cast<double>(a >> 1 & 1);
    rotation[3 * a + 1] = sides.z * static_cast<double>(a >> 2);
    hourglass[3 * a + 2] = (a & 1 ? 1 : -1) * (a & 2 ? 1 : -1) * (a & 4 ? 1 : -1);
  }
  EXPECT_NEAR(energy(after, rotation), 0, 1e-12);
  EXPECT_GT(energy(after, hourglass), 1.4 * energy(before, hourglass));
}

// Oracle: invariant. Entries that a fixed displacement sets to zero remain zero.
TEST(deformation_table, stiffen_no_fixed_displacement) {
  auto full = coarse_brick(255).full();
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t i = 0; i < 24; ++i) full[24 * (3 * a + 1) + i] = full[24 * i + 3 * a + 1] = 0;
  symmetric24 matrix;
  matrix.add(full);
  kernel::stiffen(matrix, brick_shape(sides), 0.5);
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(matrix(3 * a + 1, i), 0);
}

}  // namespace deformation_table_test
