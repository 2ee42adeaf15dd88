#include <osteon/kernel/elasticity/symmetric_tensor.hpp>

#include <algorithm>
#include <limits>

namespace osteon::kernel {

namespace {

using matrix3 = std::array<std::array<double, 3>, 3>;

// A <- J^T A J, V <- V J, where J is the rotation of the axes p and q that sets A(p, q) to zero.
void rotate(matrix3& a, matrix3& v, std::size_t p, std::size_t q) {
  const double slope = (a[q][q] - a[p][p]) / (2 * a[p][q]);  // squares do not overflow, because A(p, q) is not negligible
  const double tangent = std::copysign(1.0, slope) / (std::abs(slope) + std::sqrt(1 + slope * slope));
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
  for (std::size_t k = 0; k < 3; ++k) {
    const double left = a[k][p], right = a[k][q];
    a[k][p] = cosine * left - sine * right;
    a[k][q] = sine * left + cosine * right;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double left = a[p][k], right = a[q][k];
    a[p][k] = cosine * left - sine * right;
    a[q][k] = sine * left + cosine * right;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double left = v[k][p], right = v[k][q];
    v[k][p] = cosine * left - sine * right;
    v[k][q] = sine * left + cosine * right;
  }
}

}  // namespace

principal_axes principal(const voigt& t) {
  matrix3 a{{{t[0], t[3], t[5]}, {t[3], t[1], t[4]}, {t[5], t[4], t[2]}}};
  matrix3 v{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const auto largest = [](double x, double y, double z) { return std::max({std::abs(x), std::abs(y), std::abs(z)}); };
  const double negligible =
      std::numeric_limits<double>::epsilon() / 4 * std::max(largest(t[0], t[1], t[2]), largest(t[3], t[4], t[5]));
  constexpr int most_sweeps = 16;  // convergence is quadratic; five sweeps are usual
  for (int sweep = 0; sweep < most_sweeps && largest(a[0][1], a[1][2], a[0][2]) > negligible; ++sweep)
    for (const auto [p, q] : {std::array<std::size_t, 2>{0, 1}, {0, 2}, {1, 2}})
      if (std::abs(a[p][q]) > negligible) rotate(a, v, p, q);

  std::array<std::size_t, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return a[i][i] > a[j][j]; });
  principal_axes result{};
  for (std::size_t n = 0; n < 3; ++n) {
    result.value[n] = a[order[n]][order[n]];
    std::array<double, 3>& d = result.direction[n];
    for (std::size_t k = 0; k < 3; ++k) d[k] = v[k][order[n]];
    const double lead = *std::max_element(d.begin(), d.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
    if (lead < 0)
      for (double& x : d) x = -x;
  }
  return result;
}

}  // namespace osteon::kernel
