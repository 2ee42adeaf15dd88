#include <osteon/voxel/node_set.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace osteon::voxel {

namespace {

vector3 minus(const vector3& a, const vector3& b) { return {a.z - b.z, a.y - b.y, a.x - b.x}; }
double dot(const vector3& a, const vector3& b) { return a.z * b.z + a.y * b.y + a.x * b.x; }

bool contains(const slab& s, const vector3& p, double margin) {
  const double at = p[static_cast<int>(s.across)];
  return at >= s.low_mm - margin && at <= s.high_mm + margin;
}

bool contains(const disk& d, const vector3& p, double margin) {
  const vector3 arm = minus(p, d.centre_mm);
  const double height = dot(arm, d.normal) / std::sqrt(dot(d.normal, d.normal));
  const double radius = std::sqrt(std::max(0.0, dot(arm, arm) - height * height));
  return std::abs(height) <= d.thickness_mm / 2 + margin && radius <= d.radius_mm + margin;
}

bool contains(const cuboid& c, const vector3& p, double margin) {
  for (int a = 0; a < 3; ++a)
    if (p[a] < c.low_mm[a] - margin || p[a] > c.high_mm[a] + margin) return false;
  return true;
}

double squared_distance(const vector3& p, const vector3& begin, const vector3& end) {
  const vector3 along = minus(end, begin), arm = minus(p, begin);
  const double square = dot(along, along), t = square > 0 ? std::clamp(dot(arm, along) / square, 0.0, 1.0) : 0.0;
  const vector3 apart{arm.z - t * along.z, arm.y - t * along.y, arm.x - t * along.x};
  return dot(apart, apart);
}

// A stroke with bounding boxes of its segments, because most nodes are outside of all boxes.
struct boxed_stroke {
  explicit boxed_stroke(const stroke& s) : of(s) {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, s.points_mm.size() - 1); ++i) {
      const vector3 &a = s.points_mm[i], &b = s.points_mm[std::min(i + 1, s.points_mm.size() - 1)];
      piece p{a, b, {}};
      for (int axis = 0; axis < 3; ++axis) {
        p.box.low_mm[axis] = std::min(a[axis], b[axis]) - s.radius_mm;
        p.box.high_mm[axis] = std::max(a[axis], b[axis]) + s.radius_mm;
        whole.low_mm[axis] = i == 0 ? p.box.low_mm[axis] : std::min(whole.low_mm[axis], p.box.low_mm[axis]);
        whole.high_mm[axis] = i == 0 ? p.box.high_mm[axis] : std::max(whole.high_mm[axis], p.box.high_mm[axis]);
      }
      pieces.push_back(p);
    }
  }
  struct piece {
    vector3 begin, end;
    cuboid box;
  };
  const stroke& of;
  std::vector<piece> pieces;
  cuboid whole{};
};

bool contains(const boxed_stroke& s, const vector3& p, double margin) {
  if (!contains(s.whole, p, margin)) return false;
  const double reach = s.of.radius_mm + margin;
  return std::any_of(s.pieces.begin(), s.pieces.end(), [&](const boxed_stroke::piece& one) {
    return contains(one.box, p, margin) && squared_distance(p, one.begin, one.end) <= reach * reach;
  });
}

const slab& prepared(const slab& s) { return s; }
const disk& prepared(const disk& d) { return d; }
const cuboid& prepared(const cuboid& c) { return c; }
boxed_stroke prepared(const stroke& s) { return boxed_stroke(s); }

}  // namespace

index3 node_grid::place(std::int32_t node) const {
  const auto runs = nodes->runs();
  const run& r = *(std::upper_bound(runs.begin(), runs.end(), node,
                                    [](std::int32_t number, const run& candidate) { return number < candidate.first; }) -
                   1);
  return begin + index3{r.z, r.y, r.x + node - r.first};
}

std::vector<std::int32_t> nodes_in(const node_grid& grid, const region& where) {
  const double margin = on_plane * std::min({grid.spacing_mm.z, grid.spacing_mm.y, grid.spacing_mm.x});
  std::vector<std::int32_t> found;
  std::visit(
      [&](const auto& asked) {
        if constexpr (std::is_same_v<std::decay_t<decltype(asked)>, stroke>)
          if (asked.points_mm.empty()) return;
        const auto& shape = prepared(asked);
        for_each_node(grid, [&](std::int32_t node, index3 at) {
          if (contains(shape, grid.position_mm(at), margin)) found.push_back(node);
        });
      },
      where);
  return found;
}

std::vector<float> voxels_at_nodes(const node_grid& grid) {
  std::vector<float> count(static_cast<std::size_t>(grid.nodes->size()));
  for_each_cell(grid, [&](std::int32_t, const std::array<std::int32_t, 8>& corners) {
    for (const std::int32_t node : corners) ++count[static_cast<std::size_t>(node)];
  });
  return count;
}

std::vector<float> corners_of_cells(const node_grid& grid, std::span<const material_number> marked) {
  std::vector<float> mark(static_cast<std::size_t>(grid.nodes->size()));
  for_each_cell(grid, [&](std::int32_t cell, const std::array<std::int32_t, 8>& corners) {
    if (marked[static_cast<std::size_t>(cell)])
      for (const std::int32_t node : corners) mark[static_cast<std::size_t>(node)] = 1;
  });
  return mark;
}

std::vector<double> face_areas(const node_grid& grid, const std::vector<bool>& chosen) {
  std::vector<double> area(3 * static_cast<std::size_t>(grid.nodes->size()));
  const vector3& h = grid.spacing_mm;
  const double quarter[3] = {h.y * h.x / 4, h.z * h.x / 4, h.z * h.y / 4};
  for_each_cell(grid, [&](std::int32_t, const std::array<std::int32_t, 8>& corners) {
    for (std::size_t across = 0; across < 3; ++across) {
      const std::size_t bit = std::size_t{4} >> across;
      for (const std::size_t side : {std::size_t{0}, bit}) {
        bool all = true;
        for (std::size_t a = 0; a < 8; ++a) all &= (a & bit) != side || chosen[static_cast<std::size_t>(corners[a])];
        for (std::size_t a = 0; all && a < 8; ++a)
          if ((a & bit) == side)
            area[3 * static_cast<std::size_t>(corners[a]) + across] += side ? quarter[across] : -quarter[across];
      }
    }
  });
  return area;
}

near_node nearest_node(const node_grid& grid, vector3 point_mm) {
  near_node best{-1, std::numeric_limits<double>::infinity()};
  for_each_node(grid, [&](std::int32_t node, index3 at) {
    const vector3 arm = minus(grid.position_mm(at), point_mm);
    if (const double distance = std::sqrt(dot(arm, arm)); distance < best.distance_mm) best = {node, distance};
  });
  return best;
}

}  // namespace osteon::voxel
