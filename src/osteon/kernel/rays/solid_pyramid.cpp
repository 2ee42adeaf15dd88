#include <algorithm>
#include <cmath>
#include <cstring>
#include <osteon/kernel/rays/solid_pyramid.hpp>
#include <osteon/kernel/rays/surface_light.hpp>

namespace osteon::kernel {

namespace {

// How wide a cone is at a distance of 1: so many of them fill the sphere.
constexpr double sky_width = 0.97;
constexpr double lamp_width = 0.14;   // 2 tan 4 degrees
constexpr double least_facing = 0.1;  // cones nearer to the plane than this see more of it than of the sky
constexpr double plate_gain = 1.7;
// Of the sky the worst sample of a cone counts, of the lamp the product of many.
constexpr double sky_noise = 0.04, lamp_noise = 0.1;
constexpr double darkest = 0.02;  // below it a cone is followed no farther

vector3 along(const vector3& from, double t, const vector3& direction) {
  return {from.z + t * direction.z, from.y + t * direction.y, from.x + t * direction.x};
}

// The corners of a dodecahedron, as unit vectors.
constexpr double a = 0.5773502691896258, b = 0.9341723589627157, c = 0.3568220897730899;
constexpr std::array<vector3, 20> directions{{{a, a, a},   {a, a, -a},  {a, -a, a},   {a, -a, -a}, {-a, a, a},
                                              {-a, a, -a}, {-a, -a, a}, {-a, -a, -a}, {0, b, c},   {0, b, -c},
                                              {0, -b, c},  {0, -b, -c}, {b, c, 0},    {b, -c, 0},  {-b, c, 0},
                                              {-b, -c, 0}, {c, 0, b},   {-c, 0, b},   {c, 0, -b},  {-c, 0, -b}}};

// The share of a sample that lies behind a plane. Means of cells between which one interpolates linearly are a quadratic
// B-spline of the solid, on average over where the cells lie. @param height of its middle above it, in edges of the cells
double behind_plane(double height) {
  if (height >= 1.5) return 0;
  const double beyond = 1.5 - height;
  return height < 0.5 ? 0.5 + height * (height * height / 3 - 0.75) : beyond * beyond * beyond / 6;
}

// How much of a cone a sample blocks: by the solid that it has beyond that of the plane, as a share of what it could have.
// What blocks a cone need not fill a sample along it: a plate that is thinner than the sample is to block it, too.
double blocked_by(double share, double height, double noise) {
  const double plane = behind_plane(height) + noise;
  return std::clamp(plate_gain * (share - plane) / (1 - plane), 0.0, 1.0);
}

}  // namespace

solid_pyramid::solid_pyramid(index3 cells, vector3 cell_mm, std::span<const std::uint8_t> share) {
  vector3 edge = cell_mm;
  const auto place = [](const index3& n, std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<std::size_t>(((z + 1) * (n.y + 2) + y + 1) * (n.x + 2) + x + 1);
  };
  const auto add = [&](index3 n) -> level& {
    level next{n, {1 / edge.z, 1 / edge.y, 1 / edge.x}, std::max({edge.z, edge.y, edge.x}), {}};
    next.share.resize(static_cast<std::size_t>((n.z + 2) * (n.y + 2) * (n.x + 2)));
    return levels_.emplace_back(std::move(next));
  };
  level& finest = add(cells);
  for (std::int64_t z = 0; z < cells.z; ++z)
    for (std::int64_t y = 0; y < cells.y; ++y)
      std::copy_n(share.begin() + (z * cells.y + y) * cells.x, cells.x,
                  finest.share.begin() + static_cast<std::ptrdiff_t>(place(cells, z, y, 0)));
  while (std::max({levels_.back().cells.z, levels_.back().cells.y, levels_.back().cells.x}) > 1) {
    const index3 from = levels_.back().cells, n{(from.z + 1) / 2, (from.y + 1) / 2, (from.x + 1) / 2};
    edge = {2 * edge.z, 2 * edge.y, 2 * edge.x};
    add(n);
    const level& below = levels_[levels_.size() - 2];
    level& next = levels_.back();
    for (std::int64_t z = 0; z < n.z; ++z)
      for (std::int64_t y = 0; y < n.y; ++y)
        for (std::int64_t x = 0; x < n.x; ++x) {
          int sum = 0;  // cells beyond the last one are those of the empty surface
          for (int k = 0; k < 8; ++k)
            sum += below.share[place(from, 2 * z + (k >> 2), 2 * y + (k >> 1 & 1), 2 * x + (k & 1))];
          next.share[place(n, z, y, x)] = static_cast<std::uint8_t>((sum + 4) / 8);
        }
  }
}

double solid_pyramid::around(const level& at, const vector3& point, std::span<const half_space> cut) const {
  const index3& n = at.cells;
  // From the middle of the cell before the first.
  const double z = point.z * at.per_mm.z + 0.5, y = point.y * at.per_mm.y + 0.5, x = point.x * at.per_mm.x + 0.5;
  if (!(z >= 0 && y >= 0 && x >= 0 && z < static_cast<double>(n.z + 1) && y < static_cast<double>(n.y + 1) &&
        x < static_cast<double>(n.x + 1)))
    return 0;
  const auto cell_z = static_cast<std::int32_t>(z), cell_y = static_cast<std::int32_t>(y),
             cell_x = static_cast<std::int32_t>(x);
  const std::int64_t row = n.x + 2, plane = (n.y + 2) * row;
  const std::uint8_t* const first = at.share.data() + cell_z * plane + cell_y * row + cell_x;
  std::uint16_t two[4];  // neighbours along x
  for (int k = 0; k < 4; ++k) std::memcpy(two + k, first + (k >> 1) * plane + (k & 1) * row, 2);
  if ((two[0] | two[1] | two[2] | two[3]) == 0) return 0;
  const auto part_z = static_cast<float>(z - cell_z), part_y = static_cast<float>(y - cell_y),
             part_x = static_cast<float>(x - cell_x);
  float along_x[4];
  for (int k = 0; k < 4; ++k) {
    std::uint8_t ends[2];
    std::memcpy(ends, two + k, 2);
    const float one = ends[0];
    along_x[k] = one + part_x * (static_cast<float>(ends[1]) - one);
  }
  const float low = along_x[0] + part_y * (along_x[1] - along_x[0]), high = along_x[2] + part_y * (along_x[3] - along_x[2]);
  auto share = static_cast<double>((low + part_z * (high - low)) / 255);
  for (const half_space& c : cut) share *= std::clamp(0.5 - (dot(c.normal, point) - c.offset) / at.edge, 0.0, 1.0);
  return share;
}

double solid_pyramid::sky(const vector3& point, const vector3& normal, double reach, std::span<const half_space> cut) const {
  double seen = 0, all = 0;
  for (const vector3& direction : directions) {
    const double facing = dot(direction, normal), weight = facing - least_facing;
    if (!(weight > 0)) continue;
    double blocked = 0;
    for (const level& at : levels_) {
      const double t = at.edge / sky_width;
      if (t >= reach || 1 - blocked < darkest) break;
      const double near = t / reach;
      // What stands behind each other hides the same part of the sky, as far as it can.
      blocked = std::max(blocked, (1 - near * near) * blocked_by(around(at, along(point, t, direction), cut),
                                                                 t * facing / at.edge, sky_noise));
    }
    seen += weight * (1 - blocked);
    all += weight;
  }
  return all > 0 ? seen / all : 1;
}

double solid_pyramid::lamp(const vector3& point, const vector3& normal, const vector3& toward,
                           std::span<const half_space> cut) const {
  const double facing = dot(toward, normal);
  if (!(facing > 0) || levels_.empty()) return 0;
  double through = 1, t = levels_.front().edge;
  for (std::size_t l = 0; l < levels_.size() && through >= darkest;) {
    const level& at = levels_[l];
    // If blocks eight times as large are empty, so is all to a distance of 4 edges, and a sample reaches 1.5 from its
    // middle.
    if (l + 3 < levels_.size() && around(levels_[l + 3], along(point, t, toward), cut) == 0) {
      t += 3 * at.edge;
      while (l < levels_.size() && t * lamp_width > levels_[l].edge) ++l;
      continue;
    }
    through *= 1 - blocked_by(around(at, along(point, t, toward), cut), t * facing / at.edge, lamp_noise);
    t += at.edge;
    while (l < levels_.size() && t * lamp_width > levels_[l].edge) ++l;
  }
  return through < darkest ? 0 : through;
}

std::size_t solid_pyramid::bytes() const {
  std::size_t sum = 0;
  for (const level& l : levels_) sum += l.share.size();
  return sum;
}

}  // namespace osteon::kernel
