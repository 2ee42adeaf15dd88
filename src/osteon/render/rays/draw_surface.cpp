#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/kernel/rays/surface_light.hpp>
#include <osteon/render/rays/cast_rays.hpp>
#include <osteon/render/rays/over_parts.hpp>

namespace osteon::render {

namespace {

// Distance in mm between a point on a ray and the origin of the ray.
double distance_along(const kernel::ray& along, const vector3& point, const vector3& spacing_mm) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis)
    sum += (point[axis] - along.origin[axis]) * along.direction[axis] * spacing_mm[axis] * spacing_mm[axis];
  return sum;
}

// Normal that points towards the eye. At grazing angles, a smoothed normal may point slightly away from the eye.
vector3 facing(const vector3& normal, const vector3& sight) {
  const double away = kernel::dot(normal, sight);
  if (!(away > 0)) return normal;
  const vector3 across{normal.z - away * sight.z, normal.y - away * sight.y, normal.x - away * sight.x};
  const double square = kernel::dot(across, across);
  return square > 1e-12 ? kernel::unit(across) : vector3{-sight.z, -sight.y, -sight.x};
}

// Appearance of a surface at a point.
class painter {
 public:
  painter(const caster& rays, const kernel::ray_surface& surface, const layer& look, const kernel::solid_pyramid* solid)
      : from_(rays.from), surface_(surface), values_(look.field->values.data()), colour_(look), solid_(solid) {
    const kernel::lighting light = light_of(from_);
    studio_ = {kernel::unit(light.toward_light), kernel::unit(light.toward_eye), from_.up, kernel::half_way(light)};
    vector3 diagonal;
    for (int axis = 0; axis < 3; ++axis) diagonal[axis] = static_cast<double>(from_.domain[axis]) * from_.spacing_mm[axis];
    reach_ = 0.2 * std::sqrt(kernel::dot(diagonal, diagonal));
    inside_ = 0.5 * std::min({from_.spacing_mm.z, from_.spacing_mm.y, from_.spacing_mm.x});
    for (const clip_plane& plane : from_.clip) {
      const double length = std::sqrt(kernel::dot(plane.normal, plane.normal));
      cut_.push_back({kernel::unit(plane.normal), plane.offset_mm / length});
    }
  }

  std::array<double, 3> of(const kernel::ray_surface::hit& hit, const kernel::ray& along) const {
    vector3 sight, at, below;
    for (int axis = 0; axis < 3; ++axis) sight[axis] = along.direction[axis] * from_.spacing_mm[axis];
    const vector3 normal = facing(hit.cut ? from_.face_entered(along) : hit.normal, sight);
    for (int axis = 0; axis < 3; ++axis) {
      at[axis] = hit.point[axis] * from_.spacing_mm[axis];
      below[axis] = hit.point[axis] - inside_ * normal[axis] / from_.spacing_mm[axis];
    }
    const double value = surface_.mean(values_, below);
    const auto& own = colour_.value(std::isnan(value) ? -std::numeric_limits<double>::infinity() : value);
    const double sky = solid_ ? solid_->sky(at, normal, reach_, cut_) : 1,
                 lamp = solid_ ? solid_->lamp(at, normal, studio_.toward_lamp, cut_) : 1;
    return kernel::lit({own[0], own[1], own[2]}, normal, studio_, sky, lamp);
  }

 private:
  const view& from_;
  const kernel::ray_surface& surface_;
  const float* values_;
  colours colour_;
  const kernel::solid_pyramid* solid_;
  kernel::studio studio_;
  double reach_, inside_;
  std::vector<kernel::half_space> cut_;
};

// Rays of up to four pixels of a surface. Unused entries are empty.
struct four_pixels {
  static constexpr std::size_t most = 4;
  std::size_t count = 0;
  int column[most], row[most];
  double tube[most];
  kernel::ray along[most];

  void cast(const caster& rays) {
    kernel::double4 columns{}, rows{};
    for (std::size_t i = 0; i < most; ++i) {
      const std::size_t from = std::min(i, count - 1);
      columns[i] = column[from] + rays.offset[0];
      rows[i] = row[from] + rays.offset[1];
    }
    const auto four = rays.from.four_rays(columns, rows);
    for (std::size_t i = 0; i < most; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        along[i].origin[axis] = four.origin[axis][i];
        along[i].direction[axis] = four.direction[axis][i];
      }
      along[i].entry = four.entry[i];
      tube[i] = i < count ? rays.end(column[i], row[i]) : -std::numeric_limits<double>::infinity();
      // The ray extends to the sample behind the tube. A surface in front of the tube may be found only at this sample.
      along[i].exit = tube[i] < along[i].entry ? along[i].entry : std::min(four.exit[i], tube[i] + 1.5 * rays.step);
    }
  }
};

}  // namespace

std::int64_t draw_surface(const caster& rays, const kernel::ray_surface& surface, const layer& look,
                          const kernel::solid_pyramid* solid, const ray_target& pixels) {
  const painter paint(rays, surface, look, solid);
  return over_parts(rays.own, [&](const pixel_box& part) {
    std::int64_t samples = 0;
    four_pixels four;
    const auto draw = [&] {
      four.cast(rays);
      std::optional<kernel::ray_surface::hit> hits[four_pixels::most];
      surface.first({&four.along[0], &four.along[1], &four.along[2], &four.along[3]}, hits, samples);
      for (std::size_t i = 0; i < four.count; ++i) {
        const kernel::ray& along = four.along[i];
        if (!hits[i] || distance_along(along, hits[i]->point, rays.from.spacing_mm) > four.tube[i]) continue;
        const auto shown = paint.of(*hits[i], along);
        kernel::wide_pixel pixel;
        for (std::size_t c = 0; c < 3; ++c) pixel.high[c] = shown[c];
        pixel.high[3] = 0;
        pixels.put(rays.place(four.column[i], four.row[i]), pixel);
      }
      four.count = 0;
    };
    for (int row = part.top; row < part.bottom; ++row)
      for (int column = part.left; column < part.right; ++column) {
        if (rays.only && !rays.only->has(column, row)) continue;
        four.column[four.count] = column;
        four.row[four.count] = row;
        if (++four.count == four_pixels::most) draw();
      }
    if (four.count > 0) draw();
    return samples;
  });
}

}  // namespace osteon::render
