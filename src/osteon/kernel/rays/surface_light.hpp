#pragma once
/// @file
/// Lighting of surfaces in volumes and of opaque surfaces. F is a float or a vector of floats.
#include <array>
#include <cmath>
#include <osteon/base/box.hpp>

namespace osteon::kernel {

/// Directions of light and eye in mm space.
struct lighting {
  vector3 toward_light, toward_eye;
};

inline double dot(const vector3& a, const vector3& b) { return a.z * b.z + a.y * b.y + a.x * b.x; }
inline vector3 unit(const vector3& a) {
  const double length = std::sqrt(dot(a, a));
  return {a.z / length, a.y / length, a.x / length};
}
/// Half-way vector between the directions of light and eye, a unit vector.
inline vector3 half_way(const lighting& light) {
  const vector3 a = unit(light.toward_light), b = unit(light.toward_eye);
  return unit({a.z + b.z, a.y + b.y, a.x + b.x});
}

/// Diffuse factor of the colour of a surface by the half-Lambert model. This model has a soft transition to the dark side,
/// because bone scatters light.
/// @param facing cosine between normal and light
template <class F>
[[gnu::always_inline]] inline F diffuse_light(const F& facing) {
  const F lambert = 0.5f + 0.5f * facing;
  return 0.22f + 0.95f * lambert * lambert;
}

/// Specular white light. @param shining cosine between normal and half-way vector
template <class F>
[[gnu::always_inline]] inline F mirrored_light(const F& shining) {
  F glance = shining > 0 ? shining : F{};
  for (int i = 0; i < 5; ++i) glance *= glance;
  return 0.18f * glance;
}

/// Directions of lamp, eye and sky for an opaque surface: unit vectors in mm space.
struct studio {
  vector3 toward_lamp, toward_eye, up, half_way;  ///< half_way is between lamp and eye
};

/// Skylight at a point of a matt surface, including interreflection. Interreflection brightens crevices of bright materials.
/// @cite [Jimenez2016]
/// @param sky visible fraction, 0 to 1 @param albedo reflected fraction of the light
inline double sky_light(double sky, double albedo) {
  const double a = 2.0404 * albedo - 0.3324, b = -4.7951 * albedo + 0.6417, c = 2.7552 * albedo + 0.6903;
  return std::fmax(sky, ((a * sky + b) * sky + c) * sky);
}

/// Colour of an opaque surface with a lamp over the viewer's shoulder, the sky, a weak light at the eye, and a dull gloss.
/// @param albedo linear RGB @param normal unit vector, facing the eye
/// @param sky,lamp visible fractions in [0, 1] @return linear RGB, at most 1
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
