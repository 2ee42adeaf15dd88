#include <osteon/kernel/rays/solid_pyramid.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <osteon/kernel/rays/surface_light.hpp>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace osteon::kernel {

namespace {

// Vectors of sixteen numbers, by the vector extension of the compiler.
constexpr int sixteen = 16;
typedef float float16 __attribute__((vector_size(64)));
typedef std::int32_t integer16 __attribute__((vector_size(64)));

[[gnu::always_inline]] inline float16 all16(float a) { return float16{} + a; }

// The words at `from` + at[i].
[[gnu::always_inline]] inline integer16 words_at(const std::uint32_t* from, const integer16& at) {
#if defined(__AVX512F__)
  return (integer16)_mm512_i32gather_epi32((__m512i)at, from, 4);
#elif defined(__AVX2__)
  typedef std::int32_t integer8 __attribute__((vector_size(32)));
  const auto half = [&](const integer8& places) {
    return (integer8)_mm256_i32gather_epi32(reinterpret_cast<const int*>(from), (__m256i)places, 4);
  };
  const auto low = half(__builtin_shufflevector(at, at, 0, 1, 2, 3, 4, 5, 6, 7)),
             high = half(__builtin_shufflevector(at, at, 8, 9, 10, 11, 12, 13, 14, 15));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  integer16 result;
  for (int i = 0; i < sixteen; ++i) result[i] = static_cast<std::int32_t>(from[at[i]]);
  return result;
#endif
}

// Width of a cone at a distance of 1. With this width, the set of cones covers the sphere.
constexpr double sky_width = 0.97;
constexpr double lamp_width = 0.14;   // 2 tan 4 degrees
constexpr float least_facing = 0.1F;  // cones closer to the tangent plane cover more of the plane than of the sky
constexpr double plate_gain = 1.7;
// The sky uses the most opaque sample of a cone; the lamp uses the product over all samples.
constexpr double sky_noise = 0.04, lamp_noise = 0.1;
constexpr double darkest = 0.02;  // transmission below which a cone ends

// Corners of a dodecahedron as unit vectors, one per opposite pair. Unused lanes are zero.
constexpr float a = 0.5773502691896258F, b = 0.9341723589627157F, c = 0.3568220897730899F;
constexpr int directions = 10;
constexpr float16 direction_z{a, a, a, a, 0, 0, b, b, c, c}, direction_y{a, a, -a, -a, b, b, c, -c, 0, 0},
    direction_x{a, -a, a, -a, c, -c, 0, 0, b, -b};

float16 clamped(const float16& v) {
  const float16 above = v > 0 ? v : float16{};
  return above < 1 ? above : all16(1);
}

// Fraction of a sample behind a plane. On average over the cell positions, linear interpolation of cell means equals a
// quadratic B-spline of the solid. @param height height of the sample centre above the plane, in cell edges
float16 behind_plane(const float16& height) {
  const float16 low = 0.5F + height * (height * height * (1 / 3.0F) - 0.75F);
  const float16 beyond = height < 1.5F ? 1.5F - height : float16{};
  return height < 0.5F ? low : beyond * beyond * beyond * (1 / 6.0F);
}

// Blocked fraction of a cone, divided by the excess solid fraction of a sample. A full sample blocks the cone. A blocking
// plate may be thinner than the sample.
float16 gain_beyond(const float16& plane) { return static_cast<float>(plate_gain) / (1 - plane); }

// Solid fractions interpolated between eight cells each. @param low,high words of the cells in two planes @param part
// fractional position between cells
float16 between(const integer16& low, const integer16& high, const float16 (&part)[3]) {
  const auto in_plane = [&](const integer16& words) {
    const auto corner = [&](int shift) { return __builtin_convertvector((words >> shift) & 255, float16); };
    const float16 first = corner(0), second = corner(16);
    const float16 along_x = first + part[2] * (corner(8) - first), next = second + part[2] * (corner(24) - second);
    return along_x + part[1] * (next - along_x);
  };
  const float16 front = in_plane(low);
  return (front + part[0] * (in_plane(high) - front)) * (1.0F / 255);
}

}  // namespace

// Positions and levels of samples towards a lamp, in groups of sixteen. Unused samples are far outside.
struct solid_pyramid::shadow_steps {
  float16 t{}, edge{};
  float16 per_mm[3]{};
  integer16 cells[3]{}, first{}, row{}, plane{};
};

solid_pyramid::solid_pyramid() = default;
solid_pyramid::solid_pyramid(solid_pyramid&&) noexcept = default;
solid_pyramid& solid_pyramid::operator=(solid_pyramid&&) noexcept = default;
solid_pyramid::~solid_pyramid() = default;

solid_pyramid::solid_pyramid(index3 cells, vector3 cell_mm, std::span<const std::uint8_t> share) {
  vector3 edge = cell_mm;
  std::vector<std::uint8_t> of_level = add_level(cells, edge, {share.begin(), share.end()});
  while (std::max({cells.z, cells.y, cells.x}) > 1) {
    cells = {(cells.z + 1) / 2, (cells.y + 1) / 2, (cells.x + 1) / 2};
    edge = {2 * edge.z, 2 * edge.y, 2 * edge.x};
    of_level = add_level(cells, edge, std::move(of_level));
  }
  list_steps();
}

// Add the words of a level. @param share solid fractions of its cells @return solid fractions of the next level; its cells
// contain two cells of this level along each axis
std::vector<std::uint8_t> solid_pyramid::add_level(index3 n, vector3 edge, std::vector<std::uint8_t> share) {
  const auto first = static_cast<std::int64_t>(words_.size());
  const double longest = std::max({edge.z, edge.y, edge.x});
  const level& here = levels_.emplace_back(level{n, {1 / edge.z, 1 / edge.y, 1 / edge.x}, longest, first});
  // Include the empty cells at both ends.
  const std::int64_t row = n.x + 2, plane = (n.y + 2) * row;
  std::vector<std::uint8_t> around(static_cast<std::size_t>((n.z + 2) * plane));
  for (std::int64_t line = 0; line < n.z * n.y; ++line)
    std::copy_n(share.begin() + line * n.x, n.x, around.begin() + (line / n.y + 1) * plane + (line % n.y + 1) * row + 1);
  words_.resize(words_.size() + static_cast<std::size_t>((n.z + 2) * (n.y + 1) * (n.x + 1)));
  std::uint32_t* to = words_.data() + here.first;
  for (std::int64_t z = 0; z < n.z + 2; ++z)
    for (std::int64_t y = 0; y <= n.y; ++y, to += n.x + 1) {
      const std::uint8_t* const from = around.data() + z * plane + y * row;
      for (std::int64_t x = 0; x <= n.x; ++x)
        to[x] = static_cast<std::uint32_t>(from[x]) | static_cast<std::uint32_t>(from[x + 1]) << 8 |
                static_cast<std::uint32_t>(from[x + row]) << 16 | static_cast<std::uint32_t>(from[x + row + 1]) << 24;
    }
  const index3 next{(n.z + 1) / 2, (n.y + 1) / 2, (n.x + 1) / 2};
  share.resize(static_cast<std::size_t>(next.volume()));
  std::uint8_t* mean = share.data();
  for (std::int64_t z = 0; z < next.z; ++z)
    for (std::int64_t y = 0; y < next.y; ++y)
      for (std::int64_t x = 0; x < next.x; ++x) {
        const std::uint8_t* const low = around.data() + (2 * z + 1) * plane + (2 * y + 1) * row + 2 * x + 1;
        int sum = 0;  // cells beyond the last cell are empty
        for (const std::int64_t at : {std::int64_t{0}, row, plane, plane + row}) sum += low[at] + low[at + 1];
        *mean++ = static_cast<std::uint8_t>((sum + 4) / 8);
      }
  return share;
}

// The distance between samples is the cell edge of their level; the last sample is within the diagonal.
void solid_pyramid::list_steps() {
  const level& finest = levels_.front();
  vector3 size;
  for (int axis = 0; axis < 3; ++axis) size[axis] = static_cast<double>(finest.cells[axis]) / finest.per_mm[axis];
  const double diagonal = std::sqrt(dot(size, size));
  int lane = sixteen;
  std::size_t l = 0;
  for (double t = finest.edge; l < levels_.size() && t < diagonal + 2 * levels_[l].edge;) {
    if (lane == sixteen) {
      steps_.emplace_back();
      for (auto& cells : steps_.back().cells) cells = integer16{} - 1;
      steps_.back().edge = all16(1);
      lane = 0;
    }
    const level& at = levels_[l];
    shadow_steps& to = steps_.back();
    to.t[lane] = static_cast<float>(t);
    to.edge[lane] = static_cast<float>(at.edge);
    for (int axis = 0; axis < 3; ++axis) {
      to.per_mm[axis][lane] = static_cast<float>(at.per_mm[axis]);
      to.cells[axis][lane] = static_cast<std::int32_t>(at.cells[axis]);
    }
    to.first[lane] = static_cast<std::int32_t>(at.first);
    to.row[lane] = static_cast<std::int32_t>(at.cells.x + 1);
    to.plane[lane] = static_cast<std::int32_t>((at.cells.y + 1) * (at.cells.x + 1));
    ++lane;
    t += at.edge;
    while (l < levels_.size() && t * lamp_width > levels_[l].edge) ++l;
  }
}

// The cones in front of a plane, one in each lane.
struct solid_pyramid::cones {
  float16 z, y, x, weight, plane, gain;

  explicit cones(const vector3& normal) {
    const float16 facing = static_cast<float>(normal.z) * direction_z + static_cast<float>(normal.y) * direction_y +
                           static_cast<float>(normal.x) * direction_x;
    const float16 sign = facing < 0 ? all16(-1) : all16(1);
    z = sign * direction_z, y = sign * direction_y, x = sign * direction_x;
    const float16 before = sign * facing;
    weight = before > least_facing ? before - least_facing : float16{};
    // The height of a sample's centre above the plane, in units of its edge, is equal on all levels.
    plane = behind_plane(before * static_cast<float>(1 / sky_width)) + static_cast<float>(sky_noise);
    gain = gain_beyond(plane);
  }
};

double solid_pyramid::sky(const vector3& point, const vector3& normal, double reach, std::span<const half_space> cut) const {
  const cones front(normal);
  const float16* const direction[3] = {&front.z, &front.y, &front.x};
  float16 blocked{};
  for (const level& at : levels_) {
    const double t = at.edge / sky_width;
    if (t >= reach) break;
    integer16 cell[3];
    float16 part[3];
    integer16 inside = integer16{} - 1;
    for (int axis = 0; axis < 3; ++axis) {
      // Position relative to the centre of the cell before the first cell.
      const double place = point[axis] * at.per_mm[axis] + 0.5, floor = std::floor(place);
      const auto base = static_cast<std::int32_t>(std::clamp(floor, -16.0, static_cast<double>(at.cells[axis] + 16)));
      constexpr float positive = 8;  // positive offset, with which conversion to an integer rounds down
      const float16 along =
          (static_cast<float>(place - floor) + positive) + static_cast<float>(t * at.per_mm[axis]) * *direction[axis];
      const integer16 whole = __builtin_convertvector(along, integer16);
      part[axis] = along - __builtin_convertvector(whole, float16);
      cell[axis] = whole + (base - static_cast<std::int32_t>(positive));
      inside &= (cell[axis] >= 0) & (cell[axis] <= static_cast<std::int32_t>(at.cells[axis]));
    }
    const auto row = static_cast<std::int32_t>(at.cells.x + 1),
               plane = static_cast<std::int32_t>((at.cells.y + 1) * (at.cells.x + 1));
    const integer16 place = inside & (cell[0] * plane + cell[1] * row + cell[2]);
    const std::uint32_t* const words = words_.data() + at.first;
    float16 share = between(words_at(words, place) & inside, words_at(words + plane, place) & inside, part);
    for (const half_space& c : cut) {
      const auto height = static_cast<float>(0.5 - (dot(c.normal, point) - c.offset) / at.edge);
      const vector3 per_cone{c.normal.z / sky_width, c.normal.y / sky_width, c.normal.x / sky_width};
      share *= clamped(height - (static_cast<float>(per_cone.z) * front.z + static_cast<float>(per_cone.y) * front.y +
                                 static_cast<float>(per_cone.x) * front.x));
    }
    const double near = t / reach;
    // Use the maximum, because solids behind one another block the same part of the sky.
    const float16 here = static_cast<float>(1 - near * near) * clamped(front.gain * (share - front.plane));
    blocked = here > blocked ? here : blocked;
  }
  const float16 seen = front.weight * (1 - blocked);
  float of_sky = 0, all = 0;
  for (int i = 0; i < directions; ++i) {
    of_sky += seen[i];
    all += front.weight[i];
  }
  return all > 0 ? static_cast<double>(of_sky / all) : 1;
}

double solid_pyramid::lamp(const vector3& point, const vector3& normal, const vector3& toward,
                           std::span<const half_space> cut) const {
  const double facing = dot(toward, normal);
  if (!(facing > 0)) return 0;
  double through = 1;
  for (const shadow_steps& at : steps_) {
    integer16 cell[3];
    float16 part[3];
    integer16 inside = integer16{} - 1;
    for (int axis = 0; axis < 3; ++axis) {
      constexpr float positive = 2;
      const float16 place =
          (static_cast<float>(point[axis]) + at.t * static_cast<float>(toward[axis])) * at.per_mm[axis] + (0.5F + positive);
      const integer16 whole = __builtin_convertvector(place, integer16);
      part[axis] = place - __builtin_convertvector(whole, float16);
      cell[axis] = whole - static_cast<std::int32_t>(positive);
      inside &= (cell[axis] >= 0) & (cell[axis] <= at.cells[axis]);
    }
    const integer16 place = inside & (at.first + cell[0] * at.plane + cell[1] * at.row + cell[2]);
    const integer16 low = words_at(words_.data(), place) & inside,
                    high = words_at(words_.data(), inside & (place + at.plane)) & inside;
    float16 share = between(low, high, part);
    for (const half_space& c : cut)
      share *= clamped(
          0.5F - (static_cast<float>(dot(c.normal, point) - c.offset) + at.t * static_cast<float>(dot(c.normal, toward))) /
                     at.edge);
    const float16 plane = behind_plane(at.t * static_cast<float>(facing) / at.edge) + static_cast<float>(lamp_noise);
    const float16 lets = 1 - clamped(gain_beyond(plane) * (share - plane));
    for (int i = 0; i < sixteen; ++i) through *= static_cast<double>(lets[i]);
    if (through < darkest) return 0;
  }
  return through;
}

std::size_t solid_pyramid::bytes() const { return words_.size() * sizeof words_.front(); }

}  // namespace osteon::kernel
