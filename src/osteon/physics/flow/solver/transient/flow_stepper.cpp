#include <fmt/format.h>

#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/numerics/operators/cell_reductions.hpp>
#include <osteon/physics/flow/solver/transient/flow_stepper.hpp>

namespace osteon::physics {

namespace {

constexpr std::int64_t damped_steps = 2;
constexpr double of_friction = 0.1;   // fraction of the tolerance that is allowed for the friction in a step
constexpr double of_nothing = 1e-13;  // rounding error in double precision relative to the velocities

}  // namespace

flow_stepper::flow_stepper(const open_flow_cells& open, const through_problem& problem, const flow_units& units,
                           settings options, pressure_method method)
    : open_(open),
      cells_(open.cells),
      problem_(problem),
      units_(units),
      options_(std::move(options)),
      memory_s_(1e-6 * problem.density_kg_per_m3 * units.length_mm * units.length_mm / problem.viscosity_Pa_s),
      stencil_(cells_.stencil<double>()),
      convection_(open, problem.boundaries, problem.is_central),
      momentum_(cells_),
      projection_(open, method) {
  if (options_.rate_axis) rate_control_.emplace(open_, *options_.rate_axis);
  if (problem.is_limited) {
    limiter_ = std::make_unique<momentum_limiter>(cells_);
    convection_.limit_by(limiter_->shares());
  }
  const std::size_t size = at(stride());
  for (auto* v : {&x_, &change_}) v->assign(4 * size, 0);
  for (auto* v : {&force_, &before_}) v->assign(3 * size, 0);
  for (auto* v : {&phi_, &d_, &divergence_}) v->assign(size, 0);
  if (problem.has_inertia)
    for (auto* v : {&carried_, &carried_before_}) v->assign(3 * size, 0);
  convection_.set_reynolds(1e-6 * problem.density_kg_per_m3 * units.velocity_mm_per_s * units.length_mm /
                           problem.viscosity_Pa_s);
}

void flow_stepper::set_conditions(const conditions& now) {
  for (const auto& [place, value] : now.given) x_[at(place)] = value;
  right_ = now.right;
  wanted_rate_ = now.rate;
  wanted_rate_per_s_ = now.rate_per_s;
}

void flow_stepper::find_convection() {
  if (is_carried_ || !problem_.has_inertia) return;
  const comm::sent_part sends(cells_.grid.where.comm, "convection");
  std::fill(carried_.begin(), carried_.end(), 0.0);
  if (limiter_) limiter_->update_weights(x_.data(), 1);
  convection_.subtract(x_.data(), carried_.data());
  for_each(3 * stride(), [c = carried_.data()](std::int64_t i) { c[i] = -c[i]; });
  is_carried_ = true;
}

// b - A u - G p
void flow_stepper::find_forces() {
  for_each_stokes(stencil_, x_.data(), {}, [r = force_.data(), n = stride()]<class V>(int c, std::int32_t i, V value) {
    if (c < 3) kernel::put(r + c * n + i, -value);
  });
  for (const auto& [place, value] : right_)
    if (place < 3 * stride()) force_[at(place)] += value;
  if (rate_control_) rate_control_->add_force(drop_, force_.data());
  for (const auto& [place, value] : body_force_) force_[at(place)] += value;
}

flow_stepper::step_result flow_stepper::start(bool is_sudden) {
  step_result result;
  const std::int64_t n = stride();
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(x_.data() + c * n);
  const double unit = highest_velocity();
  std::fill(d_.begin(), d_.end(), 0.0);
  pressure_projection::bounds bounds{options_.tolerance / 2 * unit, options_.tolerance * length_of(x_.data()),
                                     options_.max_iterations};
  auto found = projection_.project(x_.data(), d_.data(), bounds, options_.poll);
  result.pressure_iterations = found.iterations;
  result.converged = found.converged;
  result.divergence = unit > 0 ? found.divergence / unit : 0;
  if (rate_control_) begin_rate(result);

  // This pressure maintains the state. The pressure is computed from the accelerations.
  is_carried_ = false;
  find_convection();
  std::fill(x_.begin() + 3 * n, x_.end(), 0.0);
  find_forces();
  if (problem_.has_inertia) for_each(3 * n, [f = force_.data(), c = carried_.data()](std::int64_t i) { f[i] -= c[i]; });
  for (const kernel::stokes_open_face& f : cells_.open_faces) force_[at(f.axis * n + f.cell)] *= 2;
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(force_.data() + c * n);
  std::fill(d_.begin(), d_.end(), 0.0);
  const double size = length_of(force_.data());
  bounds.divergence = std::numeric_limits<double>::infinity();
  bounds.velocity = options_.tolerance * size + of_nothing;
  found = projection_.project(force_.data(), d_.data(), bounds, options_.poll);
  result.pressure_iterations += found.iterations;
  result.converged = result.converged && found.converged;
  std::copy_n(d_.begin(), n, x_.begin() + 3 * n);
  if (rate_control_) {  // compute the pressure drop that causes the prescribed change of the flow rate
    drop_ = rate_control_->missing(force_.data(), memory_s_ * wanted_rate_per_s_);
    for_each(3 * n,
             [f = force_.data(), w = rate_control_->velocity().data(), d = drop_](std::int64_t i) { f[i] += d * w[i]; });
    for_each(n,
             [p = x_.data() + 3 * n, w = rate_control_->pressure().data(), d = drop_](std::int64_t i) { p[i] += d * w[i]; });
  }
  projection_.remove_free_pressure(x_.data() + 3 * n);
  const double fastest = largest_over_cells(cells_.grid, [&](std::int32_t i, const auto&) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += cells_.slope[c] * std::abs(force_[c * at(n) + at(i)]);
    return sum;
  });
  growth_ = fastest * units_.velocity_mm_per_s / (units_.length_mm * memory_s_);
  std::fill(phi_.begin(), phi_.end(), 0.0);
  damps_ = is_sudden && options_.implicitness < 1;
  find_courant_rate();
  steps_ = 0;
  last_step_s_ = 0;
  return result;
}

// An impulse sets the initial flow rate.
void flow_stepper::begin_rate(step_result& result) {
  const auto found = rate_control_->find_impulse(projection_, rate_tolerances());
  result.pressure_iterations += found.pressure_iterations;
  result.converged = result.converged && found.converged;
  const double impulse = rate_control_->missing(x_.data(), wanted_rate_);
  for_each(3 * stride(),
           [u = x_.data(), w = rate_control_->velocity().data(), impulse](std::int64_t i) { u[i] += impulse * w[i]; });
  const double unit = highest_velocity();
  if (unit > 0) result.divergence = std::max(result.divergence, std::abs(impulse) * rate_control_->divergence() / unit);
  drop_ = drop_change_ = 0;
}

period_rate::tolerances flow_stepper::rate_tolerances() const {
  return {of_friction * options_.tolerance, options_.max_iterations, options_.poll};
}

// Correct the flow rate of the current step. The velocities of the step already conserve mass.
void flow_stepper::control_rate(double sigma, double implicitness, double end, step_result& result) {
  const auto found = rate_control_->find_response(momentum_, projection_, sigma, implicitness, rate_tolerances());
  result.friction_iterations += found.friction_iterations;
  result.pressure_iterations += found.pressure_iterations;
  result.converged = result.converged && found.converged;
  const double rate = from_ == nullptr ? wanted_rate_ : (1 - end) * from_->rate + end * to_->rate;
  const double more = rate_control_->missing(x_.data(), rate);
  const std::int64_t n = stride();
  for_each(3 * n, [u = x_.data(), w = rate_control_->velocity().data(), more](std::int64_t i) { u[i] += more * w[i]; });
  for_each(cells_.grid.owned, [p = x_.data() + 3 * n, phi = phi_.data(), w = rate_control_->pressure().data(),
                               d = rate_control_->increment().data(), more](std::int64_t i) {
    phi[i] += more * d[i];
    p[i] += more * w[i];
  });
  const double unit = highest_velocity();
  if (unit > 0) result.divergence += std::abs(more) * rate_control_->divergence() / unit;
  drop_ += more;
  drop_change_ = more;
}

void flow_stepper::go_on() {
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(x_.data() + c * stride());
  is_carried_ = false;
  find_courant_rate();
}

// Set the given values at a fraction of the current step.
void flow_stepper::set_given(double share) {
  for (std::size_t n = 0; n < from_->given.size(); ++n)
    x_[at(from_->given[n].first)] = (1 - share) * from_->given[n].second + share * to_->given[n].second;
}

flow_stepper::step_result flow_stepper::step(double step_s, const conditions* from, const conditions* to) {
  const comm::sent_part sends(cells_.grid.where.comm, "step");
  from_ = from;
  to_ = to;
  const bool halves = damps_ && steps_ < damped_steps;
  std::copy(x_.begin(), x_.begin() + 3 * stride(), before_.begin());
  step_result result = substep(halves ? step_s / 2 : step_s, halves ? 1 : options_.implicitness, 0, halves ? 0.5 : 1);
  if (halves) {
    const step_result second = substep(step_s / 2, 1, 0.5, 1);
    result = {result.friction_iterations + second.friction_iterations,
              result.pressure_iterations + second.pressure_iterations, std::max(result.divergence, second.divergence), 0,
              result.converged && second.converged};
  }
  ++steps_;
  const double most =
      largest_over_cells(cells_.grid, [x = x_.data(), old = before_.data(), n = stride()](std::int32_t i, const auto&) {
        return std::max({std::abs(x[i] - old[i]), std::abs(x[n + i] - old[n + i]), std::abs(x[2 * n + i] - old[2 * n + i])});
      });
  find_courant_rate();
  const double unit = highest_velocity();
  result.change = unit > 0 ? most / unit : 0;
  return result;
}

// Work per step on this rank in double precision, without the two linear systems. The work consists of convection (six
// neighbours of three components), forces and their sum, the initial guess, u*, divergence and gradient, the pressure, and
// largest values.
kernel_work flow_stepper::work() const {
  constexpr double of_convection = 24 + 24 + 48 + 72, of_rest = 3 * 19 + 48 + 48 + 72 + 32 + 56 + 40 + 48 + 24 + 24;
  constexpr double convected = 3 * 30 + 12, rest = 3 * 17 + 6 + 3 + 3 + 9 + 9 + 4 + 12;
  const auto steps = static_cast<double>(substeps_) * static_cast<double>(cells_.grid.owned);
  kernel_work all = momentum_.work() + projection_.work() + kernel_work{of_rest * steps, rest * steps};
  if (problem_.has_inertia) all += kernel_work{of_convection * steps, convected * steps};
  return all;
}

// @param begin, end ends of the interval as fractions of the step
flow_stepper::step_result flow_stepper::substep(double step_s, double implicitness, double begin, double end) {
  const comm::sent_part sends(cells_.grid.where.comm, "part_of_step");
  step_result result;
  ++substeps_;
  const std::int64_t n = stride();
  const double sigma = memory_s_ / step_s, share = last_step_s_ > 0 ? step_s / last_step_s_ : 0;
  momentum_.set_storage(sigma / implicitness);

  find_convection();
  if (from_ != nullptr) {
    // The equations are linear in the given values. The equations therefore use a weighted mean of the values at the two
    // ends of the interval.
    const double middle = begin + implicitness * (end - begin);
    set_given(middle);
    for (std::size_t k = 0; k < right_.size(); ++k)
      right_[k].second = (1 - middle) * from_->right[k].second + middle * to_->right[k].second;
    for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(x_.data() + c * n);
  }
  cells_.grid.links.exchange(x_.data() + 3 * n);
  find_forces();
  if (problem_.has_inertia)
    for_each(3 * n, [f = force_.data(), c = carried_.data(), old = carried_before_.data(), w = share / 2](std::int64_t i) {
      f[i] -= (1 + w) * c[i] - w * old[i];
    });
  for_each(3 * n, [f = force_.data(), implicitness](std::int64_t i) { f[i] /= implicitness; });

  // Solve for u*. The initial guess is the change in the last step.
  const double size = length_of(x_.data()), force = length_of(force_.data());
  const double target = options_.tolerance * std::max(of_friction * force, 1e-2 * of_friction * momentum_.storage() * size);
  for_each(3 * n, [e = change_.data(), share](std::int64_t i) { e[i] *= share; });
  const auto friction =
      momentum_.solve(force_.data(), change_.data(), share > 0, target, options_.max_iterations, options_.poll);
  result.friction_iterations = friction.iterations;
  if (from_ != nullptr) set_given(end);
  for (std::int64_t c = 0; c < 3; ++c) {
    for_each(cells_.grid.owned, [x = x_.data() + c * n, e = change_.data() + c * n](std::int64_t i) { x[i] += e[i]; });
    cells_.grid.links.exchange(x_.data() + c * n);
  }

  // The projection subtracts the divergent part of the velocities. For an iterative solver, the initial guess is the last
  // increment of the pressure.
  projection_.find_divergence(x_.data(), divergence_.data());
  double velocity = 0;
  if (projection_.is_direct()) {
    std::fill(d_.begin(), d_.end(), 0.0);
  } else {
    velocity = std::min(length_of(x_.data()), std::max(length_of(change_.data()), gradient_length() / sigma));
    for_each(n, [d = d_.data(), phi = phi_.data(), f = share / sigma](std::int64_t i) { d[i] = f * phi[i]; });
    if (share > 0) projection_.subtract_gradient(x_.data(), d_.data());
  }
  const double unit = highest_velocity();
  const auto found = projection_.project(
      x_.data(), d_.data(),
      {options_.tolerance / 2 * unit, options_.tolerance * velocity + of_nothing * size, options_.max_iterations},
      options_.poll);
  result.pressure_iterations = found.iterations;
  result.divergence = unit > 0 ? found.divergence / unit : 0;
  result.converged = friction.converged && found.converged;
  for_each(cells_.grid.owned, [p = x_.data() + 3 * n, phi = phi_.data(), d = d_.data(), div = divergence_.data(), sigma,
                               implicitness](std::int64_t i) {
    phi[i] = sigma * d[i];
    p[i] += phi[i] + implicitness * div[i];
  });
  if (rate_control_) control_rate(sigma, implicitness, end, result);
  projection_.remove_free_pressure(x_.data() + 3 * n);
  std::swap(carried_, carried_before_);
  is_carried_ = false;
  last_step_s_ = step_s;
  return result;
}

void flow_stepper::count_messages(double step_s) {
  step(step_s);
  is_carried_ = false;
  find_convection();
  momentum_.count_messages(change_.data());
  projection_.count_messages(x_.data(), d_.data());
}

double flow_stepper::highest_velocity() const {
  const double* const u = x_.data();
  return largest_over_cells(cells_.grid, [u, n = stride()](std::int32_t i, const auto&) {
    return std::max({std::abs(u[i]), std::abs(u[n + i]), std::abs(u[2 * n + i])});
  });
}

// Root of the sum of squares over the faces.
double flow_stepper::length_of(const double* v) const {
  const std::int64_t n = stride();
  return std::sqrt(block_sums<1>(cells_.grid.where.comm, {cells_.grid.owned, 3},
                                 [&](std::int64_t c, std::int64_t begin, std::int64_t count, auto& sum) {
                                   const double* const own = v + c * n + begin;
                                   for (std::int64_t i = 0; i < count; ++i) sum[0] += own[i] * own[i];
                                 })[0]);
}

// Norm of G p. The ghosts of p become current.
double flow_stepper::gradient_length() const {
  const double* const p = x_.data() + 3 * stride();
  return std::sqrt(sum_over_cells(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint8_t number = cells_.friction[c][at(i)];
      if (number == 0 || number > open_face_frictions) continue;
      const double slope = cells_.slope[c] * (p[i] - p[near[2 * c]]);
      sum += slope * slope;
    }
    return sum;
  }));
}

void flow_stepper::find_courant_rate() {
  rate_ = largest_over_cells(cells_.grid,
                             [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
                               double sum = 0;
                               for (std::size_t c = 0; c < 3; ++c) {
                                 const double* const u = x_.data() + static_cast<std::int64_t>(c) * stride();
                                 const std::int32_t above = near[2 * c + 1];
                                 sum += cells_.slope[c] * std::max(std::abs(u[i]), above < 0 ? 0 : std::abs(u[above]));
                               }
                               return sum;
                             }) *
          units_.velocity_mm_per_s / units_.length_mm;
}

double flow_stepper::kinetic_energy() const {
  const double velocity = length_of(x_.data());
  double halves = 0;  // sum of squares over entries with half of a voxel
  for (const flow_side& s : open_.sides)
    if (s.face >= 0) {
      const double u = x_[s.axis() * at(stride()) + at(s.face)];
      halves += u * u / 2;
    }
  const double squares = velocity * velocity - sum_of_ranks(cells_.grid.where.comm, std::array{halves})[0];
  const vector3 h = problem_.spacing_mm;
  // the unit of the product is kg/m3 mm3 mm2/s2
  return 1e-15 * problem_.density_kg_per_m3 * h.z * h.y * h.x * units_.velocity_mm_per_s * units_.velocity_mm_per_s *
         squares / 2;
}

bool flow_stepper::extrapolates_pressure() const {
  return options_.implicitness < 1 && steps_ > (damps_ ? damped_steps : 0);
}

std::vector<double> flow_stepper::answer() const {
  std::vector<double> x = x_;
  if (extrapolates_pressure())
    for_each(cells_.grid.owned, [p = x.data() + 3 * stride(), phi = phi_.data()](std::int64_t i) { p[i] += phi[i] / 2; });
  cells_.grid.links.exchange(x.data() + 3 * stride());
  return x;
}

const flow_convection* flow_stepper::inertia() {
  if (!problem_.has_inertia) return nullptr;
  find_convection();
  return &convection_;
}

solver_state flow_stepper::saved() {
  solver_state s{"flow in time", cells_.grid.where, &cells_.numbers, false, {}, {}};
  const grid::node_layout one{1, 0, 1};
  const auto add = [&](const std::string& name, std::vector<double>& from, std::int64_t component) {
    s.vectors.push_back({name, std::span(from).subspan(at(component * stride()), at(cells_.grid.owned)), one});
  };
  static constexpr std::array axes{"z", "y", "x"};
  for (std::int64_t c = 0; c < 3; ++c) add(fmt::format("velocity_{}", axes[at(c)]), x_, c);
  add("pressure", x_, 3);
  add("pressure_increment", phi_, 0);
  for (std::int64_t c = 0; c < 3; ++c) {
    add(fmt::format("change_{}", axes[at(c)]), change_, c);
    if (problem_.has_inertia) add(fmt::format("carried_{}", axes[at(c)]), carried_before_, c);
  }
  // Intermediate pictures need these velocities. Steps do not use these velocities.
  for (auto& v : centre_) v.assign(at(cells_.grid.owned), 0.0F);
  visit_neighbours_in_parallel(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double* const u = x_.data() + static_cast<std::int64_t>(c) * stride();
      const double mean = (u[i] + (near[2 * c + 1] < 0 ? 0 : u[near[2 * c + 1]])) / 2;
      centre_[c][at(i)] = static_cast<float>(units_.velocity_mm_per_s * mean);
    }
  });
  for (std::size_t c = 0; c < 3; ++c) {
    for (const std::int32_t i : cells_.beyond) centre_[c][at(i)] = 0;
    s.vectors.push_back({fmt::format("centre_velocity_{}", axes[c]), std::span(centre_[c]), one});
  }
  s.numbers = {{"stepper",
                {last_step_s_, growth_, static_cast<double>(steps_), static_cast<double>(damps_), units_.velocity_mm_per_s,
                 momentum_.storage_of_cycles(), drop_, drop_change_}}};
  if (rate_control_) rate_control_->save(s);
  return s;
}

void flow_stepper::restored(const solver_state& from) {
  const std::vector<double>& n = from.numbers.at("stepper");
  last_step_s_ = n.at(0);
  growth_ = n.at(1);
  steps_ = static_cast<std::int64_t>(n.at(2));
  damps_ = n.at(3) != 0;
  drop_ = n.at(6);
  drop_change_ = n.at(7);
  if (rate_control_) rate_control_->restore(from);
  if (n.at(5) >= 0) momentum_.set_storage(n.at(5));  // the coarse levels of the solver were set up in an earlier step
  go_on();
}

}  // namespace osteon::physics
