#include <osteon/physics/elasticity/solver/elasticity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <osteon/base/for_each.hpp>
#include <osteon/base/release.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/numerics/krylov/cg.hpp>
#include <osteon/numerics/multigrid/elasticity_multigrid.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <osteon/physics/elasticity/solver/reactions.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <utility>

namespace osteon::physics {

namespace {

// Reduction of a single-precision residual after which the residual is recomputed.
constexpr double single_precision = 1e-5;

struct force_component {
  std::int64_t place;  // in a flat vector
  double value_N;
};

}  // namespace

/// Data with the lifetime of the solver.
class elasticity_solver::conjugate_gradients {
 public:
  conjugate_gradients(const elasticity_problem& problem, const options& how, log_sink& log)
      : problem_(problem), how_(how), log_(log), comm_(problem.where.comm), k_(problem) {
    const auto pass = [checkpoints = how.checkpoints] {
      if (checkpoints) checkpoints->pass();
    };
    pass();
    multigrid_.emplace(problem, k_, pass);
    k_.drop_ids();
    const auto n = static_cast<std::size_t>(k_.size());
    displacement_.assign(n, 0.0);
    residual_.assign(n, 0.0F);
    direction_.assign(n, 0.0F);
    unknowns_ = count_unknowns();
    setup_seconds_ = clock_.seconds();
    setup_cpu_seconds_ = cpu_clock_.of_all_ranks(comm_);
  }

  elasticity_solution solve(const elasticity_load& load, bool is_last) {
    clock_.restart();
    cpu_clock_.restart();
    work_ = {};
    elasticity_solution solution;
    certificate_ = {};
    certificate_.unknowns = unknowns_;
    certificate_.setup_seconds = setup_seconds_;
    certificate_.setup_cpu_seconds = setup_cpu_seconds_;
    how_.begin(solve_part::load);
    set_load(load);
    initial_ = 0;
    breakdowns_ = 0;
    is_offered_late_ = false;
    const auto found = how_.checkpoints ? how_.checkpoints->begin() : checkpointer::found::nothing;
    if (found == checkpointer::found::nothing) {
      recompute_residual();
      certificate_.residual_history = {1.0};
      certificate_.converged = !(initial_ > rounding());
      certificate_.true_relative_residual = certificate_.converged ? 0 : 1;
    } else {
      restore(found == checkpointer::found::running);
    }
    // The recursive residual deviates from the true residual by rounding errors. Therefore only the true residual determines
    // convergence, and the iteration restarts from the true residual after every few digits.
    constexpr int allowed_breakdowns = 3;
    while (!certificate_.converged && certificate_.iterations < how_.max_iterations) {
      if (!iterate()) {
        if (++breakdowns_ > allowed_breakdowns)
          throw solve_error(fmt::format(
              "the stiffness is not positive along a search direction after {} iterations; check that Young's moduli are "
              "within a factor of 1e8 of one another and that no part of the solid hangs on a single edge or corner",
              certificate_.iterations));
        multigrid_->damp();
        ++damped_;
      }
      ++certificate_.restarts;
      how_.begin(solve_part::restart);
      recompute_residual();
      rescale_to_zero_work();
      certificate_.true_relative_residual = recompute_residual() / initial_;
      certificate_.converged = certificate_.true_relative_residual <= how_.tolerance;
    }
    how_.begin(solve_part::load);
    if (how_.checkpoints) how_.checkpoints->finish(state(false));
    if (is_last) {  // release memory for the solution, to avoid a higher peak of memory
      multigrid_.reset();
      release(residual_);
      release(direction_);
    }
    write_answer(solution, is_last);
    setup_seconds_ = setup_cpu_seconds_ = 0;  // later load cases have no set-up time
    certificate_.solve_seconds = certificate_.earlier_seconds + clock_.seconds();
    certificate_.solve_cpu_seconds = cpu_clock_.of_all_ranks(comm_);
    certificate_.work = work_.of_all_ranks(comm_);
    solution.certificate = std::move(certificate_);
    return solution;
  }

  // The operations of numerics::cg. All vectors except the displacements are in single precision and relative to the
  // initial residual. Products are computed in double precision. A search direction and its product with K are therefore
  // consistent.

  double precondition() {
    // The input has norm 1, to avoid the smallest numbers of single precision in the cycle.
    for_each(k_.size(), [r = residual_.data(), to = multigrid_->residual().data(),
                         s = static_cast<float>(1 / norm_)](std::int64_t i) { to[i] = s * r[i]; });
    preconditioned_ = multigrid_->cycle().data();
    return norm_ * dot(residual_.data(), preconditioned_);
  }

  double search(double beta) {
    for_each(k_.size(), [p = direction_.data(), z = preconditioned_, s = static_cast<float>(norm_),
                         b = static_cast<float>(beta)](std::int64_t i) { p[i] = s * z[i] + b * p[i]; });
    return checked(comm::counted_sum(comm_, k_.multiply_and_dot(direction_.data(), multigrid_->scratch(1).data())));
  }

  double step(double alpha) {
    const double a = alpha * initial_;
    double* u = displacement_.data();
    float* r = residual_.data();
    const float* p = direction_.data();
    const double* q = multigrid_->scratch(1).data();
    const double own = reduce_blocks(k_.size(), [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        u[i] += a * static_cast<double>(p[i]);
        r[i] = static_cast<float>(static_cast<double>(r[i]) - alpha * q[i]);
      }
      return partial_dot(r, r, begin, end);
    });
    return std::sqrt(checked(comm::counted_sum(comm_, without_copies(own, r, r, k_.size(), k_.layout(), k_.shared()))));
  }

 private:
  template <class A, class B>
  double dot(const A* a, const B* b) const {
    return dot(a, b, k_.shared());
  }

  template <class A, class B>
  double dot(const A* a, const B* b, const grid::shared_nodes& shared) const {
    return checked(comm::counted_sum(comm_, owned_dot(a, b, k_.size(), k_.layout(), shared)));
  }

  double checked(double sum) const {
    if (!std::isfinite(sum))
      throw solve_error(
          fmt::format("the iteration met a number that is not finite after {} iterations; check Young's moduli, "
                      "the voxel size, the prescribed displacements and the forces",
                      certificate_.iterations));
    return sum;
  }

  bool is_owned(std::int64_t place, const grid::shared_nodes& shared) const {
    const auto copies = shared.not_owned();
    return !std::binary_search(copies.begin(), copies.end(), static_cast<std::int32_t>(place % k_.stride()));
  }

  void set_load(const elasticity_load& load) {
    comm::collectively(comm_, [&] { check_load(problem_, load); });
    std::fill(displacement_.begin(), displacement_.end(), 0.0);
    for (std::size_t i = 0; i < problem_.fixed.size(); ++i) {
      const prescribed_displacement& p = problem_.fixed[i];
      displacement_[static_cast<std::size_t>(static_cast<int>(p.direction) * k_.stride() + p.node)] =
          load.prescribed_mm.empty() ? p.value_mm : load.prescribed_mm[i];
    }
    require_equal_copies();
    add_mean_strain(load.mean_strain);
    forces_.clear();
    const std::span<double> force = multigrid_->scratch(1);
    std::fill(force.begin(), force.end(), 0.0);
    for (const nodal_force& f : load.forces)
      for (int c = 0; c < 3; ++c) force[static_cast<std::size_t>(c * k_.stride() + f.node)] += f.force_N[c];
    k_.shared().exchange_add(force.data(), k_.layout());
    forces_.reserve(
        static_cast<std::size_t>(std::count_if(force.begin(), force.end(), [](double value) { return value != 0; })));
    for (std::size_t i = 0; i < force.size(); ++i)
      if (force[i] != 0) forces_.push_back({static_cast<std::int64_t>(i), force[i]});
  }

  /// Add the linear displacement of a strain.
  void add_mean_strain(const std::array<double, 6>& strain) {
    if (strain == std::array<double, 6>{}) return;
    const auto& [xx, yy, zz, xy, yz, xz] = strain;
    const double gradient[3][3] = {{zz, yz / 2, xz / 2}, {yz / 2, yy, xy / 2}, {xz / 2, xy / 2, xx}};
    const index3 origin = problem_.where.owned.begin;
    for (const voxel::run& r : problem_.nodes.runs())
      for (std::int32_t i = 0; i < r.length; ++i) {
        const index3 at = origin + index3{r.z, r.y, r.x + i};
        for (int c = 0; c < 3; ++c)
          for (int d = 0; d < 3; ++d)
            displacement_[static_cast<std::size_t>(c * k_.stride() + r.first + i)] +=
                gradient[c][d] * static_cast<double>(at[d]) * problem_.spacing_mm[d];
      }
  }

  /// Set the displacements and reactions in the order of the nodes.
  void write_answer(elasticity_solution& solution, bool is_last) {
    std::vector<double> reaction(displacement_.size());
    k_.forces(displacement_.data(), reaction.data());
    for (const force_component& f : forces_) reaction[static_cast<std::size_t>(f.place)] -= f.value_N;
    certify(reaction);
    const auto copies = k_.shared_by_ranks().not_owned();
    solution.copies.assign(copies.begin(), copies.end());
    const auto by_nodes = [&](std::vector<double>& from) {
      const auto nodes = from.empty() ? 0 : static_cast<std::size_t>(problem_.nodes.size());
      std::vector<double> to(3 * nodes);
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 0; i < nodes; ++i) to[3 * i + c] = from[c * static_cast<std::size_t>(k_.stride()) + i];
      return to;
    };
    solution.reaction_N = by_nodes(reaction);
    release(reaction);
    solution.displacement_mm = by_nodes(displacement_);
    if (is_last) release(displacement_);
  }

  /// Reject a displacement that is prescribed on one rank and free on another rank. Such a displacement would separate the
  /// copies of its node.
  void require_equal_copies() {
    // Minimum and negated maximum over all copies of the bits of the value. A free displacement has the bits 1, which
    // represent no valid value.
    const auto copied = k_.shared().with_copies();
    const auto fixed = k_.fixed();
    const auto key = [&](std::size_t i, std::int64_t c) {
      const std::int64_t place = c * k_.stride() + copied[i];
      if (!std::binary_search(fixed.begin(), fixed.end(), place)) return std::int64_t{1};
      const double value = displacement_[static_cast<std::size_t>(place)] + 0.0;  // unify +0 and -0
      return std::bit_cast<std::int64_t>(value);
    };
    std::vector<std::int64_t> keys(6 * copied.size());
    for (std::size_t i = 0; i < copied.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        keys[6 * i + c] = key(i, static_cast<std::int64_t>(c));
        keys[6 * i + 3 + c] = ~keys[6 * i + c];
      }
    k_.shared().exchange_min(keys, 6);
    int differs = 0;
    for (std::size_t i = 0; i < copied.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) differs |= keys[6 * i + c] != ~keys[6 * i + 3 + c];
    comm::all_reduce(comm_, &differs, 1, MPI_MAX);
    if (differs)
      throw usage_error(
          "a node that several ranks or periodic faces have is prescribed differently on them; prescribe the same "
          "displacements on all of them");
  }

  std::int64_t count_unknowns() const {
    auto count =
        3 * static_cast<std::int64_t>(problem_.nodes.size()) - 3 * static_cast<std::int64_t>(k_.shared().not_owned().size());
    for (const std::int64_t place : k_.fixed()) count -= is_owned(place, k_.shared());
    comm::all_reduce(comm_, &count, 1, MPI_SUM);
    return count;
  }

  kernel_work work_of_iteration() const {
    // Bytes of the vectors, in order: residual as input of the cycle; (r, z); p; u, r and the norm of r. The product
    // includes (p, q).
    constexpr double bytes = 8 + 8 + 12 + 36, operations = 1 + 2 + 3 + 2 + 4 + 2;
    const auto values = static_cast<double>(k_.size());
    return multigrid_->work_of_cycle() + k_.work_in_double() + kernel_work{bytes * values, operations * values};
  }

  /// Set the residual to f - K u at free displacements, divided by the initial residual. @return norm of f - K u in N
  double recompute_residual() {
    const std::span<double> r = multigrid_->scratch(1);
    k_.multiply(displacement_.data(), r.data());
    const auto fixed = k_.fixed();
    for (const force_component& f : forces_)
      if (!std::binary_search(fixed.begin(), fixed.end(), f.place)) r[static_cast<std::size_t>(f.place)] -= f.value_N;
    const double norm = std::sqrt(dot(r.data(), r.data()));
    if (initial_ == 0) initial_ = norm;
    for_each(k_.size(), [r = r.data(), to = residual_.data(), by = initial_ > 0 ? -1 / initial_ : 0.0](std::int64_t i) {
      to[i] = static_cast<float>(by * r[i]);
    });
    return norm;
  }

  /// Scale the free displacements by a factor that makes the work of the residual on the displacements zero. In exact
  /// arithmetic, conjugate gradients satisfy this condition. After the scaling, the errors of the work of the load and of
  /// the stiffness are of second order.
  void rescale_to_zero_work() {
    if (problem_.periodic != std::array<bool, 3>{}) return;  // the mean strain must not be scaled
    const std::span<double> p = multigrid_->scratch(0), q = multigrid_->scratch(1);
    std::copy(displacement_.begin(), displacement_.end(), p.begin());
    for (const std::int64_t i : k_.fixed()) p[static_cast<std::size_t>(i)] = 0;
    k_.multiply(p.data(), q.data());
    const double curvature = dot(p.data(), q.data());
    if (!(curvature > 0)) return;
    const double step = initial_ * dot(p.data(), residual_.data()) / curvature;
    for_each(k_.size(), [u = displacement_.data(), p = p.data(), step](std::int64_t i) { u[i] += step * p[i]; });
  }

  /// The rounding error of K u at nodes with an exact value of zero, for example in a homogeneous body under a mean
  /// strain. The solver cannot reduce a residual below this error.
  double rounding() const {
    const inverse_diagonal inverse = k_.inverse_diagonal();
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c)
      sum += reduce_blocks(k_.stride(), [&](std::int64_t begin, std::int64_t end) {
        double block = 0;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          if (const float d = inverse.weight[c] * inverse.value[i]; d > 0) {
            const double force = displacement_[c * static_cast<std::size_t>(k_.stride()) + i] / static_cast<double>(d);
            block += force * force;
          }
        return block;
      });
    comm::all_reduce(comm_, &sum, 1, MPI_SUM);
    return 4 * std::numeric_limits<double>::epsilon() * std::sqrt(sum);
  }

  /// Iterate from the current residual until the recursive residual reaches the tolerance. @return false if the
  /// preconditioner is not positive
  bool iterate() {
    if (!std::exchange(is_restored_, false)) {
      how_.begin(solve_part::restart);
      norm_ = std::sqrt(dot(residual_.data(), residual_.data()));
      goal_ = std::max(how_.tolerance, single_precision * norm_);
      recursion_.restart();
      // If the last iteration ended in a restart, the state of that iteration is saved here, with the residual for the
      // next iteration.
      if (std::exchange(is_offered_late_, false)) offer_to_keep();
    }
    while (certificate_.iterations < how_.max_iterations) {
      how_.begin(solve_part::iteration);
      const auto step = recursion_.advance(*this);
      if (!step) return false;
      norm_ = step->residual;
      ++certificate_.iterations;
      work_ += work_of_iteration();
      certificate_.residual_history.push_back(norm_);
      report(norm_);
      if (norm_ <= goal_) {
        is_offered_late_ = true;
        break;
      }
      offer_to_keep();
    }
    return true;
  }

  void offer_to_keep() {
    if (how_.checkpoints && how_.checkpoints->is_due(certificate_.iterations)) how_.checkpoints->save(state(true));
  }

  /// Return the state from which the iteration can resume, or only the solution.
  solver_state state(bool is_running) {
    solver_state s{"elasticity", problem_.where, &problem_.nodes, true, {}, {}};
    s.vectors = {{"displacement", std::span(displacement_), k_.layout()}};
    s.numbers = {{"iterations", {static_cast<double>(certificate_.iterations)}},
                 {"converged", {static_cast<double>(certificate_.converged)}},
                 {"true_relative_residual", {certificate_.true_relative_residual}},
                 {"residual_history", certificate_.residual_history},
                 {"initial_residual_N", {initial_}},
                 {"damped", {static_cast<double>(damped_)}},
                 {"seconds", {certificate_.earlier_seconds + clock_.seconds()}}};
    if (!is_running) return s;
    s.vectors.push_back({"residual", std::span(residual_), k_.layout()});
    s.vectors.push_back({"direction", std::span(direction_), k_.layout()});
    s.numbers["recursion"] = {norm_, goal_, recursion_.rz(), static_cast<double>(breakdowns_)};
    return s;
  }

  void restore(bool is_running) {
    solver_state s = state(is_running);
    how_.checkpoints->restore(s);
    certificate_.iterations = static_cast<int>(s.numbers.at("iterations").at(0));
    certificate_.converged = s.numbers.at("converged").at(0) != 0;
    certificate_.true_relative_residual = s.numbers.at("true_relative_residual").at(0);
    certificate_.residual_history = s.numbers.at("residual_history");
    initial_ = s.numbers.at("initial_residual_N").at(0);
    certificate_.earlier_seconds = s.numbers.at("seconds").at(0);
    for (; damped_ < static_cast<int>(s.numbers.at("damped").at(0)); ++damped_) multigrid_->damp();
    if (is_running) {
      const std::vector<double>& r = s.numbers.at("recursion");
      norm_ = r.at(0), goal_ = r.at(1), breakdowns_ = static_cast<int>(r.at(3));
      recursion_.resume(r.at(2));
      is_restored_ = true;
    } else if (!certificate_.converged) {
      recompute_residual();  // the resumed job can have a higher iteration limit
    }
  }

  void report(double relative) {
    constexpr double seconds_between = 0.3;
    if (since_report_.seconds() < seconds_between) return;
    since_report_.restart();
    const double fraction = std::log(relative) / std::log(how_.tolerance);
    log_.progress(std::clamp(fraction, 0.0, 1.0),
                  fmt::format("iteration {}, residual {:.1e}", certificate_.iterations, relative));
  }

  /// Set the balances of the certificate.
  void certify(std::vector<double>& reaction) {
    std::vector<force_component> external = forces_;
    const auto add_reaction = [&](std::int64_t place) {
      external.push_back({place, reaction[static_cast<std::size_t>(place)]});
    };
    const auto fixed = k_.fixed();
    std::for_each(fixed.begin(), fixed.end(), add_reaction);
    if (problem_.periodic != std::array<bool, 3>{})
      for (const std::int32_t node : k_.shared().with_copies())
        for (std::int64_t place = node; place < k_.size(); place += k_.stride())
          if (!std::binary_search(fixed.begin(), fixed.end(), place)) add_reaction(place);
    force_balance balance;
    for (const auto& [place, force] : external)
      if (is_owned(place, k_.shared_by_ranks()))
        balance.add(problem_, static_cast<std::int32_t>(place % k_.stride()), static_cast<int>(place / k_.stride()), force,
                    displacement_[static_cast<std::size_t>(place)]);
    // The work of K u is the work of the reactions and forces.
    for (const force_component& f : forces_) reaction[static_cast<std::size_t>(f.place)] += f.value_N;
    const double energy = dot(displacement_.data(), reaction.data(), k_.shared_by_ranks());
    for (const force_component& f : forces_) reaction[static_cast<std::size_t>(f.place)] -= f.value_N;
    balance.certify(comm_, energy, certificate_);
  }

  const elasticity_problem& problem_;
  options how_;
  log_sink& log_;
  stopwatch clock_;
  cpu_clock cpu_clock_;
  kernel_work work_;  // work of the solution on this rank
  MPI_Comm comm_;
  fine_stiffness k_;
  std::optional<elasticity_multigrid> multigrid_;
  std::vector<double> displacement_;
  std::vector<float> residual_, direction_;  // relative to the initial residual
  std::vector<force_component> forces_;      // complete sums, on every copy of a node
  std::int64_t unknowns_ = 0;
  double initial_ = 0, setup_seconds_ = 0, setup_cpu_seconds_ = 0;
  cg recursion_;
  double norm_ = 0, goal_ = 0;             // norm of the residual of the recursion
  const float* preconditioned_ = nullptr;  // residual divided by its norm
  int breakdowns_ = 0, damped_ = 0;        // breakdowns in this load case; damped steps in total
  bool is_restored_ = false, is_offered_late_ = false;
  solve_certificate certificate_;
  stopwatch since_report_;
};

elasticity_solver::elasticity_solver(const elasticity_problem& problem, const options& how, log_sink& log) {
  check_elasticity(problem);
  if (!(how.tolerance > 0 && how.tolerance < 1))
    throw usage_error(fmt::format("a tolerance of {}; it lies in (0, 1), e.g. 1e-6", how.tolerance));
  how.begin(solve_part::set_up);
  solver_ = std::make_unique<conjugate_gradients>(problem, how, log);
}

elasticity_solver::~elasticity_solver() = default;

elasticity_solution elasticity_solver::solve(const elasticity_load& load) { return solver_->solve(load, false); }
elasticity_solution elasticity_solver::solve_last(const elasticity_load& load) { return solver_->solve(load, true); }

elasticity_solution solve_elasticity(const elasticity_problem& problem, const options& how, log_sink& log) {
  return elasticity_solver(problem, how, log).solve_last({});
}

void count_messages(elasticity_problem problem, const message_count& count) {
  problem.missing_levels = count.missing_levels;
  problem.levels = count.levels;
  const comm::without_values empty(problem.where.comm);
  options how;
  how.max_iterations = 1;
  how.listener = count.begins;
  solve_elasticity(problem, how, null_log());
}

std::vector<float> integrated_energy_density(const elasticity_problem& problem, const std::vector<double>& displacement_mm,
                                             std::span<const double> thermal_strain) {
  std::vector<kernel::matrix24> stiffness;
  for (const kernel::lame& m : lame_table(*problem.materials))
    stiffness.push_back(kernel::element_stiffness(problem.spacing_mm, m));
  const double twice_volume = 2 * problem.spacing_mm.z * problem.spacing_mm.y * problem.spacing_mm.x;
  std::vector<float> density(static_cast<std::size_t>(problem.cells.size()));
  const auto runs = problem.cells.runs();
  for_each(static_cast<std::int64_t>(runs.size()), [&](std::int64_t index) {
    const voxel::run& r = runs[static_cast<std::size_t>(index)];
    std::int32_t first[4];
    for (int row = 0; row < 4; ++row) first[row] = problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x);
    for (std::int32_t e = 0; e < r.length; ++e) {
      double u[24];
      for (int a = 0; a < 8; ++a)
        std::copy_n(displacement_mm.begin() + 3 * (static_cast<std::ptrdiff_t>(first[a / 2]) + (a & 1) + e), 3, u + 3 * a);
      // Subtract the translation. A translation has no energy, but the products of a translation cancel only to rounding.
      for (int a = 7; a >= 0; --a)
        for (int c = 0; c < 3; ++c) u[3 * a + c] -= u[c];
      const auto cell = static_cast<std::size_t>(r.first + e);
      // Free expansion is a linear displacement. Without free expansion, the remaining displacements have only the
      // mechanical strain.
      for (int a = 1; a < 8 && !thermal_strain.empty(); ++a)
        for (int c = 0; c < 3; ++c)
          if (a & (4 >> c)) u[3 * a + c] -= thermal_strain[cell] * problem.spacing_mm[c];
      const kernel::matrix24& k = stiffness[problem.material[cell]];
      double energy = 0;
      for (std::size_t i = 0; i < 24; ++i) {
        double force = 0;
        for (std::size_t j = 0; j < 24; ++j) force += k[24 * i + j] * u[j];
        energy += force * u[i];
      }
      density[cell] = static_cast<float>(std::max(0.0, energy) / twice_volume);
    }
  });
  return density;
}

}  // namespace osteon::physics
