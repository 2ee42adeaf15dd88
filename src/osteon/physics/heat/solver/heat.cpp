#include <osteon/physics/heat/solver/heat.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/heat/solver/heat_parts.hpp>

namespace osteon::physics {

namespace {

const face_condition& face_of(const heat_problem& problem, int side) { return problem.faces[at(side / 2)][at(side % 2)]; }

// The two faces that exchange heat (outer_face::side). The result is empty unless exactly two faces exchange heat and
// nothing else causes heat flow.
std::optional<std::array<int, 2>> only_two_faces(const heat_problem& problem) {
  std::vector<int> sides;
  for (int side = 0; side < 6; ++side) {
    const thermal kind = face_of(problem, side).kind;
    if (problem.periodic[at(side / 2)] || kind == thermal::insulated) continue;
    if (kind == thermal::flux) return std::nullopt;
    sides.push_back(side);
  }
  if (sides.size() != 2 || problem.gradient_K_per_mm != vector3{} || generated_heat_W(problem) != 0) return std::nullopt;
  return std::array<int, 2>{sides[0], sides[1]};
}

double& flow(face_flows& flows, int side) { return flows[at(side / 2)][at(side % 2)]; }

// Check that the problem has a solution. If no path connects two faces with different temperatures, zero heat flow is a
// valid solution. Other problems without a cause of heat flow are errors. @throws data_error
void require_solvable(const heat_problem& problem, const heated_parts& part) {
  if (part.reason_at_rest.empty()) return;
  const auto sides = only_two_faces(problem);
  if (!sides || face_of(problem, (*sides)[0]).temperature_K == face_of(problem, (*sides)[1]).temperature_K)
    throw data_error(part.reason_at_rest);
}

// Each part has one temperature, and no heat flows.
heat_solution without_flow(const heat_problem& problem, const heated_parts& part, log_sink& log) {
  log.warn(part.reason_at_rest);
  heat_solution solution;
  solution.periodic_faces = part.periodic_faces;
  solution.source_W = generated_heat_W(problem);
  solution.certificate.converged = true;
  solution.temperature_K = spread(problem, part, std::vector<double>{}, part.middle_K);
  return solution;
}

}  // namespace

std::array<std::array<face_condition, 2>, 3> two_temperatures(axis along, double low_K, double high_K) {
  std::array<std::array<face_condition, 2>, 3> faces{};
  auto& pair = faces[static_cast<std::size_t>(along)];
  pair[0].kind = pair[1].kind = thermal::temperature;
  pair[0].temperature_K = low_K;
  pair[1].temperature_K = high_K;
  return faces;
}

void check_heat(const heat_problem& problem) {
  check_conduction(problem);
  require_solvable(problem, find_heated_parts(problem));
}

heat_solution solve_heat(heat_problem problem, const options& options, log_sink& log) {
  check_conduction(problem);
  check_tolerance(options);
  options.begin(solve_part::set_up);
  stopwatch setup;
  cpu_clock cpu;
  heat_solution solution;
  auto part = find_heated_parts(problem);
  require_solvable(problem, part);
  if (!part.reason_at_rest.empty()) return without_flow(problem, part, log);
  if (part.free_cells > 0)
    log.warn(
        fmt::format("the temperature level of {} voxels is undetermined, because fluxes and sources balance{}; the mean "
                    "temperature of each such part is set to {:g} K",
                    part.free_cells,
                    part.free_imbalance > 1e-12
                        ? fmt::format(" to {:.2g} of the heat input (a uniform sink removes the rest)", part.free_imbalance)
                        : "",
                    part.middle_K));
  auto cells = make_conduction_cells(problem, std::move(part.cells), std::move(part.material));
  solution.periodic_faces = part.periodic_faces;
  const std::int64_t unknowns = comm::sum_over_ranks(problem.where.comm, cells.owned);
  if (options.checkpoints) options.checkpoints->pass();
  auto solver = std::make_unique<heat_solver>(cells);
  if (options.checkpoints) options.checkpoints->pass();
  const double made_W = generated_heat_W(problem);
  const auto sides = only_two_faces(problem);
  cells.cells = {};  // only the set-up uses the cells
  problem.material = {};
  solution.certificate.setup_seconds = setup.seconds();
  solution.certificate.setup_cpu_seconds = cpu.of_all_ranks(problem.where.comm);

  stopwatch solving;
  cpu.restart();
  heat_load load = load_of(problem, cells, part.reference_K, problem.gradient_K_per_mm);
  if (part.free_imbalance > 1e-12)  // this value is equal on all ranks
    load.in_cell = [made = std::move(load.in_cell), &part](std::int32_t i) {
      return (made ? made(i) : 0) - part.sink_W[at(i)];
    };
  std::optional<voxel::run_set> kept;
  if (options.checkpoints) kept = unknown_cells(problem, part);
  const std::vector<double>& x = solver->solve(load, options, solution.certificate, log, kept ? &*kept : nullptr);
  solution.certificate.unknowns = unknowns;
  const outer_inflow entered = inflows(cells, load, x);
  solution.inflow_W = entered.by_side;
  solution.source_W = made_W;
  solution.certificate.reaction_imbalance = heat_imbalance(entered, solution.source_W);
  if (sides) {
    // The error of the sums over the faces is of first order in the error e of x. After a correction by the residual, the
    // sums equal the dissipated power divided by the temperature difference. The exact solution minimises this power. The
    // error of the power is therefore only e.K.e. The corrected flux is equal for any number of ranks, although the
    // aggregates and the iterates differ slightly.
    const auto [one, two] = *sides;
    const auto above = [&](int side) { return face_of(problem, side).temperature_K - part.reference_K; };
    const double power = above(one) * flow(solution.inflow_W, one) + above(two) * flow(solution.inflow_W, two) -
                         solver->total([&](std::int32_t i) { return x[at(i)] * solver->residual(i); });
    flow(solution.inflow_W, one) = power / (above(one) - above(two));
    flow(solution.inflow_W, two) = -flow(solution.inflow_W, one);
  }
  solution.certificate.solve_seconds = solution.certificate.earlier_seconds + solving.seconds();
  solution.certificate.solve_cpu_seconds = cpu.of_all_ranks(problem.where.comm);
  auto temperature = solver->take();
  solver.reset();  // this call frees memory
  cells = {};
  for_each(static_cast<std::int64_t>(temperature.size()), [&](std::int64_t i) { temperature[at(i)] += part.reference_K; });
  solution.temperature_K = spread(problem, part, std::move(temperature), part.middle_K);
  return solution;
}

std::array<double, 2> extremes(MPI_Comm comm, std::span<const double> values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> ends{-infinity, -infinity};  // negative minimum, and maximum
  for (const double v : values) ends = {std::max(ends[0], -v), std::max(ends[1], v)};
  comm::all_reduce(comm, ends.data(), 2, MPI_MAX);
  return {-ends[0], ends[1]};
}

void count_messages(const heat_problem& problem, bool shows_vectors, const message_count& count) {
  numerics::options options;
  options.max_iterations = 1;
  options.listener = count.begins;
  const std::vector<double> temperature_K = solve_heat(problem, options, null_log()).temperature_K;
  options.begin(solve_part::load);
  if (shows_vectors) heat_flux_vectors(problem, temperature_K);
  heat_flux_density(problem, temperature_K);
}

}  // namespace osteon::physics
