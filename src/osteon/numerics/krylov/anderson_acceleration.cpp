#include <osteon/numerics/krylov/anderson_acceleration.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/for_each.hpp>
#include <type_traits>
#include <utility>

namespace osteon::numerics {

template <class T>
void anderson_acceleration<T>::restart() {
  kept_.clear();
  has_last_ = false;
}

// After the removal of its first column, the triangular factor has one entry below the diagonal in each column. Rotations of
// adjacent rows and of the corresponding vectors eliminate these entries.
template <class T>
void anderson_acceleration<T>::remove_oldest() {
  for (std::size_t j = 0; j + 1 < kept_.size(); ++j) {
    direction &upper = kept_[j], &lower = kept_[j + 1];
    const double a = lower.column[j], b = lower.column[j + 1], length = std::hypot(a, b);
    const double c = length > 0 ? a / length : 1, s = length > 0 ? b / length : 0;
    for (std::size_t k = j + 1; k < kept_.size(); ++k) {
      std::vector<double>& r = kept_[k].column;
      const double above = r[j], below = r[j + 1];
      r[j] = c * above + s * below;
      r[j + 1] = c * below - s * above;
    }
    for (std::vector<float> direction::* part : {&direction::residual, &direction::image})
      for_each(std::ssize(upper.*part), [u = (upper.*part).data(), l = (lower.*part).data(), c = static_cast<float>(c),
                                         s = static_cast<float>(s)](std::int64_t i) {
        const float above = u[i], below = l[i];
        u[i] = c * above + s * below;
        l[i] = c * below - s * above;
      });
  }
  for (std::size_t j = 0; j + 1 < kept_.size(); ++j) {
    kept_[j].column = std::move(kept_[j + 1].column);
    kept_[j].column.pop_back();
  }
  kept_.pop_back();
}

template <class T>
void anderson_acceleration<T>::add_difference(std::span<const T> correction) {
  if (kept_.size() == depth_) remove_oldest();
  direction newest{std::vector<float>(correction.size()), std::vector<float>(correction.size()), {}};
  float *const residual = newest.residual.data(), *const image = newest.image.data();
  const std::int64_t size = std::ssize(correction);
  for_each(size, [=, now = correction.data(), last = last_correction_.data(), change = last_change_.data()](std::int64_t i) {
    residual[i] = static_cast<float>(now[i] - last[i]);
    image[i] = static_cast<float>(change[i] + (now[i] - last[i]));
  });
  const double before = dot_(residual, residual);
  for (const direction& d : kept_) {
    newest.column.push_back(dot_(residual, d.residual.data()));
    for_each(size, [=, along = static_cast<float>(newest.column.back()), r = d.residual.data(),
                    g = d.image.data()](std::int64_t i) {
      residual[i] -= along * r[i];
      image[i] -= along * g[i];
    });
  }
  const double square = dot_(residual, residual);
  if (constexpr double mostly_rounding = 1e-8; !(square > mostly_rounding * before)) return;
  newest.column.push_back(std::sqrt(square));
  for_each(size, [=, unit = static_cast<float>(1 / std::sqrt(square))](std::int64_t i) {
    residual[i] *= unit;
    image[i] *= unit;
  });
  kept_.push_back(std::move(newest));
}

template <class T>
void anderson_acceleration<T>::accelerate(std::span<T> correction) {
  if (has_last_) add_difference(correction);
  last_correction_.assign(correction.begin(), correction.end());
  std::vector<float> rounded;
  const float* single = nullptr;
  if constexpr (std::is_same_v<T, float>) {
    single = last_correction_.data();
  } else {
    rounded.assign(correction.begin(), correction.end());
    single = rounded.data();
  }
  for (const direction& d : kept_) {
    const double along = dot_(single, d.residual.data());
    for_each(std::ssize(correction), [x = correction.data(), g = d.image.data(), along](std::int64_t i) {
      x[i] = static_cast<T>(static_cast<double>(x[i]) - along * static_cast<double>(g[i]));
    });
  }
  last_change_.assign(correction.begin(), correction.end());
  has_last_ = true;
}

template class anderson_acceleration<float>;
template class anderson_acceleration<double>;

}  // namespace osteon::numerics
