#include <osteon/solve/flow/wall_slopes.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>

namespace osteon::solve {

namespace {

constexpr int columns = 2;  // to either side
constexpr int deepest = 8;  // voxels that a column is followed
constexpr int layers = columns + deepest + 1;

// Of a voxel: 0, or 1 and the bits of the sides that fluid passes.
std::vector<float> dense(const grid::block& where, const voxel::run_set& wet, const std::vector<std::uint8_t>& open) {
  const index3 shape = where.owned.shape();
  std::vector<float> values(at(shape.volume()));
  for (const voxel::run& r : wet.runs())
    for (std::int32_t n = 0; n < r.length; ++n)
      values[at((r.z * shape.y + r.y) * shape.x + r.x + n)] =
          open.empty() ? 1.0F : 1.0F + static_cast<float>(open[at(r.first + n)]);
  return values;
}

}  // namespace

wall_slopes::wall_slopes(const grid::block& where, const voxel::run_set& wet, const vector3& spacing_mm,
                         const std::vector<std::uint8_t>& open)
    : present_(grid::with_ghost_cells(where, dense(where, wet, open), layers)),
      runs_(wet.runs().begin(), wet.runs().end()),
      begin_(where.owned.begin),
      domain_(where.domain),
      spacing_mm_(spacing_mm) {
  std::sort(runs_.begin(), runs_.end(), [](const voxel::run& a, const voxel::run& b) { return a.first < b.first; });
}

wall_slopes::voxel_kind wall_slopes::kind_at(index3 voxel) const {
  for (int a = 0; a < 3; ++a)
    if (voxel[a] < 0 || voxel[a] >= domain_[a]) return voxel_kind::outside;
  const index3 v = voxel - present_.present.begin, shape = present_.present.shape();
  for (int a = 0; a < 3; ++a)
    if (v[a] < 0 || v[a] >= shape[a]) return voxel_kind::outside;
  return present_.values[at((v.z * shape.y + v.y) * shape.x + v.x)] != 0 ? voxel_kind::wet : voxel_kind::dry;
}

bool wall_slopes::is_open(index3 voxel, int side) const {
  const index3 v = voxel - present_.present.begin, shape = present_.present.shape();
  const auto value = static_cast<unsigned>(present_.values[at((v.z * shape.y + v.y) * shape.x + v.x)]);
  return value > 0 && ((value - 1) >> side & 1U) != 0;
}

// Slope of the surface over the axis `along`, from the heights of the fluid's columns around that of the voxel.
double wall_slopes::slope(index3 voxel, int axis, int outward, int along) const {
  const auto kind = [&](int column, int height) {
    index3 v = voxel;
    v[along] += column;
    v[axis] += std::int64_t{outward} * height;
    return kind_at(v);
  };
  // The change of height of a column from that of its neighbour, at most `deepest`.
  const auto change = [&](int column, int height) {
    int by = 0;
    if (kind(column, height) == voxel_kind::wet) {
      while (by < deepest && kind(column, height + by + 1) == voxel_kind::wet) ++by;
    } else {
      for (by = -1; by > -deepest && kind(column, height + by) != voxel_kind::wet;) --by;
    }
    return by;
  };
  double count = 1, sum_k = 0, sum_kk = 0, sum_h = 0, sum_kh = 0;
  std::array<int, 2> last{}, height{}, cliff{};  // of the two directions: the last column, its height, the jump behind it
  for (const std::size_t high : {0, 1}) {
    const int step = high != 0 ? 1 : -1;
    for (int n = 1; n <= columns; ++n) {
      const int column = step * n;
      index3 before = voxel, beside = voxel;  // the highest voxel of the last column, and the next column
      before[along] += column - step;
      before[axis] += std::int64_t{outward} * height[high];
      beside[along] += column;
      if (beside[along] < 0 || beside[along] >= domain_[along]) break;
      if (is_open(before, 2 * along + static_cast<int>(high))) break;
      const int by = change(column, height[high]);
      if (std::abs(by) > 1) {
        cliff[high] = by;
        break;
      }
      height[high] += by;
      last[high] = n;
      ++count;
      sum_k += column, sum_kk += column * column;
      sum_h += height[high], sum_kh += column * height[high];
    }
  }
  if (cliff[0] * cliff[1] < 0)
    return static_cast<double>(height[1] + cliff[1] - height[0] - cliff[0]) / (last[0] + last[1] + 2);
  const double spread = count * sum_kk - sum_k * sum_k;
  return spread > 0 ? (count * sum_kh - sum_k * sum_h) / spread : 0;
}

double wall_slopes::share(std::int32_t cell, std::size_t side) const {
  const auto r = std::upper_bound(runs_.begin(), runs_.end(), cell,
                                  [](std::int32_t value, const voxel::run& run) { return value < run.first; }) -
                 1;
  const index3 voxel = begin_ + index3{r->z, r->y, r->x + cell - r->first};
  const int axis = static_cast<int>(side / 2), outward = side % 2 != 0 ? 1 : -1;
  index3 beyond = voxel;
  beyond[axis] += outward;
  if (beyond[axis] < 0 || beyond[axis] >= domain_[axis]) return 1;
  double square = 1;
  for (int along = 0; along < 3; ++along)
    if (along != axis) {
      const double p = slope(voxel, axis, outward, along) * spacing_mm_[axis] / spacing_mm_[along];
      square += p * p;
    }
  return 1 / std::sqrt(square);
}

}  // namespace osteon::solve
