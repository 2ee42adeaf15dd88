#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/solve/flow/openings/opening_profiles.hpp>
#include <osteon/solve/flow/openings/periods.hpp>
#include <osteon/solve/flow/openings/through_parts.hpp>
#include <osteon/solve/flow/openings/through_solver.hpp>
#include <osteon/solve/flow/openings/wall_shear.hpp>
#include <osteon/solve/flow/solid_faces.hpp>
#include <osteon/solve/post/field_statistics.hpp>

namespace osteon::solve {

namespace {

constexpr std::size_t most_boundaries = 60;  // a bit each

void check_conditions(const through_problem& problem, const through_options& how) {
  std::string faults;
  const auto expect = [&](bool holds, const std::string& text) {
    if (holds) return;
    if (!faults.empty()) faults += "\n";
    faults += text;
  };
  const vector3 h = problem.spacing_mm;
  expect(h.z > 0 && h.y > 0 && h.x > 0 && std::isfinite(h.z + h.y + h.x),
         fmt::format("the voxel spacing is {} x {} x {} mm (z, y, x); it must be positive", h.z, h.y, h.x));
  for (const auto& [value, name, unit] :
       {std::tuple{problem.viscosity_Pa_s, "viscosity", "Pa s"}, std::tuple{problem.density_kg_per_m3, "density", "kg/m3"}})
    expect(value > 0 && std::isfinite(value), fmt::format("the {} is {} {}; it must be positive", name, value, unit));
  expect(problem.cells.shape() == problem.where.owned.shape(),
         "the cells are not those of the rank's block; pass the fluid voxels of where.owned");
  expect(!problem.multiples.empty(), "no flow is asked for; give at least one multiple of the conditions");
  for (const double m : problem.multiples)
    expect(std::isfinite(m) && m != 0, fmt::format("a multiple of the conditions is {}; it must not be zero", m));
  expect(problem.boundaries.size() <= most_boundaries,
         fmt::format("{} conditions on faces; at most {} are possible", problem.boundaries.size(), most_boundaries));
  for (std::size_t n = 0; n < problem.boundaries.size(); ++n) {
    const flow_boundary& b = problem.boundaries[n];
    expect(std::isfinite(b.value), fmt::format("{} has the value {}; it must be finite", b.name, b.value));
    expect(b.kind != face_flow::wall || b.is_inside || b.slide_mm_per_s[static_cast<int>(b.across)] == 0,
           fmt::format("{}: a wall moves by {} mm/s across its face; it can slide along it only", b.name,
                       b.slide_mm_per_s[static_cast<int>(b.across)]));
    for (std::size_t m = 0; m < n; ++m) {
      const flow_boundary& other = problem.boundaries[m];
      const bool same = b.is_inside == other.is_inside && (b.is_inside ? b.label == other.label : b.side() == other.side());
      expect(!(b.is_everywhere() && other.is_everywhere() && same),
             fmt::format("{} and {} speak of the same {}; give it one condition, or a part of it each", b.name, other.name,
                         b.is_inside ? "label" : "face"));
    }
    expect(b.is_inside || !problem.periodic[at(static_cast<int>(b.across))],
           fmt::format("{} is a face of an axis along which the image repeats itself; give it one of the two", b.name));
    expect(!b.is_inside || b.label != 0 || !b.is_everywhere(),
           fmt::format("{} names neither a face, a label nor a part of the image", b.name));
  }
  int rates = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto& rate = problem.period_rate_mm3_per_s[a];
    const double drop = problem.period_drop_Pa[a];
    rates += rate.has_value();
    expect(std::isfinite(drop) && std::isfinite(rate.value_or(0)),
           fmt::format("what drives the flow along {} is not finite", "zyx"[a]));
    expect(problem.periodic[a] || (drop == 0 && !rate),
           fmt::format("a drop of pressure or a flow rate over the period along {}, but the image does not repeat itself "
                       "there",
                       "zyx"[a]));
    expect(!rate || (drop == 0 && *rate != 0),
           fmt::format("a flow rate of {} mm3/s over the period along {} with a drop of {} Pa: give one of the two, not 0",
                       rate.value_or(0), "zyx"[a], drop));
  }
  expect(rates <= 1, fmt::format("flow rates over the periods of {} axes; only one can be sought", rates));
  expect(how.tolerance > 0 && how.tolerance < 1,
         fmt::format("the tolerance of the flow is {}; it must lie between 0 and 1, e.g. 1e-4", how.tolerance));
  expect(how.max_iterations > 0, fmt::format("at most {} iterations; allow at least one", how.max_iterations));
  if (!faults.empty()) throw usage_error(faults);
}

// The condition of a voxel's face, and a second one that claims it as well, or -1.
std::pair<int, int> claims(const through_problem& problem, index3 voxel, int side) {
  const int first = boundary_at(problem, voxel, side);
  if (first < 0 || problem.boundaries[at(first)].is_everywhere()) return {first, -1};
  through_problem rest;  // only what boundary_at reads
  rest.spacing_mm = problem.spacing_mm;
  rest.boundaries = problem.boundaries;
  rest.boundaries[at(first)].low_mm.z = flow_boundary::unlimited;  // no voxel lies there
  const int second = boundary_at(rest, voxel, side);
  return {first, second >= 0 && !problem.boundaries[at(second)].is_everywhere() ? second : -1};
}

// The run of a cell.
std::size_t run_of(std::span<const voxel::run> runs, std::int32_t cell) {
  const auto next =
      std::upper_bound(runs.begin(), runs.end(), cell, [](std::int32_t i, const voxel::run& r) { return i < r.first; });
  return at(next - runs.begin() - 1);
}

// Bits of the boundaries that each part of the fluid meets, and the faces of each boundary.
std::vector<std::uint64_t> find_conditions(const through_problem& problem, const numbered_parts& parts,
                                           const solid_faces& solid, std::vector<std::int64_t>& faces) {
  std::vector<std::uint64_t> met(at(parts.count));
  faces.assign(problem.boundaries.size() + 1, 0);
  std::array<std::int64_t, 2> both{-1, -1};
  const auto runs = problem.cells.runs();
  bool has_parts = false;
  for (const flow_boundary& b : problem.boundaries) has_parts = has_parts || (!b.is_inside && !b.is_everywhere());
  for (std::size_t n = 0; n < runs.size(); ++n) {
    const index3 first = problem.where.owned.begin + index3{runs[n].z, runs[n].y, runs[n].x};
    const auto visit = [&](index3 voxel, int side) {
      const auto [b, other] = has_parts ? claims(problem, voxel, side) : std::pair(boundary_at(problem, voxel, side), -1);
      if (b < 0) return;
      met[at(parts.of_run[n])] |= std::uint64_t{1} << b;
      ++faces[at(b)];
      if (other >= 0) both = {std::min(b, other), std::max(b, other)};
    };
    for (int side = 0; side < 6; ++side) {
      const int axis = side / 2;
      const std::int64_t plane = side % 2 == 0 ? 0 : problem.where.domain[axis] - 1;
      if (axis == 2) {
        if (plane >= first.x && plane < first.x + runs[n].length) visit({first.z, first.y, plane}, side);
      } else if (first[axis] == plane) {
        for (std::int32_t x = 0; x < runs[n].length; ++x) visit(first + index3{0, 0, x}, side);
      }
    }
  }
  for (const solid_face& f : solid.faces)
    if (f.boundary >= 0) {
      met[at(parts.of_run[run_of(runs, f.cell)])] |= std::uint64_t{1} << f.boundary;
      ++faces[at(f.boundary)];
    }
  if (solid.both[0] >= 0) both = {std::min(solid.both[0], solid.both[1]), std::max(solid.both[0], solid.both[1])};
  const MPI_Comm comm = problem.where.comm;
  comm::all_reduce(comm, met.data(), met.size(), MPI_BOR);
  comm::all_reduce(comm, faces.data(), faces.size(), MPI_SUM);
  comm::all_reduce(comm, both.data(), both.size(), MPI_MAX);
  if (both[0] >= 0)
    throw usage_error(fmt::format("{} and {} both claim a voxel's face; make their parts of it disjoint",
                                  problem.boundaries[at(both[0])].name, problem.boundaries[at(both[1])].name));
  return met;
}

// Voxels of each part, over all ranks.
std::vector<std::int64_t> sizes_of(const through_problem& problem, const numbered_parts& parts) {
  std::vector<std::int64_t> size(at(parts.count));
  const auto runs = problem.cells.runs();
  for (std::size_t n = 0; n < runs.size(); ++n) size[at(parts.of_run[n])] += runs[n].length;
  MPI_Allreduce(MPI_IN_PLACE, size.data(), static_cast<int>(size.size()), MPI_INT64_T, MPI_SUM, problem.where.comm);
  return size;
}

}  // namespace

through_outline survey_conditions(const through_problem& problem, const through_options& how) {
  const MPI_Comm comm = problem.where.comm;
  comm::collectively(comm, [&] { check_conditions(problem, how); });
  through_outline result;
  result.counts.voxels = problem.where.domain.volume();
  result.counts.fluid = problem.cells.size();
  result.counts.fluid = comm::sum_of(comm, result.counts.fluid);
  if (result.counts.fluid == 0)
    throw data_error(fmt::format("none of the {} voxels is fluid; choose other labels for the fluid", result.counts.voxels));
  result.parts = number_flow_parts(problem.where, problem.cells, problem.periodic);
  result.counts.parts = result.parts.count;
  std::vector<std::int64_t> faces;
  solid_faces solid;
  if (problem.has_labels()) solid = find_solid_faces(problem, problem.cells);
  const std::vector<std::uint64_t> met = find_conditions(problem, result.parts, solid, faces);

  std::uint64_t velocity = 0, pressure = 0, sliding = 0;
  for (std::size_t b = 0; b < problem.boundaries.size(); ++b) {
    const flow_boundary& boundary = problem.boundaries[b];
    const std::uint64_t bit = std::uint64_t{1} << b;
    if (boundary.gives_velocity() && boundary.value != 0) velocity |= bit;
    if (boundary.gives_pressure()) pressure |= bit;
    if (boundary.kind == face_flow::wall && boundary.slide_mm_per_s != vector3{}) sliding |= bit;
    const bool does_something = ((velocity | pressure | sliding) & bit) != 0;
    if (boundary.is_inside && faces[b] == 0)
      throw data_error(
          fmt::format("{} touches no fluid: no voxel of it has a face in common with a voxel of the fluid; "
                      "choose another label or part of the image, or other voxels as fluid",
                      boundary.name));
    if (does_something && faces[b] == 0)
      throw data_error(fmt::format(
          "{} meets no fluid on its part of the face; choose another face or part of it, or other voxels as fluid",
          boundary.name));
  }

  // A part with one opening of given velocity and no pressure is a pocket: nothing can enter.
  std::vector<std::int32_t> free_number(at(result.parts.count), -1);
  std::vector<bool> flows(at(result.parts.count));
  std::uint64_t leads = 0, met_pocket = 0;
  unsigned driven = 0, led = 0;  // axes with a drop over their period, and with a part that leads through
  for (std::size_t a = 0; a < 3; ++a)
    if (problem.period_drop_Pa[a] != 0 || problem.period_rate_mm3_per_s[a]) driven |= 1U << a;
  const std::vector<std::int64_t> size = problem.is_buoyant ? sizes_of(problem, result.parts) : std::vector<std::int64_t>{};
  for (std::size_t p = 0; p < met.size(); ++p) {
    const int given = std::popcount(met[p] & velocity), pressures = std::popcount(met[p] & pressure);
    flows[p] = (met[p] & sliding) != 0 || given + pressures >= 2 || (result.parts.winds[p] & driven) != 0 ||
               (problem.is_buoyant && size[p] > 1);
    led |= result.parts.winds[p] & driven;
    result.counts.flowing_parts += flows[p];
    if (given + pressures >= 2) leads |= met[p];
    if (flows[p] && pressures == 0) free_number[p] = result.free_parts++;
    if (flows[p] && given == 1 && pressures == 0) met_pocket |= met[p] & velocity;
  }
  for (std::size_t b = 0; b < problem.boundaries.size(); ++b)
    if ((velocity >> b & 1) != 0 && ((leads >> b & 1) == 0 || (met_pocket >> b & 1) != 0))
      throw usage_error(
          fmt::format("{} gives a velocity, but from it no path of fluid leads to another opening, and the fluid is "
                      "incompressible; make "
                      "another face an outlet, and check which voxels are fluid",
                      problem.boundaries[b].name));
  for (std::size_t a = 0; a < 3; ++a)
    if (((driven & ~led) >> a & 1) != 0)
      throw data_error(fmt::format(
          "the image repeats itself along {0}, but none of the {1} parts of the fluid leads through from one "
          "period to the next: nothing flows along {0}; check the image, whose opposite faces have to match, and "
          "which voxels are fluid",
          "zyx"[a], result.parts.count));
  if (result.counts.flowing_parts == 0)
    throw data_error(
        problem.is_buoyant
            ? fmt::format("none of the {} parts of the fluid has more than one voxel: nothing can move; check which voxels "
                          "are fluid",
                          result.parts.count)
        : pressure != 0
            ? fmt::format("none of the {} parts of the fluid joins two openings: nothing flows; check the image, the faces "
                          "of the openings, and which voxels are fluid",
                          result.parts.count)
            : "no opening gives a velocity, no two give a pressure, no pressure drops over a period and no wall slides: "
              "nothing drives the flow");

  result.velocities = find_opening_velocities(problem, result.parts, flows, solid.faces);
  std::vector<double> net(at(result.parts.count)), gross(net.size());
  for (const opening_face& f : result.velocities) {
    const auto& across = kernel::axes_across[at(f.side / 2)];
    const double rate = f.velocity_mm_per_s * problem.spacing_mm[static_cast<int>(across[0])] *
                        problem.spacing_mm[static_cast<int>(across[1])];
    net[at(f.part)] += rate;
    gross[at(f.part)] += std::abs(rate);
  }
  for (std::size_t p = 0; p < met.size(); ++p)
    if (constexpr double rounding = 1e-9; free_number[p] >= 0 && std::abs(net[p]) > rounding * gross[p])
      throw usage_error(fmt::format(
          "{:.6g} mm3/s more flow in than out by given velocities, and the part of the fluid that they enter has "
          "no outlet: the fluid is incompressible; give one opening of it a pressure or make it an outlet",
          net[p]));

  const auto runs = problem.cells.runs();
  for (std::size_t n = 0; n < runs.size(); ++n) {
    const std::size_t p = at(result.parts.of_run[n]);
    result.keep.push_back(flows[p]);
    if (flows[p]) result.counts.flowing += runs[n].length;
    if (result.free_parts > 0) result.free_part.push_back(free_number[p]);
  }
  MPI_Allreduce(MPI_IN_PLACE, &result.counts.flowing, 1, MPI_INT64_T, MPI_SUM, comm);
  return result;
}

flow_units units_of(const through_problem& problem, const flow_cells& cells, const std::vector<opening_face>& given) {
  double highest = 0, low = flow_boundary::unlimited, high = -low;
  for (const opening_face& f : given) highest = std::max(highest, std::abs(f.velocity_mm_per_s));
  for (const flow_boundary& b : problem.boundaries) {
    for (int a = 0; a < 3; ++a) highest = std::max(highest, std::abs(b.slide_mm_per_s[a]));
    if (b.gives_pressure()) low = std::min(low, b.value), high = std::max(high, b.value);
  }
  flow_units units;
  units.length_mm = cells.unit_mm;
  const vector3 h = problem.spacing_mm;
  const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
  for (int a = 0; a < 3; ++a) {
    const index3 n = problem.where.domain;
    highest = std::max(highest, std::abs(problem.period_drop_Pa[at(a)]) * cells.unit_mm / problem.viscosity_Pa_s);
    const double section = area[at(a)] * static_cast<double>(n.volume() / n[a]);
    highest = std::max(highest, std::abs(problem.period_rate_mm3_per_s[at(a)].value_or(0)) / section);
  }
  if (high > low) highest = std::max(highest, (high - low) * cells.unit_mm / problem.viscosity_Pa_s);
  units.velocity_mm_per_s = highest;
  units.pressure_Pa = problem.viscosity_Pa_s * highest / cells.unit_mm;
  units.lowest_Pa = high >= low ? low : 0;
  return units;
}

flow_entries given_velocities(const through_problem&, const open_flow_cells& open, const std::vector<opening_face>& given,
                              const flow_units& units, double multiple) {
  flow_entries result;
  for (const given_face& f : open.given) {
    const auto found = std::lower_bound(given.begin(), given.end(), opening_face_at(f.voxel, f.side));
    const double into = (f.side % 2 == 0 ? 1 : -1) * multiple / units.velocity_mm_per_s;
    result.emplace_back(f.side / 2 * open.cells.stride() + f.face, into * found->velocity_mm_per_s);
  }
  return result;
}

flow_entries right_hand_side(const through_problem& problem, const open_flow_cells& open, const flow_units& units,
                             double multiple) {
  flow_entries result;
  const flow_cells& cells = open.cells;
  for (std::size_t n = 0; n < cells.open_faces.size(); ++n) {
    const kernel::stokes_open_face& f = cells.open_faces[n];
    const double pressure = (problem.boundaries[at(open.open_boundary[n])].value - units.lowest_Pa) / units.pressure_Pa;
    result.emplace_back(f.axis * cells.stride() + f.cell,
                        (f.is_inlet ? 1 : -1) * cells.slope[at(f.axis)] * multiple * pressure);
  }
  for (const sliding_side& s : open.sliding)
    result.emplace_back(
        s.component * cells.stride() + s.cell,
        s.weight * multiple * problem.boundaries[at(s.boundary)].slide_mm_per_s[s.component] / units.velocity_mm_per_s);
  return result;
}

void find_boundary_flows(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                         const flow_units& units, through_flow& flow) {
  const flow_cells& cells = open.cells;
  const std::int64_t stride = cells.stride();
  const std::size_t count = problem.boundaries.size();
  std::vector<double> sums(4 * count), highest(count);  // faces, area, flow rate, pressure times area
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
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, problem.where.comm);
  MPI_Allreduce(MPI_IN_PLACE, highest.data(), static_cast<int>(count), MPI_DOUBLE, MPI_MAX, problem.where.comm);
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

namespace {

// Area of the walls: of solid voxels, and of faces of the image that are walls [mm2].
double wetted_surface(const through_problem& problem, const open_flow_cells& open, flow_counts& counts) {
  const vector3 h = problem.spacing_mm;
  const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
  std::vector<bool> beyond(at(open.cells.grid.owned));
  for (const std::int32_t i : open.cells.beyond) beyond[at(i)] = true;
  std::array<std::int64_t, 3> walls{};
  visit_neighbours(open.cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (!beyond[at(i)])
      for (std::size_t d = 0; d < 6; ++d) walls[d / 2] += near[d] < 0;
  });
  for (const flow_side& s : open.sides) {
    const flow_boundary& b = problem.boundaries[at(s.boundary)];
    // A cell behind an opening of a high face or inside the image is a neighbour already.
    const bool was_counted = (open.cells.grid.open[at(s.cell)] >> s.side & 1) == 0;
    if (was_counted && b.kind != face_flow::wall) --walls[s.axis()];
  }
  MPI_Allreduce(MPI_IN_PLACE, walls.data(), 3, MPI_INT64_T, MPI_SUM, problem.where.comm);
  counts.wetted_faces = walls[0] + walls[1] + walls[2];
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) sum += static_cast<double>(walls[a]) * area[a];
  return sum;
}

// Velocities at the centres of the voxels and pressures, by owned cell of the solver, in its units.
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

void find_wall_shear_of(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                        const flow_units& units, through_flow& flow, std::vector<float>* field) {
  const wall_shear shear = find_wall_shear(problem, open, at_centres(open.cells, x), units.velocity_mm_per_s, flow.multiple);
  const double in_Pa = problem.viscosity_Pa_s * units.velocity_mm_per_s;
  flow.mean_wall_shear_Pa = in_Pa * shear.mean;
  std::vector<float> beside;
  for (std::size_t i = 0; i < shear.of_cell.size(); ++i)
    if (shear.has_wall[i]) beside.push_back(static_cast<float>(in_Pa * static_cast<double>(shear.of_cell[i])));
  flow.p95_wall_shear_Pa = statistics(problem.where.comm, beside).p95;
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
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, problem.where.comm);
  MPI_Allreduce(MPI_IN_PLACE, highest.data(), 2, MPI_DOUBLE, MPI_MAX, problem.where.comm);
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

namespace {

// The axis whose flow rate is given over a period.
std::optional<std::size_t> axis_of_rate(const through_problem& problem) {
  for (std::size_t a = 0; a < 3; ++a)
    if (problem.period_rate_mm3_per_s[a]) return a;
  return std::nullopt;
}

// That of a tube of the same hydraulic diameter.
double guessed_drop(const through_problem& problem, const through_solution& all, std::size_t axis, double rate) {
  const int a = static_cast<int>(axis);
  const vector3 h = problem.spacing_mm;
  const double length = static_cast<double>(problem.where.domain[a]) * h[a];
  const double section = static_cast<double>(all.counts.flowing) * h.z * h.y * h.x / length;
  const double width = all.hydraulic_diameter_mm > 0 ? all.hydraulic_diameter_mm : std::sqrt(section);
  return 32 * problem.viscosity_Pa_s * rate / section * length / (width * width);
}

}  // namespace

// Velocities on both faces of each voxel along each axis; those of a face are one number for both of its voxels.
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

open_flow_cells begin_through(const through_problem& problem, const through_outline& known, through_solution& all,
                              log_sink& log) {
  all.counts = known.counts;
  all.pressure_is_free = known.free_parts > 0;
  if (all.pressure_is_free)
    log.warn(
        "nothing gives a pressure in a part of the fluid that flows: it is known up to a constant, and its mean is set "
        "to zero");
  if (known.counts.flowing < known.counts.fluid)
    log.note(fmt::format("{} of {} fluid voxels lead from no opening to another and stand still",
                         known.counts.fluid - known.counts.flowing, known.counts.fluid));
  open_flow_cells open = make_open_flow_cells(problem, known.keep, known.free_part, known.free_parts);
  const double surface = wetted_surface(problem, open, all.counts);
  const vector3 h = problem.spacing_mm;
  if (surface > 0) all.hydraulic_diameter_mm = 4 * static_cast<double>(all.counts.flowing) * h.z * h.y * h.x / surface;
  return open;
}

std::int64_t count_unknowns(const open_flow_cells& open) {
  const flow_cells& cells = open.cells;
  std::int64_t unknowns = cells.grid.owned - static_cast<std::int64_t>(cells.beyond.size());
  for (const auto& f : cells.friction)
    unknowns += std::count_if(f.begin(), f.begin() + cells.grid.owned, [](std::uint8_t n) { return n != 0; });
  MPI_Allreduce(MPI_IN_PLACE, &unknowns, 1, MPI_INT64_T, MPI_SUM, cells.grid.where.comm);
  return unknowns;
}

void check_flow_through(const through_problem& problem, const through_options& how) { survey_conditions(problem, how); }

through_solution solve_flow_through(const through_problem& problem, const through_options& how, log_sink& log) {
  through_solution all;
  stopwatch watch;
  const cpu_clock cpu;
  const through_outline known = survey_conditions(problem, how);
  const open_flow_cells open = begin_through(problem, known, all, log);
  const std::int64_t unknowns = count_unknowns(open);
  const flow_units units = units_of(problem, open.cells, known.velocities);
  if (how.poll) how.poll();
  through_solver solver(open, problem);
  all.setup_seconds = watch.seconds();
  const double setup_cpu_seconds = cpu.of_all_ranks(problem.where.comm);

  double last = 0, last_drop = 0;
  for (const double multiple : problem.multiples) {
    through_flow& flow = all.flows.emplace_back();
    flow.multiple = multiple;
    const double reynolds = problem.has_inertia ? 1e-6 * problem.density_kg_per_m3 * units.velocity_mm_per_s *
                                                      units.length_mm / problem.viscosity_Pa_s
                                                : 0;
    period_drops drops;
    for (std::size_t a = 0; a < 3; ++a) drops[a] = multiple * problem.period_drop_Pa[a];
    const double factor = last == 0 ? 0 : multiple / last;
    const auto solve_with = [&](double factor_of_last) {
      flow_entries right = right_hand_side(problem, open, units, multiple);
      add_period_drops(open, units, drops, right);
      solver.begin(given_velocities(problem, open, known.velocities, units, multiple), right, reynolds, factor_of_last);
      solver.solve(how, flow, log);
    };
    if (const auto a = axis_of_rate(problem)) {
      const double rate = multiple * *problem.period_rate_mm3_per_s[*a];
      rate_search search(rate, last == 0 ? guessed_drop(problem, all, *a, rate) : factor * last_drop, how.tolerance);
      int iterations = 0;
      for (double share = factor;; share = search.growth()) {
        drops[*a] = search.drop();
        solve_with(share);
        iterations += flow.certificate.iterations;
        find_period_flows(problem, open, solver.answer(), units, drops, flow);
        if (!flow.certificate.converged || search.is_found(flow.period_flow_mm3_per_s[*a])) break;
        if (search.gives_up()) {
          flow.certificate.converged = false;
          break;
        }
      }
      flow.certificate.iterations = iterations;
      last_drop = drops[*a];
    } else {
      solve_with(factor);
    }
    flow.certificate.unknowns = unknowns;
    flow.certificate.setup_seconds = all.flows.size() == 1 ? all.setup_seconds : 0;
    flow.certificate.setup_cpu_seconds = all.flows.size() == 1 ? setup_cpu_seconds : 0;
    flow.upwinded_share = solver.upwinded_share();
    find_boundary_flows(problem, open, solver.answer(), units, flow);
    find_period_flows(problem, open, solver.answer(), units, drops, flow);
    find_force(problem, open, solver.answer(), units, solver.inertia(), flow);
    find_speeds(problem, open, solver.answer(), units, all, flow);
    find_wall_shear_of(problem, open, solver.answer(), units, flow, how.fields ? &all.wall_shear_Pa : nullptr);
    last = multiple;
    if (!flow.certificate.converged && !how.rehearses) break;
    if (how.faces && (how.faces_of_all || how.rehearses || all.flows.size() == problem.multiples.size())) {
      carried_velocities carried;
      if (how.carry) carried = how.carry(open, solver.answer(), how.poll, log);
      flow.faces_change = carried.change;
      if (!all.face_velocity_mm_per_s.empty())
        all.earlier_face_velocity_mm_per_s.push_back(std::move(all.face_velocity_mm_per_s));
      all.face_velocity_mm_per_s =
          face_velocities(problem, open.cells, how.carry ? carried.velocity : solver.answer(), units);
    }
    if (!flow.certificate.converged) break;
  }
  if (how.fields) set_through_fields(problem, open, solver.answer(), units, last, all);
  return all;
}

}  // namespace osteon::solve
