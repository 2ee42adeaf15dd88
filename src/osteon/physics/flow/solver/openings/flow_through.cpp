#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/opening_profiles.hpp>
#include <osteon/physics/flow/solver/openings/periods.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>
#include <osteon/physics/flow/solver/openings/through_solver.hpp>
#include <osteon/physics/flow/solver/openings/wall_shear.hpp>
#include <osteon/physics/flow/solver/openings/watched_cells.hpp>
#include <osteon/physics/flow/solver/stokes/wall_surface.hpp>

namespace osteon::physics {

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

namespace {

// Wall area [mm2]. The area consists of the smooth surface of solid voxels, and of faces of the image that are walls.
double find_walls(const through_problem& problem, open_flow_cells& open, flow_counts& counts) {
  const std::vector<std::uint8_t> walls = wall_sides(problem, open);
  open.walls = std::make_shared<const wall_surface>(open.cells.grid.where, open.cells.numbers, walls, problem.spacing_mm);
  counts.wetted_faces = open.walls->owned();
  comm::all_reduce(problem.where.comm, &counts.wetted_faces, 1, MPI_SUM);
  return open.walls->total_area_mm2();
}

}  // namespace

namespace {

// The axis for which the flow rate over a period is given.
std::optional<std::size_t> axis_of_rate(const through_problem& problem) {
  for (std::size_t a = 0; a < 3; ++a)
    if (problem.period_rate_mm3_per_s[a]) return a;
  return std::nullopt;
}

}  // namespace

open_flow_cells begin_through(const through_problem& problem, const through_outline& known, through_solution& all,
                              log_sink& log) {
  all.counts = known.counts;
  all.pressure_is_free = known.free_parts > 0;
  if (all.pressure_is_free)
    log.warn("a flowing part of the fluid has no prescribed pressure; its mean pressure is set to 0");
  for (const balanced_opening& o : known.balanced)
    log.warn(fmt::format(
        "prescribed velocities balance only within the tolerance; the inflow of {} is {:.9g} mm3/s instead of {:.9g} mm3/s",
        problem.boundaries[o.boundary].name, o.used_mm3_per_s, o.given_mm3_per_s));
  if (known.counts.flowing < known.counts.fluid)
    log.note(fmt::format("{} of {} fluid voxels are not connected to two openings; their fluid is at rest",
                         known.counts.fluid - known.counts.flowing, known.counts.fluid));
  open_flow_cells open = make_open_flow_cells(problem, known.keep, known.free_part, known.free_parts);
  const double surface = find_walls(problem, open, all.counts);
  const vector3 h = problem.spacing_mm;
  if (surface > 0) all.hydraulic_diameter_mm = 4 * static_cast<double>(all.counts.flowing) * h.z * h.y * h.x / surface;
  return open;
}

std::int64_t count_unknowns(const open_flow_cells& open) {
  const flow_cells& cells = open.cells;
  std::int64_t unknowns = cells.grid.owned - static_cast<std::int64_t>(cells.beyond.size());
  for (const auto& f : cells.friction)
    unknowns += std::count_if(f.begin(), f.begin() + cells.grid.owned, [](std::uint8_t n) { return n != 0; });
  comm::all_reduce(cells.grid.where.comm, &unknowns, 1, MPI_SUM);
  return unknowns;
}

void check_flow_through(const through_problem& problem, const through_options& options) {
  validate_conditions(problem, options);
}

through_solution solve_flow_through(const through_problem& problem, const through_options& options, log_sink& log) {
  through_solution all;
  stopwatch watch;
  const cpu_clock cpu;
  const through_outline known = validate_conditions(problem, options);
  const open_flow_cells open = begin_through(problem, known, all, log);
  const std::int64_t unknowns = count_unknowns(open);
  const flow_units units = units_of(problem, open.cells, known.velocities);
  if (options.poll) options.poll();
  through_solver solver(open, problem);
  all.setup_seconds = watch.seconds();
  const double setup_cpu_seconds = cpu.of_all_ranks(problem.where.comm);

  std::optional<watched_cells> watched;
  if (options.watch != nullptr) watched.emplace(open.cells, problem.cells, *options.watch);
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
      solver.solve(options, flow, log);
    };
    if (const auto a = axis_of_rate(problem)) {
      const double rate = multiple * *problem.period_rate_mm3_per_s[*a];
      rate_search search(rate, last == 0 ? guessed_drop(problem, all, *a, rate) : factor * last_drop, options.tolerance);
      solve_certificate way;
      for (double share = factor;; share = search.growth()) {
        drops[*a] = search.drop();
        solve_with(share);
        flow.certificate.add_earlier(way);
        way = flow.certificate;
        find_period_flows(problem, open, solver.answer(), units, drops, flow);
        if (!flow.certificate.converged || search.is_found(flow.period_flow_mm3_per_s[*a])) break;
        if (search.is_exhausted()) {
          flow.certificate.converged = false;
          break;
        }
      }
      last_drop = drops[*a];
    } else {
      solve_with(factor);
    }
    flow.certificate.unknowns = unknowns;
    flow.certificate.setup_seconds = all.flows.size() == 1 ? all.setup_seconds : 0;
    flow.certificate.setup_cpu_seconds = all.flows.size() == 1 ? setup_cpu_seconds : 0;
    flow.upwinded_share = solver.upwinded_share();
    if (flow.certificate.converged) flow.limiter_residual = solver.limiter_residual();
    find_boundary_flows(problem, open, solver.answer(), units, flow);
    find_period_flows(problem, open, solver.answer(), units, drops, flow);
    find_force(problem, open, solver.answer(), units, solver.inertia(), flow);
    find_speeds(problem, open, solver.answer(), units, all, flow);
    find_wall_shear_of(problem, open, solver.answer(), units, flow, options.fields ? &all.wall_shear_Pa : nullptr);
    if (watched) report_to_observer(*watched, {.multiple = multiple}, open, solver.answer(), units);
    last = multiple;
    if (!flow.certificate.converged && !options.counts_messages) break;
    if (options.faces && (options.faces_of_all || options.counts_messages || all.flows.size() == problem.multiples.size())) {
      carried_velocities carried;
      if (options.carry) carried = options.carry(open, solver.answer(), options.poll, log);
      flow.faces_change = carried.change;
      if (!all.face_velocity_mm_per_s.empty())
        all.earlier_face_velocity_mm_per_s.push_back(std::move(all.face_velocity_mm_per_s));
      all.face_velocity_mm_per_s =
          face_velocities(problem, open.cells, options.carry ? carried.velocity : solver.answer(), units);
    }
    if (!flow.certificate.converged) break;
  }
  if (options.fields) set_through_fields(problem, open, solver.answer(), units, last, all);
  return all;
}

}  // namespace osteon::physics
