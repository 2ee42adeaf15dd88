#include <cmath>
#include <numbers>
#include <osteon/base/error.hpp>
#include <osteon/kernel/fourier/fourier_passes.hpp>
#include <osteon/kernel/fourier/trigonometric.hpp>
#include <string>

namespace osteon::kernel {

namespace {

constexpr std::int64_t longest_line = std::int64_t{1} << 28;

// Append exp(-i pi numerator / denominator) times a factor.
void append_turn(std::vector<double>& to, std::int64_t numerator, std::int64_t denominator, long double factor) {
  const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(numerator % (2 * denominator)) /
                            static_cast<long double>(denominator);
  to.push_back(static_cast<double>(factor * std::cos(angle)));
  to.push_back(static_cast<double>(-factor * std::sin(angle)));
}

double squared_sine(std::int64_t numerator, std::int64_t denominator) {
  const double s = std::sin(std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator));
  return s * s;
}

complex_lanes swapped(const complex_lanes& v) { return {v.im, v.re}; }

// Transform the data of `load`. The result is in a or b.
template <class Load>
complex_lanes* run_passes(const fourier_plan& plan, Load load, complex_lanes* a, complex_lanes* b) {
  const auto& passes = plan.passes();
  if (passes.empty()) {
    a[0] = load(0);
    return a;
  }
  const auto to = [](complex_lanes* at) { return [at](int k, const complex_lanes& v) { at[k] = v; }; };
  const auto from = [](const complex_lanes* at) { return [at](int j) { return at[j]; }; };
  if (passes.size() == 1) {
    fourier_pass<place_of_pass::last>(passes.front(), load, to(a));
    return a;
  }
  fourier_pass<place_of_pass::first>(passes.front(), load, to(a));
  for (std::size_t i = 1; i + 1 < passes.size(); ++i) {
    fourier_pass<place_of_pass::middle>(passes[i], from(a), to(b));
    std::swap(a, b);
  }
  fourier_pass<place_of_pass::last>(passes.back(), from(a), to(b));
  return b;
}

// Index of the m-th point: even indices ascending, then odd indices descending.
int point_at(int m, int length) { return 2 * m < length ? 2 * m : 2 * (length - 1 - m) + 1; }

}  // namespace

trigonometric_transform::trigonometric_transform(std::int64_t length, line_ends ends) : length_(static_cast<int>(length)) {
  if (length < 1 || length > longest_line)
    throw usage_error("transform of " + std::to_string(length) + " points: the length must be in [1, 2^28]");
  repeats_ = ends.low == line_end::other_end;
  if (repeats_ != (ends.high == line_end::other_end))
    throw usage_error("line ends: a periodic line must be periodic at both ends");
  is_quarter_ = !repeats_ && ends.low != ends.high;
  const std::int64_t n = length;
  // Sines are cosines in reverse order with alternating signs.
  const bool alternates = !repeats_ && ends.low == line_end::zero;
  if (is_quarter_)
    sign_ = alternates ? 1 : -1;
  else
    sign_ = alternates ? -1 : 1;
  const auto size = static_cast<double>(n);
  for (std::int64_t k = 0; k < n; ++k) {
    if (repeats_) {
      weights_.insert(weights_.end(), {0.5, 0.5});
      eigenvalues_.push_back(4 * squared_sine(k, n));
      norms_.push_back(1 / size);
    } else if (is_quarter_) {
      append_turn(weights_, 2 * k + 1, 4 * n, 0.5L);
      append_turn(turns_, k, n, 1);
      eigenvalues_.push_back(4 * squared_sine(alternates ? 2 * n - 2 * k - 1 : 2 * k + 1, 4 * n));
      norms_.push_back(2 / size);
    } else {
      append_turn(weights_, k, 2 * n, 0.5L);
      eigenvalues_.push_back(4 * squared_sine(alternates ? n - k : k, 2 * n));
      norms_.push_back(k == 0 ? 1 / size : 2 / size);
    }
  }
  if (fourier_plan::supports(n)) {
    plan_.emplace(n);
    return;
  }
  std::int64_t m = 2 * n - 1;
  while (!fourier_plan::supports(m)) ++m;
  plan_.emplace(m);
  for (std::int64_t j = 0; j < n; ++j) append_turn(chirp_, j * j, n, 1);
  std::vector<complex_lanes> scratch(2 * static_cast<std::size_t>(m));
  const complex_lanes* const found = run_passes(
      *plan_,
      [&](int j) {
        const std::int64_t at = j < n ? j : m - j < n ? m - j : -1;
        complex_lanes v{};
        if (at < 0) return v;
        v.re[0] = chirp_[2 * static_cast<std::size_t>(at)];
        v.im[0] = -chirp_[2 * static_cast<std::size_t>(at) + 1];
        return v;
      },
      scratch.data(), scratch.data() + m);
  for (std::int64_t k = 0; k < m; ++k) {
    filter_.push_back(found[k].re[0] / static_cast<double>(m));
    filter_.push_back(found[k].im[0] / static_cast<double>(m));
  }
}

std::int64_t trigonometric_transform::scratch_points() const { return 2 * std::int64_t{plan_->length()}; }

double trigonometric_transform::operations() const {
  const double m = plan_->length(), transform = 2.5 * m * std::log2(std::max(m, 2.0)), rest = 4.0 * length_;
  return filter_.empty() ? transform + rest : 2 * transform + 9 * m + rest;
}

// Complex transform of length_ points in the scratch memory.
template <class Load>
complex_lanes* trigonometric_transform::transform(Load load, complex_lanes* scratch) const {
  const int m = plan_->length();
  if (filter_.empty()) return run_passes(*plan_, load, scratch, scratch + m);
  // jk = (j^2 + k^2 - (k - j)^2) / 2.
  const complex_lanes* const spectrum = run_passes(
      *plan_,
      [&](int j) {
        return j < length_
                   ? times(load(j), chirp_[2 * static_cast<std::size_t>(j)], chirp_[2 * static_cast<std::size_t>(j) + 1])
                   : complex_lanes{};
      },
      scratch, scratch + m);
  // Inverse transform: swap real and imaginary parts before and after. The first pass writes to the other half of the
  // scratch memory, because it must not overwrite its input.
  complex_lanes *const other = spectrum == scratch ? scratch + m : scratch, *const same =
                                                                                spectrum == scratch ? scratch : scratch + m;
  complex_lanes* const found = run_passes(
      *plan_,
      [&](int k) {
        return swapped(
            times(spectrum[k], filter_[2 * static_cast<std::size_t>(k)], filter_[2 * static_cast<std::size_t>(k) + 1]));
      },
      other, same);
  for (int k = 0; k < length_; ++k)
    found[k] =
        times(swapped(found[k]), chirp_[2 * static_cast<std::size_t>(k)], chirp_[2 * static_cast<std::size_t>(k) + 1]);
  return found;
}

void trigonometric_transform::forward(complex_lanes* lines, complex_lanes* scratch) const {
  const int n = length_;
  const complex_lanes* found;
  if (repeats_)
    found = transform([lines](int m) { return lines[m]; }, scratch);
  else if (is_quarter_)
    found = transform(
        [lines, n, s = sign_, turn = turns_.data()](int m) {
          const double sign = 2 * m < n ? 1 : s;
          return times(lines[point_at(m, n)], sign * turn[2 * m], sign * turn[2 * m + 1]);
        },
        scratch);
  else
    found = transform([lines, n, s = sign_](int m) { return (2 * m < n ? 1 : s) * lines[point_at(m, n)]; }, scratch);
  // The transform of two real lines is V_k = A_k + i B_k. With the partner k' of k, A_k = (V_k + conj V_k') / 2 and B_k =
  // (V_k - conj V_k') / 2i. The results are the real parts of A_k and B_k times a weight.
  for (int k = 0; k < n; ++k) {
    const int partner = is_quarter_ ? n - 1 - k : k == 0 ? 0 : n - k;
    if (partner < k) continue;
    const complex_lanes v = found[k], w = found[partner];
    const complex_lanes sum = v + w, difference = v - w;
    const auto put = [&](int mode, double sign) {
      const double re = weights_[2 * static_cast<std::size_t>(mode)],
                   im = sign * weights_[2 * static_cast<std::size_t>(mode) + 1];
      lines[mode] = {re * sum.re - im * difference.im, re * sum.im + im * difference.re};
    };
    put(k, 1);
    if (partner != k) put(partner, -1);
  }
}

void trigonometric_transform::backward(complex_lanes* lines, complex_lanes* scratch) const {
  const int n = length_;
  // The input is t_k A_k and the conjugate of its partner, because the transform must be real. The values of the other line,
  // times i, are added.
  const auto load = [lines, n, is_quarter = is_quarter_, weight = weights_.data()](int k) {
    const int partner = is_quarter ? n - 1 - k : k == 0 ? 0 : n - k;
    const complex_lanes a = lines[k], b = lines[partner];
    const double re = weight[2 * k], im = weight[2 * k + 1], re2 = weight[2 * partner], im2 = weight[2 * partner + 1];
    return complex_lanes{re * a.re + re2 * b.re - (im * a.im - im2 * b.im), im * a.re - im2 * b.re + re * a.im + re2 * b.im};
  };
  const complex_lanes* const found = transform(load, scratch);
  for (int m = 0; m < n; ++m) {
    if (repeats_) {
      lines[m] = found[m];
      continue;
    }
    const double sign = 2 * m < n ? 1 : sign_;
    lines[point_at(m, n)] = is_quarter_ ? times(found[m], sign * turns_[2 * static_cast<std::size_t>(m)],
                                                sign * turns_[2 * static_cast<std::size_t>(m) + 1])
                                        : sign * found[m];
  }
}

}  // namespace osteon::kernel
