#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/wall_shear.hpp>
#include <osteon/physics/flow/solver/stokes/wall_surface.hpp>
#include <unordered_map>

namespace osteon::physics {

namespace {

using vector = std::array<double, 3>;

// The component of a vector that is tangential to the smooth surface.
vector along_surface(const vector& v, const std::array<float, 3>& normal) {
  double across = 0;
  for (std::size_t c = 0; c < 3; ++c) across += v[c] * static_cast<double>(normal[c]);
  vector along = v;
  for (std::size_t c = 0; c < 3; ++c) along[c] -= across * static_cast<double>(normal[c]);
  return along;
}

// Tangential stress on each face, and average of this stress along the surface.
//
// On an inclined wall, the pressure on the stairs contributes up to half of the force. Only differences of pressures are
// used. A constant pressure exerts no force on a closed surface. However, the faces of an average do not form a closed
// surface.
class surface_stress {
 public:
  explicit surface_stress(const wall_surface& surface)
      : surface_(surface), own_(at(surface.owned())), force_(surface.size()), pushed_(surface.size()) {}

  // @param friction friction on the face @param area_vector area vector of the face, pointing out of the fluid
  void add(std::int32_t face, std::size_t axis, const vector& friction, const vector& area_vector, double pressure) {
    const auto& normal = surface_.normal(face);
    const double area = surface_.area_mm2(face);
    vector force = friction;
    for (std::size_t c = 0; c < 3; ++c) force[c] += pressure * area_vector[c];
    const vector f = along_surface(force, normal), push = along_surface(area_vector, normal);
    force_[at(face)] = {f[0], f[1], f[2], area};
    pushed_[at(face)] = {push[0], push[1], push[2], pressure * area};
    vector flat = friction;
    flat[axis] = 0;
    own_[at(face)] = area > 0 ? std::hypot(flat[0], flat[1], flat[2]) / area : 0;
  }
  /// @collective
  void average() {
    surface_.smooth(force_);
    surface_.smooth(pushed_);
  }
  double of(std::int32_t face) const {
    const auto& force = force_[at(face)];
    const auto& push = pushed_[at(face)];
    if (!(force[3] > 0)) return 0;
    vector sum{};
    for (std::size_t c = 0; c < 3; ++c) sum[c] = force[c] - push[3] / force[3] * push[c];
    const double share = surface_.roughness(face);
    return share * std::hypot(sum[0], sum[1], sum[2]) / force[3] + (1 - share) * own_[at(face)];
  }

 private:
  const wall_surface& surface_;
  std::vector<double> own_;
  wall_surface::values force_, pushed_;
};

// For each cell: conditions of the sides that a table contains.
std::unordered_map<std::int32_t, std::array<const flow_boundary*, 6>> named_sides(const through_problem& problem,
                                                                                  const open_flow_cells& open) {
  std::unordered_map<std::int32_t, std::array<const flow_boundary*, 6>> named;
  for (const flow_side& s : open.sides) named[s.cell][s.side] = &problem.boundaries[at(s.boundary)];
  return named;
}

}  // namespace

std::vector<std::uint8_t> wall_sides(const through_problem& problem, const open_flow_cells& open) {
  std::vector<std::uint8_t> walls(at(open.cells.grid.owned));
  visit_neighbours(open.cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    unsigned own = 0;
    for (std::size_t d = 0; d < 6; ++d) own |= static_cast<unsigned>(near[d] < 0) << d;
    walls[at(i)] = static_cast<std::uint8_t>(own);
  });
  for (const flow_side& s : open.sides)
    if (problem.boundaries[at(s.boundary)].kind != face_flow::wall)
      walls[at(s.cell)] = static_cast<std::uint8_t>(walls[at(s.cell)] & ~(1U << s.side));
  for (const std::int32_t i : open.cells.beyond) walls[at(i)] = wall_surface::ends_here;
  return walls;
}

wall_shear find_wall_shear(const through_problem& problem, const open_flow_cells& open,
                           const std::vector<std::array<double, 4>>& velocity, double slide_unit, double multiple) {
  const vector3 h = problem.spacing_mm;
  const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
  const std::vector<std::uint8_t> walls = wall_sides(problem, open);
  const auto named = named_sides(problem, open);
  surface_stress stress(*open.walls);
  const auto for_each_wall = [&](const auto& visit) {  // call visit for each wall in the order of face numbers
    std::int32_t face = 0;
    for (std::size_t i = 0; i < walls.size(); ++i)
      for (std::size_t d = 0; d < 6; ++d)
        if ((walls[i] >> d & 1) != 0) visit(i, d, face++);
  };
  for_each_wall([&](std::size_t i, std::size_t d, std::int32_t face) {
    const auto found = named.find(static_cast<std::int32_t>(i));
    const flow_boundary* const b = found == named.end() ? nullptr : found->second[d];
    const std::size_t a = d / 2;
    // The normal velocity is the velocity on the opposite side of the voxel. This velocity is twice the velocity at the
    // centre.
    vector friction{}, area_vector{};
    for (std::size_t c = 0; c < 3; ++c) {
      const double wall = b == nullptr || c == a ? 0 : multiple * b->slide_mm_per_s[static_cast<int>(c)] / slide_unit;
      friction[c] = area[a] * 2 * (velocity[i][c] - wall) / h[static_cast<int>(a)];
    }
    area_vector[a] = d % 2 != 0 ? area[a] : -area[a];
    stress.add(face, a, friction, area_vector, velocity[i][3] / open.cells.unit_mm);
  });
  stress.average();

  wall_shear result;
  result.of_cell.assign(walls.size(), 0);
  result.wetted_mm2.assign(walls.size(), 0);
  std::vector<double> force(walls.size()), wetted(walls.size());
  for_each_wall([&](std::size_t i, std::size_t, std::int32_t face) {
    force[i] += stress.of(face) * open.walls->area_mm2(face);
    wetted[i] += open.walls->area_mm2(face);
  });
  std::array<double, 2> sums{};
  for (std::size_t i = 0; i < walls.size(); ++i) {
    if (!(wetted[i] > 0)) continue;
    result.of_cell[i] = static_cast<float>(force[i] / wetted[i]);
    result.wetted_mm2[i] = static_cast<float>(wetted[i]);
    sums[0] += force[i], sums[1] += wetted[i];
  }
  comm::all_reduce(problem.where.comm, sums.data(), 2, MPI_SUM);
  result.mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
  return result;
}

}  // namespace osteon::physics
