#include <osteon/physics/elasticity/loads/standard_tests.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

namespace {

// Smallest fraction of the box at which the outline counts as the box. A porous block can have empty voxels in its
// corners.
constexpr double fills_box = 0.98;

struct point {
  std::int64_t v = 0, u = 0;
};

std::int64_t turn(const point& a, const point& b, const point& c) {
  return (b.v - a.v) * (c.u - a.u) - (b.u - a.u) * (c.v - a.v);
}

// Corners of the convex hull of points sorted by v, then u (monotone chain).
std::vector<point> hull_of(const std::vector<point>& points) {
  std::vector<point> hull;
  const auto add = [&](const point& p, std::size_t fixed) {
    while (hull.size() >= fixed + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
    hull.push_back(p);
  };
  for (const point& p : points) add(p, 0);
  const std::size_t turned = hull.size() - 1;
  for (auto p = points.rbegin(); p != points.rend(); ++p) add(*p, turned);
  hull.pop_back();  // equals the first point
  return hull;
}

// Projection of the solid on a plane normal to `across`: the outermost voxels of each row, over all ranks. @collective
std::vector<row_ends> shadow(const local_model& part, axis across) {
  const index3 begin = part.where.owned.begin, shape = part.header.shape;
  const int rows_along = across == axis::z ? 1 : 0;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> ends(2 * at(shape[rows_along]), none);  // for each row: first voxel, and negated last voxel
  for (const voxel::run& r : part.cells.runs()) {
    const std::int64_t z = begin.z + r.z, y = begin.y + r.y, x = begin.x + r.x;
    const std::size_t row = at(rows_along == 1 ? y : z);
    const std::int64_t first = across == axis::x ? y : x, last = across == axis::x ? y : x + r.length - 1;
    ends[2 * row] = std::min(ends[2 * row], first);
    ends[2 * row + 1] = std::min(ends[2 * row + 1], -last);
  }
  comm::all_reduce(part.where.comm, ends.data(), ends.size(), MPI_MIN);
  std::vector<row_ends> rows(ends.size() / 2);
  for (std::size_t n = 0; n < rows.size(); ++n)
    if (ends[2 * n] != none) rows[n] = {ends[2 * n], -ends[2 * n + 1]};
  return rows;
}

double voxel_area_mm2(const local_model& part, axis across) {
  const vector3 h = part.header.spacing_mm;
  return h.z * h.y * h.x / h[static_cast<int>(across)];
}

// Edges of the smallest box around the voxels of the solid. @collective
vector3 solid_box_mm(const local_model& part) {
  const index3 begin = part.where.owned.begin;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, 6> ends{none, none, none, none, none, none};
  for (const voxel::run& r : part.cells.runs()) {
    const index3 first = begin + index3{r.z, r.y, r.x}, last = first + index3{0, 0, r.length - 1};
    for (int a = 0; a < 3; ++a) {
      ends[at(a)] = std::min(ends[at(a)], first[a]);
      ends[at(a) + 3] = std::min(ends[at(a) + 3], -last[a]);
    }
  }
  comm::all_reduce(part.where.comm, ends.data(), 6, MPI_MIN);
  vector3 size;
  for (int a = 0; a < 3; ++a) size[a] = static_cast<double>(1 - ends[at(a) + 3] - ends[at(a)]) * part.header.spacing_mm[a];
  return size;
}

double across_mm2(const vector3& box_mm, axis across) {
  return box_mm.z * box_mm.y * box_mm.x / box_mm[static_cast<int>(across)];
}

}  // namespace

std::int64_t voxels_in_outline(std::span<const row_ends> rows) {
  std::vector<point> points;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    if (rows[v].last < rows[v].first) continue;
    points.push_back({static_cast<std::int64_t>(v), rows[v].first});
    if (rows[v].last > rows[v].first) points.push_back({static_cast<std::int64_t>(v), rows[v].last});
  }
  if (points.size() < 2) return static_cast<std::int64_t>(points.size());
  const std::vector<point> hull = hull_of(points);
  // Pick's theorem, applied to twice the area and the number of voxels on the outline. The outline of collinear voxels has
  // two coincident sides.
  std::int64_t area2 = 0, on_outline = 0;
  for (std::size_t n = 0; n < hull.size(); ++n) {
    const point &a = hull[n], &b = hull[(n + 1) % hull.size()];
    area2 += a.v * b.u - a.u * b.v;
    on_outline += std::gcd(b.v - a.v, b.u - a.u);
  }
  return (std::abs(area2) + on_outline) / 2 + 1;
}

apparent_area area_of(const drive_spec& load, const local_model& part, axis across, bool encloses, const vector3& box_mm) {
  if (load.area_mm2) return {*load.area_mm2, "given by load.area_mm2"};
  const double box = across_mm2(box_mm, across), of_voxel = voxel_area_mm2(part, across);
  const loaded_area chosen = load.area.value_or(encloses ? loaded_area::box : loaded_area::outline);
  if (chosen == loaded_area::solid_box)
    return {across_mm2(solid_box_mm(part), across), "smallest box around the solid, as in FAIM (n88directmechanics)"};
  if (chosen == loaded_area::solid) {
    const std::int64_t voxels = comm::sum_over_ranks(part.where.comm, part.cells.size());
    const int a = static_cast<int>(across);
    return {static_cast<double>(voxels) * of_voxel * part.header.spacing_mm[a] / box_mm[a],
            "mean cross-section of the solid: volume over length"};
  }
  const std::string whole = load.faces == loaded_faces::solid ? "smallest box around the solid" : "box of the image";
  if (chosen == loaded_area::box) return {box, whole};
  const double outline = static_cast<double>(voxels_in_outline(shadow(part, across))) * of_voxel;
  if (!load.area && outline >= fills_box * box) return {box, whole + " (filled by the solid)"};
  return {outline, fmt::format("convex outline of the solid's projection along {}", "zyx"[static_cast<int>(across)])};
}

}  // namespace osteon::physics
