#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/numerics/krylov/gcr.hpp>
#include <random>

namespace gcr_test {

using namespace osteon;
using numerics::gcr;
using numerics::gcr_outcome;
using vector = Eigen::VectorXd;
using matrix = Eigen::MatrixXd;

constexpr int length = 11;        // length of an array over all ranks
constexpr int size = 2 * length;  // length of two arrays
constexpr double of_second = 4;   // weight of the second array in the inner product
constexpr std::size_t most_kept = 30;

matrix random_matrix(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  matrix m = 4 * matrix::Identity(size, size);
  for (double& v : m.reshaped()) v += 0.6 * normal(random);
  return m;
}

double inner(const vector& a, const vector& b) {
  return a.head(length).dot(b.head(length)) + of_second * a.tail(length).dot(b.tail(length));
}

// Each rank has several rows of both arrays. There is a gap between the arrays.
struct dense_system {
  const matrix& a;
  MPI_Comm comm;
  std::int64_t first = 0, count = 0, stride = 0;
  std::vector<double> x, r;
  std::vector<float> p, w;

  dense_system(const matrix& of, const vector& b) : a(of), comm(MPI_COMM_WORLD) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    first = length * rank / ranks;
    count = length * (rank + 1) / ranks - first;
    stride = count + 3;
    for (auto* v : {&x, &r}) v->assign(at(2 * stride), 0);
    for (auto* v : {&p, &w}) v->assign(at(2 * stride), 0);
    each([&](std::int64_t local, Eigen::Index global) { r[at(local)] = b[global]; });
  }
  template <class Each>
  void each(Each visit) const {
    for (std::int64_t c = 0; c < 2; ++c)
      for (std::int64_t i = 0; i < count; ++i) visit(c * stride + i, static_cast<Eigen::Index>(c * length + first + i));
  }

  numerics::gcr_layout layout() const { return {comm, {count, 2}, stride}; }
  double weight(std::int64_t array) const { return array == 0 ? 1 : of_second; }
  float* direction() { return p.data(); }
  float* image() { return w.data(); }
  const double* residual() const { return r.data(); }
  void search() {
    p.assign(r.begin(), r.end());
    vector all = vector::Zero(size);
    each([&](std::int64_t local, Eigen::Index global) { all[global] = static_cast<double>(p[at(local)]); });
    MPI_Allreduce(MPI_IN_PLACE, all.data(), size, MPI_DOUBLE, MPI_SUM, comm);
    const vector image = a * all;
    each([&](std::int64_t local, Eigen::Index global) { w[at(local)] = static_cast<float>(image[global]); });
  }
  void follow() {}
  double update(const numerics::gcr_step& step) {
    const auto square = numerics::block_sums<1>(
        comm, {count, 2}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, std::array<double, 1>& sum) {
          for (std::int64_t i = begin; i < begin + n; ++i) {
            const std::size_t own = at(c * stride + i);
            step.direction[c * count + i] = p[own] / static_cast<float>(step.length);
            step.image[c * count + i] = w[own] / static_cast<float>(step.length);
            x[own] += step.alpha * static_cast<double>(p[own]);
            r[own] -= step.alpha * static_cast<double>(w[own]);
            sum[0] += weight(c) * r[own] * r[own];
          }
        });
    return std::sqrt(square[0]);
  }
};

// ORTHOMIN as in the paper, in double precision, on the vectors of a single process.
std::vector<double> residuals_of_reference(const matrix& a, const vector& b, std::size_t capacity, int steps) {
  vector r = b;
  std::vector<std::pair<vector, vector>> kept;
  std::vector<double> sizes;
  for (int n = 0; n < steps; ++n) {
    vector p = r, w = a * r;
    for (const auto& [old_p, old_w] : kept) {
      const double part = inner(w, old_w) / inner(old_w, old_w);
      p -= part * old_p;
      w -= part * old_w;
    }
    r -= inner(r, w) / inner(w, w) * w;
    if (kept.size() == capacity) kept.erase(kept.begin());
    kept.emplace_back(p, w);
    sizes.push_back(std::sqrt(inner(r, r)));
  }
  return sizes;
}

vector right_side() {
  vector b(size);
  for (Eigen::Index i = 0; i < size; ++i) b[i] = std::sin(1.0 + static_cast<double>(i));
  return b;
}

// Oracle: the least residual over the Krylov space, by orthogonal transformations.
TEST(gcr, finds_the_least_residual_of_the_krylov_space) {
  const matrix a = random_matrix(3);
  const vector b = right_side();
  dense_system system(a, b);
  gcr<most_kept> recursion(most_kept, 1e-8);
  vector scale = vector::Ones(size);
  scale.tail(length).setConstant(std::sqrt(of_second));
  matrix space(size, 0);
  vector newest = b;
  for (int step = 1; step <= 8; ++step) {
    ASSERT_EQ(recursion.advance(system), gcr_outcome::made);
    space.conservativeResize(size, step);
    space.col(step - 1) = newest.normalized();
    newest = a * newest;
    const matrix images = scale.asDiagonal() * (a * space);
    const vector right = scale.asDiagonal() * b;
    const double least = (right - images * images.colPivHouseholderQr().solve(right)).norm();
    EXPECT_NEAR(recursion.residual(), least, 1e-5 * right.norm());
    EXPECT_EQ(recursion.size(), at(step));
  }
}

// Oracle: the recursion of the paper without blocks, ranks and single precision.
TEST(gcr, replaces_the_oldest_direction_as_orthomin) {
  const matrix a = random_matrix(4);
  const vector b = right_side();
  for (const std::size_t capacity : {1, 2, 5}) {
    dense_system system(a, b);
    gcr<most_kept> recursion(capacity, 1e-8);
    for (const double expected : residuals_of_reference(a, b, capacity, 12)) {
      ASSERT_EQ(recursion.advance(system), gcr_outcome::made);
      EXPECT_NEAR(recursion.residual(), expected, 1e-5 * b.norm());
    }
    EXPECT_EQ(recursion.size(), capacity);
    vector left = b;  // x and r are consistent with each other
    vector x = vector::Zero(size);
    system.each([&](std::int64_t local, Eigen::Index global) { x[global] = system.x[at(local)]; });
    MPI_Allreduce(MPI_IN_PLACE, x.data(), size, MPI_DOUBLE, MPI_SUM, system.comm);
    left -= a * x;
    EXPECT_NEAR(std::sqrt(inner(left, left)), recursion.residual(), 1e-5 * b.norm());
  }
}

// Oracle: a value computed by hand. A rotation by a right angle makes the image orthogonal to the residual. The first step
// has the length zero, and the second step finds the direction of the first step again.
TEST(gcr, reports_an_image_that_the_kept_ones_span) {
  matrix a = matrix::Zero(size, size);
  for (Eigen::Index i = 0; i + 1 < length; i += 2) a(i, i + 1) = 1, a(i + 1, i) = -1;
  vector b = vector::Zero(size);
  b[0] = 3;
  dense_system system(a, b);
  gcr<most_kept> recursion(most_kept, 1e-8);
  EXPECT_EQ(recursion.advance(system), gcr_outcome::made);
  EXPECT_DOUBLE_EQ(recursion.residual(), 3);
  EXPECT_EQ(recursion.size(), 1U);
  EXPECT_EQ(recursion.advance(system), gcr_outcome::dependent);
  EXPECT_EQ(recursion.size(), 0U);
}

// Oracle: an invariant. The step along a direction without an image is zero.
TEST(gcr, reports_a_step_that_is_not_finite) {
  const matrix a = matrix::Zero(size, size);
  dense_system system(a, right_side());
  gcr<most_kept> recursion(most_kept, 1e-8);
  EXPECT_EQ(recursion.advance(system), gcr_outcome::not_finite);
  for (const double x : system.x) EXPECT_EQ(x, 0);
}

}  // namespace gcr_test
