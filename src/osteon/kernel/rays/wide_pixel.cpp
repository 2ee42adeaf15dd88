#include <osteon/kernel/rays/wide_pixel.hpp>

#include <cmath>

namespace osteon::kernel {

namespace {

struct wide {
  double high, low;
};

// Dekker's product and Knuth's sum of double-doubles.
wide multiply(wide a, wide b) {
  const double p = a.high * b.high;
  const double e = std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high);
  const double high = p + e;
  return {high, e - (high - p)};
}

wide add(wide a, wide b) {
  const double s = a.high + b.high;
  const double v = s - a.high;
  const double e = (a.high - (s - v)) + (b.high - v) + (a.low + b.low);
  const double high = s + e;
  return {high, e - (high - s)};
}

wide_pixel over(const wide_pixel& front, const wide_pixel& back) {
  wide_pixel result;
  const wide through{front.high[3], front.low[3]};
  for (int c = 0; c < 4; ++c) {
    wide value = multiply(through, {back.high[c], back.low[c]});
    if (c < 3) value = add({front.high[c], front.low[c]}, value);
    result.high[c] = value.high;
    result.low[c] = value.low;
  }
  return result;
}

}  // namespace

void blend(wide_pixel* own, const wide_pixel* received, std::int64_t count, bool received_in_front) {
  for (std::int64_t i = 0; i < count; ++i)
    own[i] = received_in_front ? over(received[i], own[i]) : over(own[i], received[i]);
}

std::array<float, 4> rounded(const wide_pixel& pixel) {
  const double opacity = (1 - pixel.high[3]) - pixel.low[3];
  return {static_cast<float>(pixel.high[0] + pixel.low[0]), static_cast<float>(pixel.high[1] + pixel.low[1]),
          static_cast<float>(pixel.high[2] + pixel.low[2]), static_cast<float>(opacity)};
}

}  // namespace osteon::kernel
