#include <osteon/kernel/elasticity/graded_bricks.hpp>

#include <algorithm>
#include <bit>
#include <osteon/kernel/elasticity/deformation_parts.hpp>

namespace osteon::kernel {

using namespace deformation_parts;

namespace {

// Reflections that change the sign of a deformation, as bits 4 (z), 2 (y), 1 (x). They follow from the bits of the
// deformation's mode and component.
constexpr unsigned signs_of(int triple, int component) {
  constexpr unsigned own[3] = {4, 2, 1}, shear[3] = {6, 5, 3}, mode[6] = {0, 0, 3, 5, 6, 7};
  if (triple == 0) return 0;
  return triple == 1 ? shear[component] : mode[triple] ^ own[component];
}

symmetric24 one_octant(vector3 spacing_mm, lame moduli, int octant) {
  matrix24 child = element_stiffness(spacing_mm, moduli);
  restrict_to_parent(child, octant, {0.5, 0.5, 0.5});
  symmetric24 result;
  result.add(child);
  return result;
}

}  // namespace

graded_bricks::graded_bricks(vector3 spacing_mm, std::span<const lame> materials, double stiffening)
    : stiffening_(stiffening) {
  const brick_shape shape(spacing_mm);
  for (int octant = 0; octant < 8; ++octant) {
    by_lambda_[static_cast<std::size_t>(octant)] = one_octant(spacing_mm, {1, 0}, octant);
    by_mu_[static_cast<std::size_t>(octant)] = one_octant(spacing_mm, {0, 1}, octant);
  }
  const auto lambda = in_deformations(by_lambda_[0], shape), mu = in_deformations(by_mu_[0], shape);
  for (std::size_t m = 0; m < 18; ++m) lambda_diagonal_[m] = lambda[25 * m], mu_diagonal_[m] = mu[25 * m];
  std::size_t next = 0;
  for (int s = 0; s < deformations; ++s)
    for (int t = s; t < deformations; ++t)
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r, ++next) {
          const auto at = static_cast<std::size_t>(24 * (3 * t + r) + 3 * s + c);
          const unsigned sum = signs_of(t, r) ^ signs_of(s, c);
          // walsh_hadamard subtracts lower from upper values along each axis.
          const double sign = std::popcount(sum) % 2 ? -1 : 1;
          product_.by_lambda[next] = static_cast<float>(sign * lambda[at]);
          product_.by_mu[next] = static_cast<float>(sign * mu[at]);
          product_.sum[next] = static_cast<std::uint8_t>(sum);
        }
  product_.stiffening = static_cast<float>(stiffening);
  product_.materials.assign(materials.begin(), materials.end());

  // Contribution of `stiffen` to a full brick.
  symmetric24 full;
  for (const auto& octant : by_mu_)
    for (std::size_t i = 0; i < full.value.size(); ++i) full.value[i] += octant.value[i];
  symmetric24 stiffer = full;
  stiffen(stiffer, shape, 1);
  const double largest = 8 * *std::max_element(mu_diagonal_.begin(), mu_diagonal_.end());
  for (std::size_t i = 0; i < full.value.size(); ++i) gram_.value[i] = (stiffer.value[i] - full.value[i]) / largest;
}

symmetric24 graded_bricks::matrix(const octant_materials& octants) const {
  symmetric24 sum;
  lame total;
  for (std::size_t octant = 0; octant < 8; ++octant) {
    const lame& m = product_.materials[octants[octant]];
    total.lambda += m.lambda, total.mu += m.mu;
    for (std::size_t i = 0; i < sum.value.size(); ++i)
      sum.value[i] += m.lambda * by_lambda_[octant].value[i] + m.mu * by_mu_[octant].value[i];
  }
  double largest = 0;
  for (std::size_t m = 0; m < 18; ++m)
    largest = std::max(largest, total.lambda * lambda_diagonal_[m] + total.mu * mu_diagonal_[m]);
  for (std::size_t i = 0; i < sum.value.size(); ++i) sum.value[i] += stiffening_ * largest * gram_.value[i];
  return sum;
}

}  // namespace osteon::kernel
