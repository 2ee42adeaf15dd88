#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>

namespace osteon::physics {

namespace {

// Forces of the fluid on the solid voxels. The forces are pressure, friction, and the momentum flux through half-solid sides
// of control volumes. Together with the forces on openings and outer walls, these forces satisfy the momentum balance of the
// velocity equations. All terms belong to one face between a fluid voxel and a solid voxel. On this face, each half of a
// side of a control volume has the friction of a whole voxel. This friction is independent of the other half.
class face_force {
 public:
  face_force(const open_flow_cells& open, const double* x, const flow_convection* inertia)
      : cells_(open.cells), x_(x), inertia_(inertia) {}

  std::array<double, 3> of(std::int32_t i, const std::array<std::int32_t, 6>& near, std::size_t d) const {
    std::array<double, 3> force = friction(i, near, d, {}, false);
    const std::size_t a = d / 2;
    const double pressure = cells_.slope[a] * x_[3 * cells_.stride() + i];
    if (d % 2 == 0)
      force[a] += cells_.weight[a] * velocity(a, near[d + 1]) - pressure;
    else
      force[a] += cells_.weight[a] * velocity(a, i) + pressure;
    return force;
  }

  // Force along the face. @param slide velocity of the solid @param is_slippery true: only half-fluid sides have friction,
  // because the distance to their faces is that to a wall
  std::array<double, 3> friction(std::int32_t i, const std::array<std::int32_t, 6>& near, std::size_t d,
                                 const std::array<double, 3>& slide, bool is_slippery) const {
    std::array<double, 3> force{};
    const std::size_t a = d / 2;
    for (const std::size_t c : kernel::axes_across[a])
      for (const std::size_t side : {2 * c, 2 * c + 1}) {
        const std::int32_t other = near[side], face = side % 2 == 0 ? i : other;  // cell that has this face as its low face
        if (face < 0) continue;
        const bool is_half_fluid = other >= 0 && (cells_.grid.open[at(other)] >> d & 1) != 0;
        const bool is_between = is_unknown(c, face);
        const double wall = is_half_fluid || cells_.friction[c][at(face)] == 0 ? 0 : slide[c];
        if (!is_slippery || is_half_fluid) force[c] += cells_.weight[a] * (velocity(c, face) - wall);
        if (inertia_ != nullptr && is_between && is_half_fluid)
          force[c] += inertia_->carried_off(x_, face, side % 2 == 0 ? other : i, c, d);
      }
    return force;
  }

 private:
  double velocity(std::size_t c, std::int32_t i) const { return i < 0 ? 0 : x_[c * at(cells_.stride()) + at(i)]; }
  // Return true if the low face of a cell is between two fluid cells.
  bool is_unknown(std::size_t c, std::int32_t i) const {
    const std::uint8_t number = cells_.friction[c][at(i)];
    return number != 0 && number <= open_face_frictions;
  }

  const flow_cells& cells_;
  const double* x_;
  const flow_convection* inertia_;
};

}  // namespace

void find_force(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                const flow_units& units, const flow_convection* inertia, through_flow& flow) {
  const heat_cells& grid = open.cells.grid;
  std::vector<bool> beyond(at(grid.owned));
  for (const std::int32_t i : open.cells.beyond) beyond[at(i)] = true;
  const face_force force(open, x.data(), inertia);
  const std::size_t labels = problem.labelled.names.size();
  std::vector<double> sums(3 * (labels + 1));  // total force, followed by the force on each label
  visit_neighbours(grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (beyond[at(i)]) return;
    for (std::size_t d = 0; d < 6; ++d) {
      if (near[d] >= 0 || (open.outer[at(i)] >> d & 1) != 0) continue;
      if (!open.inner.empty() && (open.inner[at(i)] >> d & 1) != 0) continue;
      const auto f = force.of(i, near, d);
      for (std::size_t c = 0; c < 3; ++c) sums[c] += f[c];
    }
  });
  for (const labelled_wall& w : open.labelled) {
    auto f = force.of(w.cell, w.near, w.side);
    if (w.boundary >= 0) {
      const flow_boundary& b = problem.boundaries[at(w.boundary)];
      const vector3 u = b.slide_mm_per_s;
      const double scale = flow.multiple / units.velocity_mm_per_s;
      const auto at_rest = force.friction(w.cell, w.near, w.side, {}, false),
                 own = force.friction(w.cell, w.near, w.side, {scale * u.z, scale * u.y, scale * u.x},
                                      b.kind == face_flow::slip);
      for (std::size_t c = 0; c < 3; ++c) f[c] += own[c] - at_rest[c], sums[c] += f[c];
    }
    if (w.label > labels) continue;
    for (std::size_t c = 0; c < 3; ++c) sums[3 * at(w.label) + c] += f[c];
  }
  comm::all_reduce(problem.where.comm, sums.data(), sums.size(), MPI_SUM);
  constexpr double m2_per_mm2 = 1e-6;
  const double unit = m2_per_mm2 * units.pressure_Pa * units.length_mm * units.length_mm;
  const auto in_N = [&](std::size_t n) {
    return vector3{unit * sums[3 * n], unit * sums[3 * n + 1], unit * sums[3 * n + 2]};
  };
  flow.force_on_solid_N = in_N(0);
  flow.force_on_label_N.clear();
  for (std::size_t n = 1; n <= labels; ++n) flow.force_on_label_N.push_back(in_N(n));
}

}  // namespace osteon::physics
