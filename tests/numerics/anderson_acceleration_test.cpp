#include <gtest/gtest.h>

#include <mpi.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/numerics/krylov/anderson_acceleration.hpp>

namespace anderson_acceleration_test {

using namespace osteon;
using numerics::anderson_acceleration;

template <class T>
class anderson_acceleration_of : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(anderson_acceleration_of, precisions, );

auto inner_product_of(std::size_t size) {
  return [size](const float* a, const float* b) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
  };
}

// Oracle: the fixed point of a linear map. The number of steps is the number of values plus one. The other ranks have no
// values.
TYPED_TEST(anderson_acceleration_of, linear_maps_takes_as_many_steps_as_there_are_unknowns) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::array<double, 4> slope{-3, 0.5, 1.7, -0.2};
  std::vector<double> x(rank == 0 ? 4 : 0);
  std::vector<TypeParam> change(x.size());
  anderson_acceleration<TypeParam> acceleration(inner_product_of(x.size()), 10);
  for (int step = 0; step < 6; ++step) {
    for (std::size_t i = 0; i < x.size(); ++i) change[i] = static_cast<TypeParam>(1 + slope[i] * x[i] - x[i]);
    acceleration.accelerate(change);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += static_cast<double>(change[i]);
  }
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], 1 / (1 - slope[i]), 1e-5);
}

using vector = Eigen::VectorXd;

vector map_of(const vector& x) {
  vector g(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double next = x[(i + 1) % x.size()], from = x[(i + 3) % x.size()];
    g[i] = 0.6 * std::cos(x[i] + 0.1 * static_cast<double>(i)) + 0.5 * next - 0.3 * from * from;
  }
  return g;
}

constexpr double unlimited = 1e9;

// The method as in section 2 of [WalkerNi2011], with differences in a window, and least squares by orthogonal
// transformations.
std::vector<vector> reference_iterates(vector x, std::size_t depth, double most, int steps) {
  std::vector<vector> iterates, all_x, all_g;
  for (int step = 0; step < steps; ++step) {
    const vector g = map_of(x);
    all_x.push_back(x);
    all_g.push_back(g);
    const std::size_t count = std::min(depth, all_x.size() - 1), last = all_x.size() - 1;
    vector next = g;
    if (count > 0) {
      Eigen::MatrixXd residuals(x.size(), count), images(x.size(), count);
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t n = last - k;
        images.col(static_cast<Eigen::Index>(k)) = all_g[n] - all_g[n - 1];
        residuals.col(static_cast<Eigen::Index>(k)) = (all_g[n] - all_x[n]) - (all_g[n - 1] - all_x[n - 1]);
      }
      next -= images * residuals.colPivHouseholderQr().solve(g - x);
    }
    x = next.cwiseMin(most);
    iterates.push_back(x);
  }
  return iterates;
}

// Oracle: the method by dense least squares over the same window. The caller may bound the iterates.
TYPED_TEST(anderson_acceleration_of, nonlinear_maps_has_the_iterates_of_dense_least_squares) {
  constexpr Eigen::Index size = 9;
  constexpr int steps = 9;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Eigen::Index first = size * rank / ranks, count = size * (rank + 1) / ranks - first;
  for (const double most : {0.62, unlimited})
    for (const std::size_t depth : {1, 2, 4}) {
      anderson_acceleration<TypeParam> acceleration(inner_product_of(at(count)), depth);
      vector x = vector::Constant(size, 0.2);
      bool moves = false;
      for (const vector& expected : reference_iterates(x, depth, most, steps)) {
        // Each rank has its part of the iterate.
        const vector d = map_of(x) - x;
        std::vector<TypeParam> change;
        for (Eigen::Index i = first; i < first + count; ++i) change.push_back(static_cast<TypeParam>(d[i]));
        acceleration.accelerate(change);
        vector next = vector::Zero(size);
        for (Eigen::Index i = 0; i < count; ++i) next[first + i] = x[first + i] + static_cast<double>(change[at(i)]);
        MPI_Allreduce(MPI_IN_PLACE, next.data(), size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        moves = moves || next.maxCoeff() > most;
        next = next.cwiseMin(most);
        for (Eigen::Index i = 0; i < count; ++i) change[at(i)] = static_cast<TypeParam>(next[first + i] - x[first + i]);
        acceleration.set_change(change);
        x = next;
        EXPECT_LT((x - expected).norm(), 1e-5) << depth << " " << most;
      }
      EXPECT_EQ(moves, most < unlimited);
    }
}

// Oracle: an invariant. After a restart, the change is the correction, as at the start.
TEST(anderson_acceleration, forgets_all_iterates_at_a_restart) {
  anderson_acceleration<float> acceleration(inner_product_of(2), 3);
  std::vector<float> change{1, 2};
  acceleration.accelerate(change);
  EXPECT_EQ(change, (std::vector<float>{1, 2}));
  change = {0.5F, -1};
  acceleration.accelerate(change);
  EXPECT_NE(change, (std::vector<float>{0.5F, -1}));
  acceleration.restart();
  change = {0.5F, -1};
  acceleration.accelerate(change);
  EXPECT_EQ(change, (std::vector<float>{0.5F, -1}));
}

}  // namespace anderson_acceleration_test
