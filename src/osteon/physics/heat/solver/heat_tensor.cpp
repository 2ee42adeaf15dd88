#include <osteon/physics/heat/solver/heat_tensor.hpp>

#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/dense.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/heat/solver/driven_parts.hpp>
#include <osteon/physics/heat/solver/heat_parts.hpp>

namespace osteon::physics {

namespace {

void set_surroundings(heat_problem& problem, surroundings kind) {
  problem.source_W_per_mm3.clear();
  problem.faces = {};
  problem.periodic.fill(kind == surroundings::periodic);
  if (kind == surroundings::uniform_gradient)
    for (auto& pair : problem.faces)
      for (face_condition& face : pair) face.kind = thermal::temperature;
}

// Set gradients along all three axes. With all gradients, the unknowns are all parts in which at least one gradient drives
// heat. @throws errors of check_conduction
void set_all_gradients(heat_problem& problem, surroundings kind) {
  set_surroundings(problem, kind);
  problem.gradient_K_per_mm = {1, 1, 1};
  check_conduction(problem);
}

void find_principal_values(conductivity_tensor& tensor) {
  const principal_axes axes = principal_axes_of(tensor.conductivity_W_per_mK);
  tensor.principal_W_per_mK = axes.value;
  for (std::size_t n = 0; n < 3; ++n)
    tensor.direction[n] = {axes.direction[n][0], axes.direction[n][1], axes.direction[n][2]};
}

// Remove the parts without heat flow for every gradient.
void remove_resting(heat_problem& problem, const driven_parts& driven) {
  const auto runs = problem.cells.runs();
  std::vector<voxel::run> kept;
  std::vector<material_number> material;
  for (std::size_t n = 0; n < runs.size(); ++n) {
    if (driven.axes[n] == 0) continue;
    kept.push_back(runs[n]);
    const auto begin = problem.material.begin() + runs[n].first;
    material.insert(material.end(), begin, begin + runs[n].length);
  }
  problem.cells = {problem.cells.shape(), std::move(kept)};
  problem.material = std::move(material);
}

// Axes along which a gradient drives heat, for each unknown. If all gradients drive heat in every unknown, the list is
// empty.
std::vector<std::uint8_t> axes_of_cells(const voxel::run_set& all, const driven_parts& driven) {
  std::vector<std::uint8_t> axes;
  if (driven.in_all == driven.in_any) return axes;
  for (std::size_t n = 0; n < all.runs().size(); ++n)
    if (driven.axes[n] != 0) axes.insert(axes.end(), at(all.runs()[n].length), driven.axes[n]);
  return axes;
}

// Load of a gradient on the parts in which this gradient drives heat. On other parts, the load is zero, because the solution
// of these parts would have zero energy and an undefined relative error.
heat_load load_along(const heat_problem& problem, const heat_cells& cells, const std::vector<std::uint8_t>& drives, int a) {
  vector3 gradient;
  gradient[a] = 1;
  heat_load load = load_of(problem, cells, 0, gradient);
  if (!drives.empty())
    load.at_face = [whole = std::move(load.at_face), &drives, a](const outer_face& f) {
      return ((drives[at(f.cell)] >> a) & 1) != 0 ? whole(f) : face_drive{};
    };
  return load;
}

// Extend the temperatures of the driven cells to all cells.
std::vector<float> with_resting_parts(const voxel::run_set& all, const driven_parts& driven, std::size_t along,
                                      const std::vector<float>& solved) {
  std::vector<float> values(at(all.size()));
  std::size_t next = 0;
  for (std::size_t n = 0; n < all.runs().size(); ++n) {
    const voxel::run& r = all.runs()[n];
    const bool rests = ((driven.axes[n] >> along) & 1) == 0;
    for (std::int32_t i = 0; i < r.length; ++i)
      values[at(r.first + i)] = rests ? driven.resting_K[along][n] : solved[next + at(i)];
    if (driven.axes[n] != 0) next += at(r.length);
  }
  return values;
}

}  // namespace

heat_problem gradient_problem(heat_problem problem, surroundings kind, axis along) {
  set_surroundings(problem, kind);
  problem.gradient_K_per_mm = {};
  problem.gradient_K_per_mm[static_cast<int>(along)] = 1;
  return problem;
}

void check_effective_conductivity(heat_problem problem, surroundings kind) { set_all_gradients(problem, kind); }

conductivity_tensor effective_conductivity(heat_problem problem, surroundings kind, const options& options, log_sink& log) {
  set_all_gradients(problem, kind);
  check_tolerance(options);
  stopwatch watch;
  cpu_clock cpu;
  conductivity_tensor tensor;
  const driven_parts driven = find_driven_parts(problem, kind);
  tensor.periodic_faces = driven.periodic_faces;
  for (const axis along : {axis::z, axis::y, axis::x})
    if (const std::string reason = reason_without_flow(driven, kind, along); !reason.empty()) log.warn(reason);
  if (driven.in_any == 0) {
    for (auto& certificate : tensor.certificate) certificate.converged = true;
    find_principal_values(tensor);
    for (std::size_t b = 0; b < 3; ++b) tensor.temperature_K[b] = with_resting_parts(problem.cells, driven, b, {});
    return tensor;
  }
  const voxel::run_set all = problem.cells;
  remove_resting(problem, driven);
  auto part = find_heated_parts(problem, false);
  const std::vector<std::uint8_t> drives = axes_of_cells(all, driven);
  const auto cells = make_conduction_cells(problem, std::move(part.cells), std::move(part.material));
  if (options.checkpoints) options.checkpoints->pass();
  heat_solver solver(cells);
  if (options.checkpoints) options.checkpoints->pass();
  const std::int64_t unknowns = comm::sum_over_ranks(problem.where.comm, cells.owned);
  tensor.certificate[0].setup_seconds = watch.seconds();
  tensor.certificate[0].setup_cpu_seconds = cpu.of_all_ranks(problem.where.comm);

  std::optional<voxel::run_set> kept;
  if (options.checkpoints) kept = unknown_cells(problem, part);
  std::array<heat_load, 3> loads;
  for (int a = 0; a < 3; ++a) loads[at(a)] = load_along(problem, cells, drives, a);
  const auto extent = problem.where.domain;
  const vector3 h = problem.spacing_mm;
  const double volume = static_cast<double>(extent.volume()) * h.z * h.y * h.x;
  std::array<std::vector<float>, 3> fields;  // temperatures of the owned cells
  for (std::size_t b = 0; b < 3; ++b) {
    watch.restart();
    cpu.restart();
    const std::vector<double>& x = solver.solve(loads[b], options, tensor.certificate[b], log, kept ? &*kept : nullptr);
    tensor.certificate[b].unknowns = unknowns;
    fields[b].assign(x.begin(), x.begin() + cells.owned);
    // Mixed energy of the fields a and b. The energy is the sum of g (rise_a + dT_a) (rise_b + dT_b) over all faces, summed
    // by parts. The error of this energy is e_a.K.e_b, because the error e_a does no work on the exact field b.
    std::array<double, 3> energy{};
    for (const outer_face& f : cells.outer) {
      const double both_sides = cells.periodic[at(f.axis())] ? 0.5 : 1;
      const double rise = loads[b].at_face(f).rise_K, temperature = x[at(f.cell)];
      for (std::size_t a = 0; a <= b; ++a)
        energy[a] += cells.conductance(f) * loads[a].at_face(f).rise_K * (both_sides * rise - temperature);
    }
    comm::all_reduce(problem.where.comm, energy.data(), 3, MPI_SUM);
    for (std::size_t a = 0; a <= b; ++a) {
      const double work =
          solver.total([&](std::int32_t i) { return static_cast<double>(fields[a][at(i)]) * solver.residual(i); });
      tensor.conductivity_W_per_mK[a][b] = tensor.conductivity_W_per_mK[b][a] = 1000 * (energy[a] - work) / volume;
    }
    tensor.certificate[b].reaction_imbalance = heat_imbalance(inflows(cells, loads[b], x), 0);
    tensor.certificate[b].solve_seconds = tensor.certificate[b].earlier_seconds + watch.seconds();
    tensor.certificate[b].solve_cpu_seconds = cpu.of_all_ranks(problem.where.comm);
  }
  find_principal_values(tensor);
  for (std::size_t b = 0; b < 3; ++b)
    tensor.temperature_K[b] = with_resting_parts(all, driven, b, spread(problem, part, std::move(fields[b]), 0));
  return tensor;
}

}  // namespace osteon::physics
