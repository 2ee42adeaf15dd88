#include <osteon/render/rays/view.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace osteon::render {

using kernel::double4;

namespace {

constexpr double half_field_of_view = 15 * std::numbers::pi / 180;

}  // namespace

view view::of(const camera& c, index3 domain, vector3 spacing_mm, int width, int height) {
  view v{domain, spacing_mm, width, height, c.perspective, {}, {}, {}, {}, {}, {}, 0, {}};
  vector3 centre;
  for (int axis = 0; axis < 3; ++axis) centre[axis] = 0.5 * static_cast<double>(domain[axis]) * spacing_mm[axis];
  const double radius = std::sqrt(dot(centre, centre));
  v.focus = c.look_at_mm.value_or(centre);
  double azimuth = c.azimuth_deg * std::numbers::pi / 180, elevation = c.elevation_deg * std::numbers::pi / 180;
  if (c.eye_mm) {
    const vector3 back = along(*c.eye_mm, -1, v.focus);
    const double level = std::hypot(back.y, back.x);
    elevation = std::atan2(back.z, level);
    if (level > 0)
      azimuth = std::atan2(back.y, back.x);  // in a vertical view, the azimuth of the camera rotates the picture
  }
  const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation), se = std::sin(elevation);
  v.forward = {-se, -ce * sa, -ce * ca};
  v.right = c.is_left_handed ? vector3{0, -ca, sa} : vector3{0, ca, -sa};
  v.up = {ce, -se * sa, -se * ca};
  const vector3 aside = along(v.focus, -1, centre);
  // Parallel rays begin in the plane of the eye. This plane must be outside of the domain.
  const double distance = radius / std::sin(half_field_of_view) + (c.perspective ? 0 : std::sqrt(dot(aside, aside)));
  v.eye = c.eye_mm ? *c.eye_mm : along(v.focus, -distance, v.forward);
  for (int axis = 0; axis < 3; ++axis) v.voxels_per_mm[axis] = 1 / spacing_mm[axis];
  const double half_picture = 0.5 * std::min(width, height);
  v.pixel = (c.perspective ? std::tan(half_field_of_view) : radius) / half_picture / c.zoom;
  return v;
}

namespace {

double whole_part(double a) { return std::floor(a); }
double4 whole_part(const double4& a) { return kernel::to_double(__builtin_convertvector(a, kernel::integer4)); }  // a >= 0
double square_root(double a) { return std::sqrt(a); }
double4 square_root(double4 a) {
  for (int lane = 0; lane < 4; ++lane) a[lane] = std::sqrt(a[lane]);
  return a;
}

template <class F>
F stagger_of(const F& column, double row) {
  const auto fraction = [](const F& a) { return a - whole_part(a); };
  return 0.98 * (fraction(52.9829189 * fraction(0.06711056 * column + 0.00583715 * row)) - 0.5);
}

}  // namespace

// F is a number, or a vector of numbers for several columns.
template <class F>
view::rays_of<F> view::rays_through(const F& column, const F& row) const {
  const auto lesser = [](const F& a, const F& b) { return a < b ? a : b; };
  const auto greater = [](const F& a, const F& b) { return a > b ? a : b; };
  const F u = (column + (0.5 - 0.5 * width)) * pixel;
  const F w = (0.5 * height - row - 0.5) * pixel;
  rays_of<F> r;
  F through[3], square{};  // vector in the order z, y, x (mm)
  for (int axis = 0; axis < 3; ++axis) {
    const F shift = u * right[axis] + w * up[axis];
    r.origin[axis] = ((perspective ? F{} : shift) + eye[axis]) * voxels_per_mm[axis];
    through[axis] = (perspective ? shift : F{}) + forward[axis];
    square += through[axis] * through[axis];
  }
  const F shorter = 1 / square_root(square);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  r.entry = F{};
  r.exit = F{} + infinite;
  for (int axis = 0; axis < 3; ++axis) {
    through[axis] *= shorter;
    const F &origin = r.origin[axis], &direction = r.direction[axis] = through[axis] * voxels_per_mm[axis];
    const auto extent = static_cast<double>(domain[axis]);
    const F inverse = 1 / direction, a = -origin * inverse, b = (extent - origin) * inverse;
    const F along_faces = ((origin < 0) | (origin >= extent)) ? F{} + infinite : F{} - infinite;
    r.entry = greater(r.entry, direction == 0 ? along_faces : lesser(a, b));
    r.exit = lesser(r.exit, direction == 0 ? F{} + infinite : greater(a, b));
  }
  for (const clip_plane& plane : clip) {
    F rise{}, room = F{} + plane.offset_mm;
    for (int axis = 0; axis < 3; ++axis) {
      rise += plane.normal[axis] * through[axis];
      room -= plane.normal[axis] * spacing_mm[axis] * r.origin[axis];
    }
    r.exit = rise > 0 ? lesser(r.exit, room / rise) : r.exit;
    r.entry = rise < 0 ? greater(r.entry, room / rise) : r.entry;
    r.exit = ((rise == 0) & (room < 0)) ? r.entry : r.exit;
  }
  return r;
}

kernel::ray view::ray_through(double column, double row) const {
  const auto r = rays_through<double>(column, row);
  return {{r.origin[0], r.origin[1], r.origin[2]}, {r.direction[0], r.direction[1], r.direction[2]}, r.entry, r.exit};
}

view::rays_of<kernel::double4> view::staggered_rays(int column, int row, double step) const {
  const double4 columns = double4{0, 1, 2, 3} + static_cast<double>(column);
  auto result = rays_through(columns, kernel::all(static_cast<double>(row)));
  result.entry += step * stagger_of(columns, row);
  return result;
}

view::rays_of<double4> view::four_rays(const double4& columns, const double4& rows) const {
  return rays_through(columns, rows);
}

vector3 view::face_entered(const kernel::ray& entering) const {
  vector3 result, point;
  if (entering.entry <= 0) {  // the eye is inside the domain
    for (int axis = 0; axis < 3; ++axis) result[axis] = -entering.direction[axis] * spacing_mm[axis];
    return result;
  }
  for (int axis = 0; axis < 3; ++axis)
    point[axis] = (entering.origin[axis] + entering.entry * entering.direction[axis]) * spacing_mm[axis];
  double nearest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    if (entering.direction[axis] == 0) continue;
    const double face = entering.direction[axis] > 0 ? 0 : static_cast<double>(domain[axis]) * spacing_mm[axis];
    const double distance = std::abs(point[axis] - face);
    if (distance >= nearest) continue;
    nearest = distance;
    result = {};
    result[axis] = entering.direction[axis] > 0 ? -1 : 1;
  }
  for (const clip_plane& plane : clip) {
    const double length = std::sqrt(dot(plane.normal, plane.normal));
    const double distance = std::abs(dot(plane.normal, point) - plane.offset_mm) / length;
    if (distance >= nearest) continue;
    nearest = distance;
    for (int axis = 0; axis < 3; ++axis) result[axis] = plane.normal[axis] / length;
  }
  return result;
}

double view::depth(const vector3& point) const { return dot(along(point, -1, eye), forward); }

std::array<double, 2> view::project(const vector3& point) const {
  const vector3 offset{point.z - eye.z, point.y - eye.y, point.x - eye.x};
  const double scale = pixel * (perspective ? dot(offset, forward) : 1.0);
  return {0.5 * width + dot(offset, right) / scale, 0.5 * height - dot(offset, up) / scale};
}

pixel_box view::seen(const box3& part) const {
  double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
  int behind = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const vector3 point{static_cast<double>((corner & 4 ? part.end : part.begin).z) * spacing_mm.z,
                        static_cast<double>((corner & 2 ? part.end : part.begin).y) * spacing_mm.y,
                        static_cast<double>((corner & 1 ? part.end : part.begin).x) * spacing_mm.x};
    if (!(depth(point) > 0)) ++behind;
    if (perspective && behind > 0) continue;
    const auto at = project(point);
    for (std::size_t i = 0; i < 2; ++i) {
      low[i] = std::min(low[i], at[i]);
      high[i] = std::max(high[i], at[i]);
    }
  }
  if (behind == 8) return {};
  if (perspective && behind > 0) return {0, 0, width, height};
  const auto pixels = [](double at, int most) { return static_cast<int>(std::clamp(at, 0.0, static_cast<double>(most))); };
  return {pixels(std::floor(low[0]) - 1, width), pixels(std::floor(low[1]) - 1, height),
          pixels(std::ceil(high[0]) + 1, width), pixels(std::ceil(high[1]) + 1, height)};
}

double stagger(int column, int row) { return stagger_of<double>(column, row); }

std::vector<int> visibility_order(const view& from, const grid::box_tree& boxes) {
  return boxes.ordered([&](const grid::box_tree::cut& c) {
    // Parallel rays begin at infinity.
    return from.perspective ? from.eye[c.along] / from.spacing_mm[c.along] < static_cast<double>(c.position)
                            : from.forward[c.along] >= 0;
  });
}

}  // namespace osteon::render
