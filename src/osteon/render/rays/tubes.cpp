#include <osteon/render/rays/tubes.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <osteon/kernel/rays/surface_light.hpp>
#include <osteon/render/rays/cast_rays.hpp>
#include <osteon/render/rays/streamlines.hpp>

namespace osteon::render {

namespace {

constexpr int tile = 16;  // edge of a tile in pixels; with this edge, the rays of a tile fit into the cache
constexpr int fine = 3;   // number of rays along the edge of a pixel
constexpr int fine_tile = tile * fine;

vector3 times(const vector3& a, const vector3& b) { return {a.z * b.z, a.y * b.y, a.x * b.x}; }

// A ray in mm. The direction is a unit vector.
struct line_of_sight {
  vector3 origin, direction;
  double entry = 0, exit = 0;
};

line_of_sight sight_through(const view& from, double column, double row) {
  const kernel::ray r = from.ray_through(column, row);
  return {times(r.origin, from.spacing_mm), times(r.direction, from.spacing_mm), r.entry, r.exit};
}

// Capsule, which is the set of all points within the radius from a line segment.
struct capsule {
  vector3 a, axis;  // start of the segment, and vector from the start to the end [mm]
  double square;    // squared length of the axis
  double radius;

  // Position in [0, 1] on the axis of the projection of a point.
  double part_of(const vector3& p) const {
    return square > 0 ? std::clamp(dot(along(p, -1, a), axis) / square, 0.0, 1.0) : 0;
  }

  // Entry and exit of a ray. Without an intersection, the values are infinite.
  std::array<double, 2> crossed_by(const line_of_sight& ray) const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    std::array<double, 2> crossed{infinite, -infinite};
    // To avoid cancellation, the origin is moved to the point of the ray that is nearest to the capsule.
    const double nearby = dot(along(a, -1, ray.origin), ray.direction);
    const vector3 from_a = along(along(ray.origin, nearby, ray.direction), -1, a);
    const double axis_ray = dot(axis, ray.direction), axis_from = dot(axis, from_a), ray_from = dot(ray.direction, from_a),
                 from_from = dot(from_a, from_a), square_radius = radius * radius;
    const auto add = [&](double t) {
      crossed[0] = std::min(crossed[0], t);
      crossed[1] = std::max(crossed[1], t);
    };
    const double p = square - axis_ray * axis_ray, q = square * ray_from - axis_from * axis_ray,
                 r = square * from_from - axis_from * axis_from - square_radius * square;
    if (const double h = q * q - p * r; h >= 0 && p > 1e-12 * square)
      for (const double root : {-std::sqrt(h), std::sqrt(h)}) {
        const double t = (root - q) / p, foot = axis_from + t * axis_ray;
        if (foot >= 0 && foot <= square) add(t);
      }
    for (const bool far : {false, true}) {
      const vector3 centre = far ? along(from_a, -1, axis) : from_a;
      const double b = dot(ray.direction, centre), h = b * b - dot(centre, centre) + square_radius;
      if (h < 0) continue;
      add(-b - std::sqrt(h));
      add(-b + std::sqrt(h));
    }
    return {crossed[0] + nearby, crossed[1] + nearby};
  }
};

capsule capsule_of(const view& from, const tubes& tubes, std::size_t first_vertex) {
  const auto& vertices = tubes.lines->vertices;
  const vector3 a = times(vertices[first_vertex].at, from.spacing_mm);
  const vector3 axis = along(times(vertices[first_vertex + 1].at, from.spacing_mm), -1, a);
  return {a, axis, dot(axis, axis), tubes.radius_mm};
}

// Pixels in which a capsule may be visible. The pixels are those of view-aligned boxes around both ends.
pixel_box seen(const view& from, const capsule& c, const pixel_box& within) {
  double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
  for (const vector3& end : {c.a, along(c.a, 1, c.axis)})
    for (int corner = 0; corner < 8; ++corner) {
      vector3 point = along(end, corner & 1 ? c.radius : -c.radius, from.right);
      point = along(point, corner & 2 ? c.radius : -c.radius, from.up);
      point = along(point, corner & 4 ? c.radius : -c.radius, from.forward);
      if (from.perspective && !(from.depth(point) > 0.01 * c.radius)) return within;
      const auto at = from.project(point);
      for (std::size_t i = 0; i < 2; ++i) {
        low[i] = std::min(low[i], at[i]);
        high[i] = std::max(high[i], at[i]);
      }
    }
  const auto pixel = [](double at, int least, int most) {
    return static_cast<int>(std::clamp(at, static_cast<double>(least), static_cast<double>(most)));
  };
  return {pixel(std::floor(low[0]), within.left, within.right), pixel(std::floor(low[1]), within.top, within.bottom),
          pixel(std::ceil(high[0]), within.left, within.right), pixel(std::ceil(high[1]), within.top, within.bottom)};
}

// First intersection of a ray.
struct first_hit {
  double t = std::numeric_limits<double>::infinity();
  double part = 0;            // position along the segment, from 0 to 1
  std::int32_t segment = -1;  // number of the first vertex of the segment
  bool is_cut = false;        // true if the ray begins inside the tube
};

// Lighting and colours of a tube.
class tube_paint {
 public:
  tube_paint(const view& from, const tubes& tubes)
      : from_(from), tubes_(tubes), colour_({nullptr, tubes.transfer, false, 1}) {
    const kernel::lighting light = light_of(from);
    toward_light_ = kernel::unit(light.toward_light);
    middle_ = kernel::half_way(light);
  }

  std::array<double, 3> of(const first_hit& hit, const line_of_sight& ray, const kernel::ray& given) const {
    const auto vertex = static_cast<std::size_t>(hit.segment);
    const auto& vertices = tubes_.lines->vertices;
    vector3 normal;
    if (hit.is_cut) {
      normal = from_.face_entered(given);
    } else {
      const capsule shape = capsule_of(from_, tubes_, vertex);
      normal = kernel::unit(along(along(ray.origin, hit.t, ray.direction), -1, along(shape.a, hit.part, shape.axis)));
    }
    const auto& shown =
        colour_.value(vertices[vertex].speed + hit.part * (vertices[vertex + 1].speed - vertices[vertex].speed));
    // With dark edges, adjacent tubes can be distinguished.
    const double edge = 0.35 + 0.65 * std::max(0.0, -dot(normal, ray.direction));
    const double diffuse = edge * kernel::diffuse_light(dot(normal, toward_light_)),
                 mirrored = kernel::mirrored_light(dot(normal, middle_));
    std::array<double, 3> result{};
    for (std::size_t c = 0; c < 3; ++c) result[c] = std::min(1.0, static_cast<double>(shown[c]) * diffuse + mirrored);
    return result;
  }

 private:
  const view& from_;
  const tubes& tubes_;
  colours colour_;
  vector3 toward_light_, middle_;
};

struct piece {
  std::int32_t segment;
  pixel_box seen;
};

// The rays of a tile. Each pixel has several rays.
struct ray_tile {
  std::array<line_of_sight, fine_tile * fine_tile> ray;
  std::array<first_hit, fine_tile * fine_tile> hit;

  static double place(int first, int number) { return first + (number + 0.5) / fine - 0.5; }
};

}  // namespace

tube_hits::tube_hits(const view& from, const tubes& tubes, const pixel_box& pixels)
    : pixels_(pixels), hits_(static_cast<std::size_t>(pixels.size())) {
  if (pixels.size() == 0) return;
  const std::int64_t across = (pixels.width() + tile - 1) / tile, down = (pixels.height() + tile - 1) / tile;
  std::vector<std::vector<piece>> of_tile(static_cast<std::size_t>(across * down));
  for (std::size_t line = 0; line < tubes.lines->count(); ++line)
    for (std::size_t v = tubes.lines->first[line]; v + 1 < tubes.lines->first[line + 1]; ++v) {
      const pixel_box box = seen(from, capsule_of(from, tubes, v), pixels);
      if (box.size() == 0) continue;
      for (int y = (box.top - pixels.top) / tile; y <= (box.bottom - 1 - pixels.top) / tile; ++y)
        for (int x = (box.left - pixels.left) / tile; x <= (box.right - 1 - pixels.left) / tile; ++x)
          of_tile[static_cast<std::size_t>(y * across + x)].push_back({static_cast<std::int32_t>(v), box});
    }
  const tube_paint paint(from, tubes);
#pragma omp parallel
  {
    const auto rays = std::make_unique<ray_tile>();
#pragma omp for schedule(dynamic)
    for (std::int64_t number = 0; number < across * down; ++number) {
      const auto& pieces = of_tile[static_cast<std::size_t>(number)];
      if (pieces.empty()) continue;
      const int left = pixels.left + static_cast<int>(number % across) * tile,
                top = pixels.top + static_cast<int>(number / across) * tile;
      const int right = std::min(pixels.right, left + tile), bottom = std::min(pixels.bottom, top + tile);
      for (int y = 0; y < fine * (bottom - top); ++y)
        for (int x = 0; x < fine * (right - left); ++x)
          rays->ray[static_cast<std::size_t>(y * fine_tile + x)] =
              sight_through(from, ray_tile::place(left, x), ray_tile::place(top, y));
      rays->hit.fill({});
      for (const piece& p : pieces) {
        const capsule shape = capsule_of(from, tubes, static_cast<std::size_t>(p.segment));
        for (int y = fine * (std::max(top, p.seen.top) - top); y < fine * (std::min(bottom, p.seen.bottom) - top); ++y)
          for (int x = fine * (std::max(left, p.seen.left) - left); x < fine * (std::min(right, p.seen.right) - left); ++x) {
            const auto i = static_cast<std::size_t>(y * fine_tile + x);
            const line_of_sight& ray = rays->ray[i];
            const auto [in, out] = shape.crossed_by(ray);
            const double t = std::max(in, ray.entry);
            if (!(out > ray.entry && t < ray.exit && t < rays->hit[i].t)) continue;
            rays->hit[i] = {t, shape.part_of(along(ray.origin, t, ray.direction)), p.segment, in < ray.entry};
          }
      }
      for (int row = top; row < bottom; ++row)
        for (int column = left; column < right; ++column) {
          tube_hit& whole = hits_[static_cast<std::size_t>((row - pixels.top) * pixels.width() + column - pixels.left)];
          std::array<double, 3> sum{};
          int count = 0;
          for (int k = 0; k < fine * fine; ++k) {
            const int x = fine * (column - left) + k % fine, y = fine * (row - top) + k / fine;
            const auto i = static_cast<std::size_t>(y * fine_tile + x);
            const first_hit& hit = rays->hit[i];
            if (hit.segment < 0) continue;
            const auto shown =
                paint.of(hit, rays->ray[i], from.ray_through(ray_tile::place(left, x), ray_tile::place(top, y)));
            for (std::size_t c = 0; c < 3; ++c) sum[c] += shown[c];
            whole.t = std::min(whole.t, hit.t);
            ++count;
          }
          for (std::size_t c = 0; c < 3 && count > 0; ++c) whole.colour[c] = static_cast<float>(sum[c] / count);
          whole.share = static_cast<float>(count) / (fine * fine);
        }
    }
  }
}

void put_tubes(image& picture, const image& without, const tube_hits& hits) {
  const pixel_box& box = hits.pixels();
  const int first = std::max(box.top, picture.first_row), end = std::min(box.bottom, picture.first_row + picture.height);
  for (int row = first; row < end; ++row)
    for (int column = box.left; column < box.right; ++column) {
      const tube_hit& hit = hits.at(column, row);
      if (hit.share == 0) continue;
      const auto place = 4 * (static_cast<std::size_t>(row - picture.first_row) * static_cast<std::size_t>(picture.width) +
                              static_cast<std::size_t>(column));
      float* const front = picture.rgba.data() + place;
      const float* const background = without.rgba.data() + place;
      const float through = 1 - front[3];
      for (std::size_t c = 0; c < 3; ++c)
        front[c] = background[c] + hit.share * (front[c] + through * hit.colour[c] - background[c]);
      front[3] = background[3] + hit.share * (1 - background[3]);
    }
}

}  // namespace osteon::render
