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
constexpr float least_facing = 0.1F;  // cones nearer to the plane than this see more of it than of the sky
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

// The same by components, in single precision.
struct lanes_of_directions {
  std::array<float, directions.size()> z, y, x;
};
constexpr lanes_of_directions direction_lanes = [] {
  lanes_of_directions result{};
  for (std::size_t i = 0; i < directions.size(); ++i) {
    result.z[i] = static_cast<float>(directions[i].z);
    result.y[i] = static_cast<float>(directions[i].y);
    result.x[i] = static_cast<float>(directions[i].x);
  }
  return result;
}();

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

// The cones in front of a plane, one in each lane of a vector register. Unused lanes have weight 0.
struct solid_pyramid::cones {
  static constexpr std::size_t lanes = 16;  // at most 10 of the 20 directions are in front
  using lane = std::array<float, lanes>;
  alignas(64) lane z{}, y{}, x{}, weight{};
  alignas(64) lane plane{}, gain{};  // a cone is blocked by gain * (share - plane)

  explicit cones(const vector3& normal) {
    const auto nz = static_cast<float>(normal.z), ny = static_cast<float>(normal.y), nx = static_cast<float>(normal.x);
    std::array<float, directions.size()> facing_all;
    for (std::size_t i = 0; i < directions.size(); ++i)
      facing_all[i] = nz * direction_lanes.z[i] + ny * direction_lanes.y[i] + nx * direction_lanes.x[i];
    lane facing{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < directions.size() && n < lanes; ++i) {
      z[n] = direction_lanes.z[i];
      y[n] = direction_lanes.y[i];
      x[n] = direction_lanes.x[i];
      facing[n] = facing_all[i];
      n += facing_all[i] > least_facing ? 1 : 0;  // else the next one takes its place
    }
    for (std::size_t i = n; i < lanes; ++i) facing[i] = least_facing;
    for (std::size_t i = 0; i < lanes; ++i) {
      weight[i] = facing[i] - least_facing;
      // The middle of a sample is as many of its edges above the plane on every level.
      const float height = facing[i] * static_cast<float>(1 / sky_width), beyond = std::max(1.5F - height, 0.0F);
      const float low = 0.5F + height * (height * height * (1 / 3.0F) - 0.75F), high = beyond * beyond * beyond * (1 / 6.0F);
      plane[i] = (height < 0.5F ? low : high) + static_cast<float>(sky_noise);
      gain[i] = static_cast<float>(plate_gain) / (1 - plane[i]);
    }
  }
};

// The shares of solid around the points at a distance t along all cones, as `around` computes them one by one.
void solid_pyramid::around_cones(const level& at, const vector3& point, float t, const cones& front,
                                 std::array<float, 16>& share) const {
  constexpr std::size_t lanes = cones::lanes;
  const std::array<const cones::lane*, 3> direction{&front.z, &front.y, &front.x};
  alignas(64) std::array<std::array<std::int32_t, lanes>, 3> cell;
  alignas(64) std::array<cones::lane, 3> part;
  std::array<std::int64_t, 3> base;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const double place = point[axis] * at.per_mm[axis] + 0.5, floor = std::floor(place);
    base[a] = static_cast<std::int64_t>(std::clamp(floor, -16.0, static_cast<double>(at.cells[axis] + 16)));
    const auto from = static_cast<float>(place - floor), per_t = t * static_cast<float>(at.per_mm[axis]);
    constexpr float positive = 8;  // so that conversion to an integer rounds down
    for (std::size_t i = 0; i < lanes; ++i) {
      const float along = from + per_t * (*direction[a])[i] + positive;
      cell[a][i] = static_cast<std::int32_t>(along);
      part[a][i] = along - static_cast<float>(cell[a][i]);
      cell[a][i] -= static_cast<std::int32_t>(positive);
    }
  }
  const std::int64_t row = at.cells.x + 2, plane = (at.cells.y + 2) * row;
  alignas(64) std::array<std::array<std::uint32_t, lanes>, 4> two;  // neighbours along x
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::int64_t z = base[0] + cell[0][i], y = base[1] + cell[1][i], x = base[2] + cell[2][i];
    const bool inside = z >= 0 && y >= 0 && x >= 0 && z <= at.cells.z && y <= at.cells.y && x <= at.cells.x;
    const std::uint8_t* const first = at.share.data() + (inside ? z * plane + y * row + x : 0);
    for (std::size_t k = 0; k < 4; ++k) {
      std::uint16_t ends = 0;
      if (inside)
        std::memcpy(&ends, first + static_cast<std::int64_t>(k >> 1) * plane + static_cast<std::int64_t>(k & 1) * row, 2);
      two[k][i] = ends;
    }
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    const auto along_x = [&](std::size_t k) {
      const auto low = static_cast<float>(static_cast<std::int32_t>(two[k][i] & 255)),
                 high = static_cast<float>(static_cast<std::int32_t>(two[k][i] >> 8));
      return low + part[2][i] * (high - low);
    };
    const float front_low = along_x(0), front_high = along_x(1), back_low = along_x(2), back_high = along_x(3);
    const float low = front_low + part[1][i] * (front_high - front_low),
                high = back_low + part[1][i] * (back_high - back_low);
    share[i] = (low + part[0][i] * (high - low)) * (1.0f / 255);
  }
}

double solid_pyramid::sky(const vector3& point, const vector3& normal, double reach, std::span<const half_space> cut) const {
  const cones front(normal);
  alignas(64) cones::lane blocked{}, share;
  for (const level& at : levels_) {
    const double t = at.edge / sky_width;
    if (t >= reach) break;
    around_cones(at, point, static_cast<float>(t), front, share);
    for (const half_space& c : cut) {
      const auto height = static_cast<float>(0.5 - (dot(c.normal, point) - c.offset) / at.edge);
      const vector3 per_cone{c.normal.z / sky_width, c.normal.y / sky_width, c.normal.x / sky_width};
      for (std::size_t i = 0; i < cones::lanes; ++i) {
        const float along = static_cast<float>(per_cone.z) * front.z[i] + static_cast<float>(per_cone.y) * front.y[i] +
                            static_cast<float>(per_cone.x) * front.x[i];
        share[i] *= std::clamp(height - along, 0.0f, 1.0f);
      }
    }
    const double near = t / reach;
    const auto counts = static_cast<float>(1 - near * near);
    // Solids one behind another block the same part of the sky: the largest counts.
    for (std::size_t i = 0; i < cones::lanes; ++i)
      blocked[i] = std::max(blocked[i], counts * std::clamp(front.gain[i] * (share[i] - front.plane[i]), 0.0f, 1.0f));
  }
  float seen = 0, all = 0;
  for (std::size_t i = 0; i < cones::lanes; ++i) {
    seen += front.weight[i] * (1 - blocked[i]);
    all += front.weight[i];
  }
  return all > 0 ? static_cast<double>(seen / all) : 1;
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
