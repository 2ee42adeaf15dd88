#pragma once
/// @file
/// How surfaces are lit, in volumes and by themselves. F is a float or a vector of floats.
#include <array>
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

/// The lamp, the eye and the sky of an opaque surface: unit vectors in mm space.
struct studio {
  vector3 toward_lamp, toward_eye, up, half_way;  ///< the last one between lamp and eye
};

/// Light that comes to a point of a matt surface from the sky, after it has gone from wall to wall of the crevice: the
/// lighter a material, the less dark are its crevices. @cite [Jimenez2016]
/// @param sky share that is seen, 0 to 1 @param albedo share of light that the material gives back
inline double sky_light(double sky, double albedo) {
  const double a = 2.0404 * albedo - 0.3324, b = -4.7951 * albedo + 0.6417, c = 2.7552 * albedo + 0.6903;
  return std::fmax(sky, ((a * sky + b) * sky + c) * sky);
}

/// What an opaque surface shows: a lamp over the viewer's shoulder, the sky, a weak light at the eye, and a dull gloss.
/// @param albedo linear RGB @param normal unit vector, facing the eye
/// @param sky,lamp shares of them that are seen, 0 to 1 @return linear RGB, 1 at most
inline std::array<double, 3> lit(const std::array<float, 3>& albedo, const vector3& normal, const studio& by, double sky,
                                 double lamp) {
  const double from_lamp = 0.66 * lamp * std::fmax(0.0, dot(normal, by.toward_lamp)),
               from_eye = 0.12 * sky * std::fmax(0.0, dot(normal, by.toward_eye)),
               from_sky = 0.30 + 0.08 * dot(normal, by.up);
  double glance = std::fmax(0.0, dot(normal, by.half_way));
  for (int i = 0; i < 5; ++i) glance *= glance;
  std::array<double, 3> result{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto own = static_cast<double>(albedo[c]);
    result[c] = std::fmin(1.0, own * (from_lamp + from_eye + from_sky * sky_light(sky, own)) + 0.06 * lamp * glance);
  }
  return result;
}

}  // namespace osteon::kernel
