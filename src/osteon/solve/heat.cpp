#include <osteon/solve/heat.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/solve/conduction_check.hpp>
#include <osteon/solve/conduction_multigrid.hpp>
#include <osteon/solve/percolation.hpp>

namespace osteon::solve {

namespace {

// The cells that carry heat: those on a path between the two faces.
struct conducting_part {
  voxel::run_set cells;                // with ghosts
  std::vector<std::uint8_t> material;  // owned
  std::vector<std::uint8_t> reach;     // per run of problem.cells
};

conducting_part find_conducting_part(const heat_problem& problem) {
  const auto all = with_ghost_runs(problem.where, problem.cells);
  const auto reached = reached_faces(problem.where, all, problem.along);
  conducting_part part;
  std::vector<voxel::run> runs;
  std::int64_t owned = 0;
  for (std::size_t n = 0; n < reached.size(); ++n) {
    const voxel::run& r = all.runs()[n];
    const bool is_owned = r.z > 0 && r.z + 1 < all.shape().z;
    if (is_owned) part.reach.push_back(reached[n]);
    if (reached[n] != reaches_both) continue;
    runs.push_back(r);
    if (!is_owned) continue;
    owned += r.length;
    const auto begin = problem.material.begin() + (r.first - all.plane_begin(1));
    part.material.insert(part.material.end(), begin, begin + r.length);
  }
  part.cells = {all.shape(), std::move(runs)};
  MPI_Allreduce(MPI_IN_PLACE, &owned, 1, MPI_INT64_T, MPI_SUM, problem.where.comm);
  if (owned == 0) {
    const char name = "zyx"[static_cast<int>(problem.along)];
    throw data_error(
        fmt::format("no conducting path joins the low and the high {} face of the image: no heat can flow; lower the "
                    "threshold, choose another axis, or crop to a part that spans the image along {}",
                    name, name));
  }
  return part;
}

constexpr double settled = 1e-3;  // last relative change of the flux over the tolerance of the residual

// Conjugate gradients on the unit problem: 0 on the low face, 1 on the high face.
class unit_solver {
 public:
  unit_solver(const heat_problem& problem, const conduction_cells& cells)
      : cells_(cells),
        stencil_(cells.stencil<double>()),
        comm_(problem.where.comm),
        multigrid_(cells, problem),
        x_(size()),
        r_(size()),
        q_(size()),
        p_(size()),
        z_(size()) {
    kernel::visit_faces(stencil_, [&](std::int32_t i, std::int32_t j, int, bool, double g) {
      if (j >= cells.high_wall)
        high_.push_back({i, g});
      else if (j >= cells.low_wall)
        low_.push_back({i, g});
    });
  }

  void solve(const options& how, certificate& proof, sink& log);
  double flux(certificate& proof);
  /// The temperatures over the cells' numbering; ends the use of the solver.
  std::vector<double> take() { return std::move(x_); }

 private:
  struct wall_face {
    std::int32_t cell;
    double conductance;
  };
  std::size_t size() const { return static_cast<std::size_t>(cells_.size); }
  template <class Term>
  double total(Term term) const {
    double sum = reduce_blocks(cells_.owned(), [&](std::int64_t begin, std::int64_t end) {
      double part = 0;
      for (std::int64_t i = cells_.begin + begin; i < cells_.begin + end; ++i) part += term(static_cast<std::size_t>(i));
      return part;
    });
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_);
    return sum;
  }
  template <class X>
  void multiply(std::vector<X>& x, std::vector<double>& y) {
    cells_.halo.exchange(x.data());
    double* out = y.data();
    for_each_flux(stencil_, x.data(), [out](std::int32_t i, double flux) { out[i] = flux; });
  }
  // Heat that enters through the high wall.
  double high_inflow() const {
    double sum = 0;
    for (const wall_face& f : high_) sum += f.conductance * (1 - x_[static_cast<std::size_t>(f.cell)]);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_);
    return sum;
  }
  double right_side_norm_squared() {
    std::fill(r_.begin(), r_.end(), 0.0);
    for (const wall_face& f : high_) r_[static_cast<std::size_t>(f.cell)] += f.conductance;
    return total([&](std::size_t i) { return r_[i] * r_[i]; });
  }

  const conduction_cells& cells_;
  kernel::conduction_stencil<double> stencil_;
  MPI_Comm comm_;
  conduction_multigrid multigrid_;  // before the vectors: its setup needs as much memory as they
  std::vector<wall_face> low_, high_;
  std::vector<double> x_, r_, q_;
  // The direction may be single: x and r are updated with the same rounded p, so r stays the residual of x.
  std::vector<float> p_, z_;
};

void unit_solver::solve(const options& how, certificate& proof, sink& log) {
  const double r0 = std::sqrt(right_side_norm_squared());
  proof.residual_history.assign(1, 1.0);
  double rz = 0;
  while (!proof.converged && proof.iterations < how.max_iterations) {
    multigrid_.apply(r_, z_);
    const double rz_new = total([&](std::size_t i) { return r_[i] * static_cast<double>(z_[i]); });
    const auto beta = static_cast<float>(rz == 0 ? 0 : rz_new / rz);
    rz = rz_new;
    for_each(cells_.owned(), [&](std::int64_t n) {
      const auto i = static_cast<std::size_t>(cells_.begin + n);
      p_[i] = z_[i] + beta * p_[i];
    });
    multiply(p_, q_);
    const double alpha = rz / total([&](std::size_t i) { return static_cast<double>(p_[i]) * q_[i]; });
    for_each(cells_.owned(), [&](std::int64_t n) {
      const auto i = static_cast<std::size_t>(cells_.begin + n);
      x_[i] += alpha * static_cast<double>(p_[i]);
      r_[i] -= alpha * q_[i];
    });
    const double relative = std::sqrt(total([&](std::size_t i) { return r_[i] * r_[i]; })) / r0;
    ++proof.iterations;
    proof.residual_history.push_back(relative);
    if (!std::isfinite(relative))
      throw solve_error(
          fmt::format("the heat solver met a value that is not finite in iteration {}: conductivities or voxel "
                      "spacings are beyond single precision; check their units",
                      proof.iterations));
    // The residual alone says little about a flux through thin struts. A step lowers the dissipated power by alpha r.z,
    // so that tells how much is still to come.
    if (relative <= how.tolerance) proof.converged = relative == 0 || alpha * rz <= settled * how.tolerance * high_inflow();
    log.progress(std::clamp(std::log(std::max(relative, how.tolerance)) / std::log(how.tolerance), 0.0, 1.0),
                 fmt::format("iteration {}, relative residual {:.2e}", proof.iterations, relative));
  }
}

// The heat that flows from the high to the low face, and the certificates of x.
double unit_solver::flux(certificate& proof) {
  const double r0 = std::sqrt(right_side_norm_squared());
  multiply(x_, q_);
  // Dissipation sum g (x_i - x_j)^2 over all faces, walls included = x.K.x - 2 f.x + sum of the high wall's g.
  const double quadratic = total([&](std::size_t i) { return x_[i] * (q_[i] - 2 * r_[i]); });
  for (std::int32_t i = cells_.begin; i < cells_.end; ++i)
    r_[static_cast<std::size_t>(i)] -= q_[static_cast<std::size_t>(i)];
  std::array<double, 3> sums{};  // through the low wall, through the high wall, conductance of the high wall
  for (const wall_face& f : low_) sums[0] += f.conductance * x_[static_cast<std::size_t>(f.cell)];
  for (const wall_face& f : high_) {
    sums[1] += f.conductance * (1 - x_[static_cast<std::size_t>(f.cell)]);
    sums[2] += f.conductance;
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_DOUBLE, MPI_SUM, comm_);
  const auto [out, in, high] = sums;
  proof.true_relative_residual = std::sqrt(total([&](std::size_t i) { return r_[i] * r_[i]; })) / r0;
  proof.reaction_imbalance = std::abs(in - out) / std::max(in, out);
  proof.energy_identity_error = std::abs(quadratic + high - 0.5 * (in + out)) / (0.5 * (in + out));
  // The sums over the walls are off by the order of the error e of x. Corrected by the residual, both become the
  // dissipated power, which the exact solution minimises, so that it is off by only e.K.e. That makes the flux the same
  // for every number of ranks although the aggregates, hence the iterates, differ a little.
  return in - total([&](std::size_t i) { return x_[i] * r_[i]; });
}

}  // namespace

heat_solution solve_heat(const heat_problem& problem, const options& how, sink& log) {
  check_conduction(problem);
  if (!(how.tolerance > 0 && how.tolerance < 1))
    throw usage_error(
        fmt::format("the tolerance of the heat solver is {}; it must lie between 0 and 1, e.g. 1e-6", how.tolerance));
  stopwatch setup;
  heat_solution solution;
  auto part = find_conducting_part(problem);
  const auto cells = make_conduction_cells(problem, std::move(part.cells), std::move(part.material));
  std::int64_t unknowns = cells.owned();
  MPI_Allreduce(MPI_IN_PLACE, &unknowns, 1, MPI_INT64_T, MPI_SUM, problem.where.comm);
  solution.proof.unknowns = unknowns;
  auto solver = std::make_unique<unit_solver>(problem, cells);
  solution.proof.setup_seconds = setup.seconds();

  stopwatch solving;
  solver->solve(how, solution.proof, log);
  const double rise = problem.high_K - problem.low_K;
  solution.flux_low_W = solution.flux_high_W = -rise * solver->flux(solution.proof);
  // The residual of the recursion decided when to stop; the recomputed one, which may differ by rounding, has the last word.
  constexpr double rounding = 1.01;
  solution.proof.converged = solution.proof.converged && solution.proof.true_relative_residual <= rounding * how.tolerance;
  solution.proof.solve_seconds = solving.seconds();
  const auto unit_temperature = solver->take();
  solver.reset();  // its vectors make room for the answer

  solution.temperature_K.reserve(problem.material.size());
  std::int32_t next = cells.begin;
  for (std::size_t n = 0; n < part.reach.size(); ++n)
    for (std::int32_t i = 0; i < problem.cells.runs()[n].length; ++i) {
      double unit = 0.5;
      if (part.reach[n] == reaches_both)
        unit = unit_temperature[static_cast<std::size_t>(next++)];
      else if (part.reach[n] != reaches_none)
        unit = part.reach[n] == reaches_high ? 1 : 0;
      solution.temperature_K.push_back(problem.low_K + rise * unit);
    }
  return solution;
}

}  // namespace osteon::solve
