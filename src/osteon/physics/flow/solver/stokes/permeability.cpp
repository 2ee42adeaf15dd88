#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/dense.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/flow/solver/stokes/flow_solver.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <osteon/physics/flow/solver/stokes/permeability.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

constexpr std::array<char, 3> letters{'z', 'y', 'x'};

void check_locally(const flow_problem& problem, const flow_options& options) {
  fault_list expect;
  const auto positive = [&](double value, const char* name, const char* unit) {
    expect(value > 0 && std::isfinite(value), fmt::format("{}: {} {}; must be positive", name, value, unit));
  };
  const vector3 h = problem.spacing_mm;
  expect(h.z > 0 && h.y > 0 && h.x > 0 && std::isfinite(h.z + h.y + h.x),
         fmt::format("voxel spacing {} x {} x {} mm (z, y, x) must be positive", h.z, h.y, h.x));
  positive(problem.viscosity_Pa_s, "viscosity", "Pa s");
  positive(problem.density_kg_per_m3, "density", "kg/m3");
  positive(problem.pressure_drop_Pa, "pressure drop", "Pa");
  expect(problem.cells.shape() == problem.where.owned.shape(),
         "the cells do not match the block of the rank; pass the fluid voxels of where.owned");
  std::array<int, 3> asked{};
  for (const axis a : problem.directions) ++asked[at(static_cast<int>(a))];
  expect(!problem.directions.empty(), "no flow direction is given; give one to three of z, y, x");
  for (std::size_t a = 0; a < 3; ++a)
    expect(asked[a] <= 1, fmt::format("direction {} is listed {} times; list each direction once", letters[a], asked[a]));
  expect(options.permeability_tolerance > 0 && options.permeability_tolerance < 1,
         fmt::format("permeability tolerance {} must be between 0 and 1, for example 1e-4", options.permeability_tolerance));
  expect(
      options.residual_tolerance > 0 && options.residual_tolerance <= 1,
      fmt::format("residual tolerance {} must be between 0 and 1 (1: no test of the residual)", options.residual_tolerance));
  expect(options.max_iterations > 0, fmt::format("iteration limit {} must be at least 1", options.max_iterations));
  expect.require_none();
}

// Count the fluid. @throws errors of check_permeability
flow_counts check_and_count(const flow_problem& problem, const flow_options& options) {
  comm::collectively(problem.where.comm, [&] { check_locally(problem, options); });
  flow_counts counts;
  counts.voxels = problem.where.domain.volume();
  counts.fluid = problem.cells.size();
  counts.fluid = comm::sum_over_ranks(problem.where.comm, counts.fluid);
  if (counts.fluid == 0)
    throw data_error(fmt::format("none of the {} voxels is fluid; select other labels for the fluid", counts.voxels));
  if (counts.fluid == counts.voxels && problem.surroundings != flow_surroundings::closed)
    throw data_error(
        fmt::format("all {} voxels are fluid and no side is a wall, so that the permeability is infinite; select other "
                    "labels for the fluid, or closed sides",
                    counts.voxels));
  return counts;
}

std::vector<bool> runs_with(const flow_parts& parts, std::uint8_t bits) {
  std::vector<bool> keep(parts.through.size());
  for (std::size_t n = 0; n < keep.size(); ++n) keep[n] = (parts.through[n] & bits) != 0;
  return keep;
}

std::uint8_t bit(axis a) { return static_cast<std::uint8_t>(1U << static_cast<int>(a)); }

// Return the shift of the pressure for each run of cells.numbers. With these shifts, the mean pressure is zero in each
// connected part of the periodic fluid. In such a part, no condition determines the level of the pressure. @collective
std::vector<double> levels_of_pressure(const flow_problem& problem, const flow_cells& cells, const numbered_parts& parts,
                                       const double* pressure) {
  const auto runs = cells.numbers.runs();
  std::vector<double> sums(2 * at(parts.count));
  for (std::size_t n = 0; n < runs.size(); ++n) {
    double* const own = sums.data() + 2 * at(parts.of_run[n]);
    for (std::int32_t i = 0; i < runs[n].length; ++i) own[0] += pressure[runs[n].first + i];
    own[1] += runs[n].length;
  }
  comm::all_reduce(problem.where.comm, sums.data(), sums.size(), MPI_SUM);
  std::vector<double> level;
  for (const std::int32_t p : parts.of_run) level.push_back(sums[2 * at(p)] / sums[2 * at(p) + 1]);
  return level;
}

// Set the fields at the centres of the voxels from the solver's last solution. @param parts parts of cells.numbers in a
// periodic box
void set_fields(const flow_problem& problem, const flow_cells& cells, const numbered_parts& parts,
                const std::vector<double>& x, flow_direction& answer) {
  const int a = static_cast<int>(answer.along);
  const double length = static_cast<double>(problem.where.domain[a]) * problem.spacing_mm[a];
  const double gradient = problem.pressure_drop_Pa / length;
  const double speed = gradient * cells.unit_mm * cells.unit_mm / problem.viscosity_Pa_s,
               pressure = gradient * cells.unit_mm;
  const std::int64_t stride = cells.stride();
  std::vector<double> level(at(cells.grid.owned));
  if (cells.through < 0) {
    const std::vector<double> of_run = levels_of_pressure(problem, cells, parts, x.data() + 3 * stride);
    for (std::size_t n = 0; n < of_run.size(); ++n) {
      const voxel::run& r = cells.numbers.runs()[n];
      std::fill_n(level.begin() + r.first, r.length, of_run[n]);
    }
  }
  std::vector<std::array<float, 4>> value(at(cells.grid.owned));
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    auto& own = value[at(i)];
    for (std::size_t c = 0; c < 3; ++c) {
      const double* const u = x.data() + static_cast<std::int64_t>(c) * stride;
      const std::int32_t above = near[2 * c + 1];
      own[c] = static_cast<float>(speed * (u[i] + (above < 0 ? 0 : u[above])) / 2);
    }
    own[3] = static_cast<float>(pressure * (x[at(3 * stride + i)] - level[at(i)]));
  });
  answer.velocity_mm_per_s.assign(3 * at(problem.cells.size()), 0);
  answer.pressure_Pa.assign(at(problem.cells.size()), 0);
  const double to_outlet = static_cast<double>(problem.where.domain[a] - problem.where.owned.begin[a]) - 0.5;
  for (const voxel::run& r : problem.cells.runs()) {
    const std::int32_t first = cells.numbers.find(r.z, r.y, r.x);
    if (first < 0) continue;
    for (std::int32_t n = 0; n < r.length; ++n) {
      const auto& own = value[at(first + n)];
      const std::size_t to = at(r.first + n);
      std::copy_n(own.begin(), 3, answer.velocity_mm_per_s.begin() + static_cast<std::ptrdiff_t>(3 * to));
      const double left = to_outlet - static_cast<double>(index3{r.z, r.y, r.x + n}[a]);
      answer.pressure_Pa[to] = own[3] + static_cast<float>(cells.through < 0 ? 0 : gradient * problem.spacing_mm[a] * left);
    }
  }
}

// Set the velocities on the faces of the voxels from the solver's last solution. @collective
void set_faces(const flow_problem& problem, const flow_cells& cells, const std::vector<double>& x,
               const flow_options& options, flow_direction& answer, log_sink& log) {
  const int a = static_cast<int>(answer.along);
  const double gradient = problem.pressure_drop_Pa / (static_cast<double>(problem.where.domain[a]) * problem.spacing_mm[a]);
  const double speed = gradient * cells.unit_mm * cells.unit_mm / problem.viscosity_Pa_s;
  open_flow_cells open;
  open.cells = cells;
  if (cells.through < 0) {  // no condition gives a pressure
    open.free_parts = 1;
    open.free_part.assign(at(cells.grid.owned), 0);
  }
  const carried_velocities carried = options.carry(open, x, options.poll, log);
  answer.faces_change = carried.change;
  answer.face_velocity_mm_per_s.assign(6 * at(problem.cells.size()), 0);
  std::vector<std::int32_t> place(at(cells.grid.owned), -1);  // index of each cell in the cells of the problem
  for (const voxel::run& r : cells.numbers.runs()) {
    const std::int32_t first = problem.cells.find(r.z, r.y, r.x);
    for (std::int32_t n = 0; n < r.length; ++n) place[at(r.first + n)] = first + n;
  }
  for (const std::int32_t i : cells.beyond) place[at(i)] = -1;
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (place[at(i)] < 0) return;
    double* const to = answer.face_velocity_mm_per_s.data() + 6 * std::ptrdiff_t{place[at(i)]};
    for (std::size_t c = 0; c < 3; ++c) {
      const double* const u = carried.velocity.data() + static_cast<std::int64_t>(c) * cells.stride();
      to[2 * c] = cells.has_face(c, i) ? speed * u[i] : 0;
      to[2 * c + 1] = near[2 * c + 1] < 0 ? 0 : speed * u[near[2 * c + 1]];
    }
  });
}

void set_speeds(const flow_problem& problem, const flow_cells& cells, const flow_solution& all, const std::vector<double>& x,
                flow_direction& answer) {
  const int a = static_cast<int>(answer.along);
  const double gradient = problem.pressure_drop_Pa / (static_cast<double>(problem.where.domain[a]) * problem.spacing_mm[a]);
  double highest = 0;
  const std::int64_t stride = cells.stride();
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t i = 0; i < cells.grid.owned; ++i) highest = std::max(highest, std::abs(x[at(c * stride + i)]));
  comm::all_reduce(problem.where.comm, &highest, 1, MPI_MAX);
  answer.highest_velocity_mm_per_s = highest * gradient * cells.unit_mm * cells.unit_mm / problem.viscosity_Pa_s;
  const double share = static_cast<double>(all.counts.flowing) / static_cast<double>(all.counts.voxels);
  answer.mean_velocity_mm_per_s = answer.permeability_mm2 * gradient / problem.viscosity_Pa_s / share;
  answer.reynolds_number =
      problem.density_kg_per_m3 * 1e-6 * answer.mean_velocity_mm_per_s * all.hydraulic_diameter_mm / problem.viscosity_Pa_s;
}

void find_principal_values(flow_solution& all) {
  const principal_axes axes = principal_axes_of(all.tensor_mm2);
  all.principal_mm2 = axes.value;
  all.principal_direction = axes.direction;
}

double asymmetry(const flow_solution& all) {
  double highest = 0, difference = 0;
  for (const flow_direction& one : all.directions)
    for (const flow_direction& two : all.directions) {
      const std::size_t i = at(static_cast<int>(one.along)), j = at(static_cast<int>(two.along));
      highest = std::max(highest, std::abs(two.column_mm2[i]));
      difference = std::max(difference, std::abs(two.column_mm2[i] - one.column_mm2[j]));
    }
  return highest > 0 ? difference / highest : 0;
}

}  // namespace

void check_permeability(const flow_problem& problem, const flow_options& options) { check_and_count(problem, options); }

flow_solution solve_permeability(const flow_problem& problem, const flow_options& options, log_sink& log) {
  flow_solution all;
  all.counts = check_and_count(problem, options);
  stopwatch watch;
  cpu_clock cpu;
  const bool is_periodic = problem.surroundings == flow_surroundings::periodic;
  std::uint8_t wanted = 0;
  for (const axis a : problem.directions) wanted = static_cast<std::uint8_t>(wanted | bit(a));
  const flow_parts parts = find_flow_parts(problem.where, problem.cells, is_periodic, wanted);
  all.counts.parts = parts.parts;
  all.counts.flowing_parts = parts.flowing_parts;
  std::uint8_t reached = 0;
  for (const std::uint8_t t : parts.through) reached |= t;
  comm::all_reduce(problem.where.comm, &reached, 1, MPI_BOR);

  // If each direction has its own cells, each direction also has its own messages.
  const bool is_one_of_several = !is_periodic && problem.directions.size() > 1;
  std::optional<flow_cells> cells;
  numbered_parts periodic_parts;  // parts of the cells, which are needed for the fields
  std::optional<flow_solver> solver;
  bool is_surveyed = false;
  // axes and solutions; these will be combined with later solutions
  std::vector<std::pair<std::size_t, kept_answer>> earlier;
  for (const axis along : problem.directions) {
    flow_direction& answer = all.directions.emplace_back();
    answer.along = along;
    answer.percolates = (reached & bit(along)) != 0;
    const std::size_t a = at(static_cast<int>(along));
    if (!answer.percolates) {
      log.warn(fmt::format("no path of fluid connects the faces along {}; the permeability is 0", letters[a]));
      answer.certificate.converged = true;
      if (options.fields) {
        answer.velocity_mm_per_s.assign(3 * at(problem.cells.size()), 0);
        answer.pressure_Pa.assign(at(problem.cells.size()), 0);
      }
      continue;
    }
    if (options.poll) options.poll();
    watch.restart();
    cpu.restart();
    if (!solver || !is_periodic) {
      solver.reset();
      cells.emplace(make_flow_cells(problem, runs_with(parts, is_periodic ? wanted : bit(along)), static_cast<int>(a)));
      if (!is_surveyed) {
        const double surface = survey(problem, *cells, all.counts);
        const vector3 h = problem.spacing_mm;
        all.hydraulic_diameter_mm = 4 * static_cast<double>(all.counts.flowing) * h.z * h.y * h.x / surface;
        is_surveyed = true;
      }
      if ((options.fields || options.counts_messages) && is_periodic) {
        const comm::sent_part sends(problem.where.comm, "parts_of_pressure");
        periodic_parts = number_flow_parts(problem.where, cells->numbers, {true, true, true});
      }
      solver.emplace(*cells);
      if (is_one_of_several) solver->name_parts(fmt::format("_along_{}", letters[a]));
      all.setup_seconds += watch.seconds();
    }
    answer.certificate.setup_seconds = watch.seconds();
    answer.certificate.setup_cpu_seconds = cpu.of_all_ranks(problem.where.comm);
    solver->solve(options, answer, log);
    answer.certificate.unknowns = 0;
    for (std::size_t c = 0; c < 3; ++c)
      answer.certificate.unknowns += std::count_if(
          cells->friction[c].begin(), cells->friction[c].begin() + cells->grid.owned, [](std::uint8_t f) { return f != 0; });
    answer.certificate.unknowns += cells->grid.owned - static_cast<std::int64_t>(cells->beyond.size());
    comm::all_reduce(problem.where.comm, &answer.certificate.unknowns, 1, MPI_SUM);

    all.tensor_mm2[a][a] = answer.permeability_mm2;
    const std::vector<double>& x = solver->answer();
    for (const auto& [other, field] : earlier)
      all.tensor_mm2[a][other] = all.tensor_mm2[other][a] =
          cells->unit_mm * cells->unit_mm * solver->mixed_permeability(other, field);
    if (is_periodic && problem.directions.size() > all.directions.size()) earlier.emplace_back(a, solver->keep_answer());
    set_speeds(problem, *cells, all, x, answer);
    if (options.fields) set_fields(problem, *cells, periodic_parts, x, answer);
    if (options.carry && answer.certificate.converged) set_faces(problem, *cells, x, options, answer, log);
  }
  all.asymmetry = asymmetry(all);
  if (problem.directions.size() == 3) find_principal_values(all);
  return all;
}

}  // namespace osteon::physics
