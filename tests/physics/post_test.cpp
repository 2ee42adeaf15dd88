#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/communicator.hpp>
#include <osteon/numerics/field_statistics.hpp>
#include <osteon/physics/elasticity/solver/pistoia.hpp>
#include <random>

namespace post_test {

using namespace osteon;

// All values, and the part of these values on this rank. The parts are uneven. If there are many ranks, the last rank has no
// values.
struct shared_values {
  std::vector<float> all, own;
  explicit shared_values(unsigned seed) {
    std::mt19937 generator(seed);
    std::lognormal_distribution<float> value(-2, 2);
    for (int i = 0; i < 5001; ++i) all.push_back(i % 50 == 0 ? 0.0F : value(generator));
    const int rank = comm::rank(MPI_COMM_WORLD), size = comm::size(MPI_COMM_WORLD);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int owner = size > 2 ? static_cast<int>(i % 7) % (size - 1) : static_cast<int>(i % 7) % size;
      if (owner == rank) own.push_back(all[i]);
    }
    std::sort(all.begin(), all.end());
  }
};

TEST(statistics, agree_with_the_whole_field) {
  const shared_values field(9);
  double sum = 0;
  for (float v : field.all) sum += v;
  const auto s = numerics::statistics(MPI_COMM_WORLD, field.own);
  EXPECT_NEAR(s.mean, sum / 5001, 1e-12 * sum);
  EXPECT_EQ(s.max, static_cast<double>(field.all.back()));
}

// Oracle: a bar under uniform strain e fails at its load times critical_strain / e.
TEST(pistoia, scales_a_uniform_strain_to_the_critical_one) {
  const voxel::material_table materials{{}, {"bone", 5000, 0.3, 0}};
  const double strain = 0.01, sed = 0.5 * 5000 * strain * strain;
  const std::vector<material_number> material(10, 1);
  const auto effective = physics::effective_strain(materials, material, std::vector<float>(10, static_cast<float>(sed)));
  EXPECT_NEAR(effective[3], strain, 1e-8);
  const auto estimate = physics::pistoia(MPI_COMM_WORLD, effective, 120, 0.007, 0.02);
  EXPECT_NEAR(estimate.factor, 0.7, 1e-6);
  EXPECT_NEAR(estimate.failure_load_N, 84, 1e-4);
  EXPECT_NEAR(physics::pistoia(MPI_COMM_WORLD, effective, -120, 0.007, 0.02).failure_load_N, -84, 1e-4);
}

}  // namespace post_test
