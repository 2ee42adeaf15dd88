#pragma once
/// @file
/// How surfaces are lit, in volumes and by themselves. F is a float or a vector of floats.
#include <cmath>
#include <osteon/base/box.hpp>

namespace osteon::kernel {

/// Where light comes from, and the eye; directions in mm space.
struct lighting {
  vector3 toward_light, toward_eye;
};

inline double dot(const vector3& a, const vector3& b) { return a.z * b.z + a.y * b.y + a.x * b.x; }
inline vector3 unit(const vector3& a) {
  const double length = std::sqrt(dot(a, a));
  return {a.z / length, a.y / length, a.x / length};
}
/// The middle between the directions of light and eye, a unit vector.
inline vector3 half_way(const lighting& light) {
  const vector3 a = unit(light.toward_light), b = unit(light.toward_eye);
  return unit({a.z + b.z, a.y + b.y, a.x + b.x});
}

/// Share of the colour that a surface shows. Half-Lambert: soft on the dark side, because bone scatters light inside.
/// @param facing cosine between its normal and the light
template <class F>
[[gnu::always_inline]] inline F diffuse_light(const F& facing) {
  const F lambert = 0.5f + 0.5f * facing;
  return 0.22f + 0.95f * lambert * lambert;
}

/// White light that it mirrors. @param shining cosine between its normal and the middle of light and eye
template <class F>
[[gnu::always_inline]] inline F mirrored_light(const F& shining) {
  F glance = shining > 0 ? shining : F{};
  for (int i = 0; i < 5; ++i) glance *= glance;
  return 0.18f * glance;
}

}  // namespace osteon::kernel
