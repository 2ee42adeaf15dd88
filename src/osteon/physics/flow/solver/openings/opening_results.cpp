#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/percentile.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>
#include <osteon/physics/flow/solver/openings/wall_shear.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

// Velocities at voxel centres, and pressures, for each owned cell of the solver. The units are those of the solver.
std::vector<std::array<double, 4>> at_centres(const flow_cells& cells, const std::vector<double>& x) {
  std::vector<std::array<double, 4>> value(at(cells.grid.owned));
  visit_neighbours_in_parallel(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double* const u = x.data() + static_cast<std::int64_t>(c) * cells.stride();
      const std::int32_t above = near[2 * c + 1];
      value[at(i)][c] = (u[i] + (above < 0 ? 0 : u[above])) / 2;
    }
    value[at(i)][3] = x[at(3 * cells.stride() + i)];
  });
  return value;
}

}  // namespace

void find_boundary_flows(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                         const flow_units& units, through_flow& flow) {
  const flow_cells& cells = open.cells;
  const std::int64_t stride = cells.stride();
  const std::size_t count = problem.boundaries.size();
  std::vector<double> sums(4 * count), highest(count);  // number of faces, area, flow rate, and pressure times area
  const vector3 h = problem.spacing_mm;
  const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
  for (const flow_side& s : open.sides) {
    const std::size_t n = at(s.boundary);
    const auto pressure = [&](std::int32_t i) { return x[at(3 * stride + i)]; };
    ++sums[4 * n];
    sums[4 * n + 1] += area[s.axis()];
    if (s.face >= 0) {
      const double u = s.inwards() * x[s.axis() * at(stride) + at(s.face)];
      sums[4 * n + 2] += u * area[s.axis()];
      highest[n] = std::max(highest[n], std::abs(u));
    }
    sums[4 * n + 3] += area[s.axis()] * (s.next >= 0 ? 1.5 * pressure(s.cell) - 0.5 * pressure(s.next) : pressure(s.cell));
  }
  comm::all_reduce(problem.where.comm, sums.data(), sums.size(), MPI_SUM);
  comm::all_reduce(problem.where.comm, highest.data(), count, MPI_MAX);
  double in = 0, out = 0, in_pressure = 0, out_pressure = 0, net = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const flow_boundary& b = problem.boundaries[n];
    boundary_flow& own = flow.boundaries.emplace_back();
    own.faces = std::llround(sums[4 * n]);
    own.area_mm2 = sums[4 * n + 1];
    own.inflow_mm3_per_s = sums[4 * n + 2] * units.velocity_mm_per_s;
    own.highest_velocity_mm_per_s = highest[n] * units.velocity_mm_per_s;
    if (own.faces > 0)
      own.mean_pressure_Pa = flow.multiple * units.lowest_Pa + units.pressure_Pa * sums[4 * n + 3] / sums[4 * n + 1];
    if (b.gives_pressure()) own.mean_pressure_Pa = flow.multiple * b.value;
    net += own.inflow_mm3_per_s;
    if (own.inflow_mm3_per_s > 0)
      in += own.inflow_mm3_per_s, in_pressure += own.inflow_mm3_per_s * own.mean_pressure_Pa;
    else
      out -= own.inflow_mm3_per_s, out_pressure -= own.inflow_mm3_per_s * own.mean_pressure_Pa;
  }
  flow.inflow_mm3_per_s = in;
  flow.imbalance = in > 0 ? net / in : 0;
  if (in > 0 && out > 0) flow.pressure_drop_Pa = in_pressure / in - out_pressure / out;
}

void find_wall_shear_of(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                        const flow_units& units, through_flow& flow, std::vector<float>* field) {
  const comm::sent_part sends(problem.where.comm, "wall_shear");
  const wall_shear shear = find_wall_shear(problem, open, at_centres(open.cells, x), units.velocity_mm_per_s, flow.multiple);
  const double in_Pa = problem.viscosity_Pa_s * units.velocity_mm_per_s;
  flow.mean_wall_shear_Pa = in_Pa * shear.mean;
  // The fraction of a face is stored as an integer. Sums of integers are independent of the order of summation.
  const double unit = std::ldexp(1, 20) / (units.length_mm * units.length_mm);
  constexpr double fraction = 0.95;
  const float p95 = comm::percentiles(
      problem.where.comm, shear.of_cell, std::span(&fraction, 1), 1, [](std::size_t) { return std::size_t{0}; },
      [&](std::size_t i) { return std::llround(unit * static_cast<double>(shear.wetted_mm2[i])); })[0];
  flow.p95_wall_shear_Pa = in_Pa * static_cast<double>(p95);
  if (field == nullptr) return;
  field->assign(at(problem.cells.size()), 0);
  for (const voxel::run& r : problem.cells.runs()) {
    const std::int32_t first = open.cells.numbers.find(r.z, r.y, r.x);
    if (first < 0) continue;
    for (std::int32_t n = 0; n < r.length; ++n)
      (*field)[at(r.first + n)] = static_cast<float>(in_Pa * static_cast<double>(shear.of_cell[at(first + n)]));
  }
}

void find_speeds(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                 const flow_units& units, const through_solution& all, through_flow& flow) {
  const flow_cells& cells = open.cells;
  auto centres = at_centres(cells, x);
  for (const std::int32_t i : cells.beyond) centres[at(i)] = {};
  double sum = 0;
  std::array<double, 2> highest{};
  for (const auto& v : centres) {
    const double speed = std::hypot(v[0], v[1], v[2]);
    sum += speed;
    highest[0] = std::max(highest[0], speed);
  }
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t i = 0; i < cells.grid.owned; ++i)
      highest[1] = std::max(highest[1], std::abs(x[at(c * cells.stride() + i)]) / cells.slope[at(c)]);
  comm::all_reduce(problem.where.comm, &sum, 1, MPI_SUM);
  comm::all_reduce(problem.where.comm, highest.data(), 2, MPI_MAX);
  flow.mean_speed_mm_per_s = units.velocity_mm_per_s * sum / static_cast<double>(all.counts.flowing);
  flow.highest_speed_mm_per_s = units.velocity_mm_per_s * highest[0];
  const double per_mm2_s = 1e-6 * problem.density_kg_per_m3 / problem.viscosity_Pa_s;
  flow.reynolds_number = per_mm2_s * flow.mean_speed_mm_per_s * all.hydraulic_diameter_mm;
  flow.cell_reynolds_number = per_mm2_s * units.velocity_mm_per_s * units.length_mm * highest[1];
}

void set_through_fields(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                        const flow_units& units, double multiple, through_solution& all) {
  const flow_cells& cells = open.cells;
  const auto centres = at_centres(cells, x);
  all.velocity_mm_per_s.assign(3 * at(problem.cells.size()), 0);
  all.pressure_Pa.assign(at(problem.cells.size()), 0);
  for (const voxel::run& r : problem.cells.runs()) {
    const std::int32_t first = cells.numbers.find(r.z, r.y, r.x);
    if (first < 0) continue;
    for (std::int32_t n = 0; n < r.length; ++n) {
      const auto& own = centres[at(first + n)];
      const std::size_t to = at(r.first + n);
      for (std::size_t c = 0; c < 3; ++c)
        all.velocity_mm_per_s[3 * to + c] = static_cast<float>(units.velocity_mm_per_s * own[c]);
      all.pressure_Pa[to] = static_cast<float>(multiple * units.lowest_Pa + units.pressure_Pa * own[3]);
    }
  }
}

void report_to_observer(watched_cells& watched, const flow_moment& moment, const open_flow_cells& open,
                        const std::vector<double>& x, const flow_units& units) {
  if (!watched.wants(moment)) return;
  const double* const p = x.data() + 3 * open.cells.stride();
  watched.report(moment, x.data(), units.velocity_mm_per_s,
                 [&](std::int32_t i) { return moment.multiple * units.lowest_Pa + units.pressure_Pa * p[i]; });
}

// Velocities on the two faces of each voxel along each axis. Adjacent voxels have equal values on their common face.
std::vector<double> face_velocities(const through_problem& problem, const flow_cells& cells, const std::vector<double>& x,
                                    const flow_units& units) {
  std::vector<std::array<double, 6>> value(at(cells.grid.owned));
  visit_neighbours_in_parallel(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double* const u = x.data() + static_cast<std::int64_t>(c) * cells.stride();
      const std::int32_t above = near[2 * c + 1];
      value[at(i)][2 * c] = units.velocity_mm_per_s * u[i];
      value[at(i)][2 * c + 1] = above < 0 ? 0 : units.velocity_mm_per_s * u[above];
    }
  });
  std::vector<double> faces(6 * at(problem.cells.size()));
  for (const voxel::run& r : problem.cells.runs()) {
    const std::int32_t first = cells.numbers.find(r.z, r.y, r.x);
    if (first < 0) continue;
    for (std::int32_t n = 0; n < r.length; ++n)
      std::copy(value[at(first + n)].begin(), value[at(first + n)].end(), faces.begin() + 6 * std::ptrdiff_t{r.first + n});
  }
  return faces;
}

}  // namespace osteon::physics
