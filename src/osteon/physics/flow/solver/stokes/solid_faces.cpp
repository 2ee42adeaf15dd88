#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/numerics/operators/ghosted_cells.hpp>
#include <osteon/physics/flow/solver/stokes/solid_faces.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <osteon/voxel/rows_of_runs.hpp>
#include <tuple>

namespace osteon::physics {

namespace {

// Call meet(fluid voxel, number of the fluid voxel, side, number of the solid voxel) row by row for the faces between fluid
// and solid. Coordinates are relative to the block. Ghosts have the coordinates -1 and `shape`.
template <class Meet>
void for_each_contact(const ghosted_cells& wet, const ghosted_cells& solid, const Meet& meet) {
  const index3 shape = wet.shape;
  for (std::int64_t z = -1; z <= shape.z; ++z)
    for (std::int64_t y = -1; y <= shape.y; ++y) {
      const auto labels = solid.row(z, y);
      if (labels.empty()) continue;
      for (int side = 0; side < 4; ++side) {
        // The fluid voxel is on the opposite side of the solid voxel.
        const std::int64_t step = side % 2 == 0 ? 1 : -1;
        const std::int64_t zf = side / 2 == 0 ? z + step : z, yf = side / 2 == 1 ? y + step : y;
        if (zf < -1 || zf > shape.z || yf < -1 || yf > shape.y) continue;
        voxel::for_each_meeting(wet.row(zf, yf), labels, 0, [&](const voxel::run& f, const voxel::run& s) {
          const std::int32_t begin = std::max(f.x, s.x), end = std::min(f.x + f.length, s.x + s.length);
          for (std::int32_t x = begin; x < end; ++x) meet(index3{zf, yf, x}, f.first + x - f.x, side, s.first + x - s.x);
        });
      }
      voxel::for_each_meeting(wet.row(z, y), labels, 1, [&](const voxel::run& f, const voxel::run& s) {
        if (f.x + f.length == s.x) meet(index3{z, y, s.x - 1}, f.first + f.length - 1, 5, s.first);
        if (s.x + s.length == f.x) meet(index3{z, y, f.x}, f.first, 4, s.first + s.length - 1);
      });
    }
}

}  // namespace

int inner_boundary_at(const through_problem& problem, index3 voxel, material_number label, int side, int* second) {
  int whole = -1, part = -1;
  if (second != nullptr) *second = -1;
  for (std::size_t n = 0; n < problem.boundaries.size(); ++n) {
    const flow_boundary& b = problem.boundaries[n];
    if (!b.is_inside || (b.label != 0 && b.label != label)) continue;
    if ((b.only_side >= 0 && b.only_side != (side ^ 1)) || !b.holds(voxel, problem.spacing_mm, -1)) continue;
    int& found = b.is_everywhere() ? whole : part;
    if (found < 0)
      found = static_cast<int>(n);
    else if (second != nullptr)
      *second = static_cast<int>(n);
  }
  return part >= 0 ? part : whole;
}

solid_faces find_solid_faces(const through_problem& problem, const voxel::run_set& fluid) {
  solid_faces result;
  const grid::block& where = problem.where;
  const ghosted_cells wet = with_ghosts(where, fluid, problem.periodic),
                      solid = with_ghosts(where, problem.labelled.cells, problem.periodic);
  std::vector<material_number> label(at(solid.size));
  std::copy(problem.labelled.number.begin(), problem.labelled.number.end(), label.begin());
  solid.links.exchange(label.data());
  const index3 domain = where.domain;
  for_each_contact(wet, solid, [&](index3 place, std::int32_t cell, int side, std::int32_t behind) {
    const bool is_own = cell < wet.owned, is_behind_owned = behind < solid.owned;
    if (!is_own && !is_behind_owned) return;
    const int axis = side / 2;
    index3 other = place;
    other[axis] += side % 2 == 0 ? -1 : 1;
    index3 voxel = where.owned.begin + place, beyond = where.owned.begin + other;
    for (int a = 0; a < 3; ++a) {  // these voxels are ghosts of a periodic box
      voxel[a] = (voxel[a] + domain[a]) % domain[a];
      beyond[a] = (beyond[a] + domain[a]) % domain[a];
    }
    int second = -1;
    const int b = inner_boundary_at(problem, beyond, label[at(behind)], side, &second);
    if (second >= 0) result.both = {b, second};
    if (is_own)
      result.faces.push_back(
          {cell, voxel, static_cast<std::uint8_t>(side), static_cast<std::int16_t>(b), label[at(behind)]});
    if (is_behind_owned && b >= 0 && problem.boundaries[at(b)].passes()) result.behind.push_back(other);
  });
  std::sort(result.faces.begin(), result.faces.end(),
            [](const solid_face& p, const solid_face& q) { return std::tie(p.cell, p.side) < std::tie(q.cell, q.side); });
  auto& b = result.behind;
  std::sort(b.begin(), b.end(), [](index3 p, index3 q) { return std::tie(p.z, p.y, p.x) < std::tie(q.z, q.y, q.x); });
  b.erase(std::unique(b.begin(), b.end()), b.end());
  return result;
}

}  // namespace osteon::physics
