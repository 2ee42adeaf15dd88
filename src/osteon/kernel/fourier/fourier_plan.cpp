#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/kernel/fourier/fourier_plan.hpp>
#include <string>

namespace osteon::kernel {

namespace {

constexpr std::int64_t longest = std::int64_t{1} << 30;

// Compute in long double and in the first octant. Each factor is then the double closest to the exact value.
void append_root_of_unity(std::vector<double>& to, std::int64_t numerator, std::int64_t denominator) {
  const long double two_pi = 6.283185307179586476925286766559L;
  // Compute the octant and the angle in the octant. Between octants, cosine and sine are swapped and change signs.
  const std::int64_t eighth = 8 * numerator / denominator;
  const std::int64_t reduced =
      eighth % 2 == 0 ? 8 * numerator - eighth * denominator : (eighth + 1) * denominator - 8 * numerator;
  const long double angle = two_pi * static_cast<long double>(reduced) / static_cast<long double>(8 * denominator);
  long double c = std::cos(angle), s = std::sin(angle);
  if (eighth % 4 == 1 || eighth % 4 == 2) std::swap(c, s);
  if (eighth >= 2 && eighth <= 5) c = -c;
  if (eighth >= 4) s = -s;
  to.push_back(static_cast<double>(c));
  to.push_back(static_cast<double>(-s));
}

// Radices 5 and 3 come first. One or two radices 4 (or one radix 2) follow, then radices 8. This choice minimises the number
// of passes.
std::vector<int> radices_of(int length) {
  // Avoid a single pass, which would access scratch memory element by element.
  if (length == 4) return {2, 2};
  if (length == 8) return {2, 4};
  std::vector<int> radices;
  for (const int radix : {5, 3})
    for (; length % radix == 0; length /= radix) radices.push_back(radix);
  int twos = 0;
  for (; length > 1; length /= 2) ++twos;
  if (twos == 1) radices.push_back(2), twos = 0;
  while (twos % 3 != 0) radices.push_back(4), twos -= 2;
  for (; twos > 0; twos -= 3) radices.push_back(8);
  return radices;
}

}  // namespace

bool fourier_plan::supports(std::int64_t length) {
  if (length < 1 || length > longest) return false;
  for (const int prime : {2, 3, 5})
    while (length % prime == 0) length /= prime;
  return length == 1;
}

fourier_plan::fourier_plan(std::int64_t length) : length_(static_cast<int>(length)) {
  if (!supports(length)) {
    std::string near;
    for (const std::int64_t step : {-1, 1}) {
      std::int64_t candidate = std::clamp(length, std::int64_t{1}, longest);
      while (candidate >= 1 && candidate <= longest && !supports(candidate)) candidate += step;
      if (candidate >= 1 && candidate <= longest && near != std::to_string(candidate))
        near += (near.empty() ? "" : " or ") + std::to_string(candidate);
    }
    throw usage_error("Fourier transform of " + std::to_string(length) +
                      " points: lengths must be products of 2, 3 and 5, at most 2^30; use " + near);
  }
  int n = length_, s = 1;
  for (const int radix : radices_of(length_)) {
    pass p{radix, n / radix, s, {}};
    for (int i = 0; i < p.m; ++i)
      for (int k = 1; k < radix; ++k) append_root_of_unity(p.twiddles, static_cast<std::int64_t>(i) * k % n, n);
    passes_.push_back(std::move(p));
    n /= radix;
    s *= radix;
  }
}

}  // namespace osteon::kernel
