#include <osteon/numerics/krylov/anderson_mixing.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <utility>

namespace osteon::numerics {

anderson_mixing::anderson_mixing(MPI_Comm comm, std::vector<std::uint8_t> counts, std::size_t depth)
    : comm_(comm), counts_(std::move(counts)), depth_(depth) {}

void anderson_mixing::forget() {
  kept_.clear();
  last_residual_.clear();
  last_image_.clear();
}

double anderson_mixing::dot(const std::vector<float>& a, const std::vector<float>& b) const {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (counts_.empty() || counts_[i] != 0) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  comm::all_reduce(comm_, &sum, 1, MPI_SUM);
  return sum;
}

void anderson_mixing::mix(std::vector<double>& x, const std::vector<double>& g) {
  const std::size_t size = x.size();
  std::vector<double> residual(size);
  for (std::size_t i = 0; i < size; ++i) residual[i] = g[i] - x[i];
  int has_last = last_residual_.size() == size ? 1 : 0;  // a rank without values has none either way
  comm::all_reduce(comm_, &has_last, 1, MPI_MIN);
  if (has_last != 0) {
    direction newest{std::vector<float>(size), std::vector<float>(size)};
    for (std::size_t i = 0; i < size; ++i) {
      newest.residual[i] = static_cast<float>(residual[i] - last_residual_[i]);
      newest.image[i] = static_cast<float>(g[i] - last_image_[i]);
    }
    const double before = dot(newest.residual, newest.residual);
    for (const direction& d : kept_) {
      const auto along = static_cast<float>(dot(newest.residual, d.residual));
      for (std::size_t i = 0; i < size; ++i) {
        newest.residual[i] -= along * d.residual[i];
        newest.image[i] -= along * d.image[i];
      }
    }
    const double square = dot(newest.residual, newest.residual);
    if (constexpr double mostly_rounding = 1e-8; square > mostly_rounding * before) {
      const auto unit = static_cast<float>(1 / std::sqrt(square));
      for (std::size_t i = 0; i < size; ++i) newest.residual[i] *= unit, newest.image[i] *= unit;
      if (kept_.size() < depth_)
        kept_.push_back(std::move(newest));
      else {
        std::rotate(kept_.begin(), kept_.begin() + 1, kept_.end());
        kept_.back() = std::move(newest);
      }
    }
  }
  last_residual_ = residual;
  last_image_ = g;
  x = g;
  std::vector<float> rest(residual.begin(), residual.end());
  for (const direction& d : kept_) {
    const double along = dot(rest, d.residual);
    for (std::size_t i = 0; i < size; ++i) x[i] -= along * static_cast<double>(d.image[i]);
  }
}

}  // namespace osteon::numerics
