#include <osteon/physics/flow/solver/transport/heat_in_time.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/physics/flow/solver/transport/driving_difference.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

constexpr std::int64_t halved_steps = 2;
constexpr double endless = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::lowest();  // this value represents NaN in finite numbers

// Component of gravity along the nearest axis. The other members are the extent of the image and the edge of a voxel along
// this axis in m.
struct upright {
  double gravity = 0, height_m = 0, voxel_m = 0;
};
upright upright_of(const temperature_problem& problem, const vector3& gravity) {
  constexpr double m_per_mm = 1e-3;
  int along = 0;
  double square = 0;
  for (int a = 0; a < 3; ++a) {
    if (std::abs(gravity[a]) > std::abs(gravity[along])) along = a;
    square += gravity[a] * gravity[a];
  }
  const double voxel = m_per_mm * problem.spacing_mm[along];
  return {std::sqrt(square), voxel * static_cast<double>(problem.where.domain[along]), voxel};
}

// Conversion of a record to numbers, and of such numbers to a record.
void append_heat(std::vector<double>& to, const heat_in_flow_record& r) {
  const auto add = [&](double value) { to.push_back(std::isfinite(value) ? value : no_number); };
  const temperature_solution& h = r.heat;
  for (const double value : {r.time_s,
                             r.fluid_low_K,
                             r.fluid_high_K,
                             r.worst_imbalance,
                             static_cast<double>(r.iterations),
                             h.source_W,
                             h.stored_W,
                             h.carried_out_W,
                             h.walls.area_mm2,
                             h.walls.heat_W,
                             h.walls.mean_K,
                             h.in_K,
                             h.out_K,
                             h.mean_K,
                             h.mean_fluid_K,
                             h.mean_solid_K,
                             h.low_K,
                             h.high_K,
                             h.overshoot_K,
                             h.cell_peclet_number,
                             h.limited_share,
                             h.certificate.reaction_imbalance})
    add(value);
  for (const auto& pair : h.face_inflow_W) to.insert(to.end(), pair.begin(), pair.end());
  for (const opening_heat& o : h.openings)
    for (const double value : {o.mixed_K, o.inflow_mm3_per_s, o.conducted_W}) add(value);
  to.insert(to.end(), h.condition_W.begin(), h.condition_W.end());
}

std::vector<heat_in_flow_record> heat_records_from(const std::vector<double>& from, std::size_t openings,
                                                   std::size_t conditions) {
  std::vector<heat_in_flow_record> history;
  std::size_t place = 0;
  const auto next = [&] {
    const double value = from.at(place++);
    return value == no_number ? std::numeric_limits<double>::quiet_NaN() : value;
  };
  while (place < from.size()) {
    heat_in_flow_record& r = history.emplace_back();
    temperature_solution& h = r.heat;
    for (double* to : {&r.time_s, &r.fluid_low_K, &r.fluid_high_K, &r.worst_imbalance}) *to = next();
    r.iterations = static_cast<std::int64_t>(next());
    for (double* to : {&h.source_W, &h.stored_W, &h.carried_out_W, &h.walls.area_mm2, &h.walls.heat_W, &h.walls.mean_K,
                       &h.in_K, &h.out_K, &h.mean_K, &h.mean_fluid_K, &h.mean_solid_K, &h.low_K, &h.high_K, &h.overshoot_K,
                       &h.cell_peclet_number, &h.limited_share, &h.certificate.reaction_imbalance})
      *to = next();
    for (auto& pair : h.face_inflow_W)
      for (double& value : pair) value = next();
    h.openings.resize(openings);
    for (opening_heat& o : h.openings)
      for (double* to : {&o.mixed_K, &o.inflow_mm3_per_s, &o.conducted_W}) *to = next();
    h.condition_W.resize(conditions);
    for (double& value : h.condition_W) value = next();
  }
  return history;
}

void check_heat_plan(const temperature_problem& problem, const heat_time_plan& plan) {
  fault_list expect;
  expect(problem.initial_K && std::isfinite(*problem.initial_K), "the initial temperature is missing or not finite");
  expect(plan.implicitness >= 0.5 && plan.implicitness <= 1,
         fmt::format("implicitness {} must be in [0.5, 1]", plan.implicitness));
  std::vector<bool> used(problem.materials.size());
  for (const material_number m : problem.material) used.at(m) = true;
  for (const voxel::run& r : problem.fluid.runs())  // the problem contains the heat capacity of the fluid
    used.at(problem.material.at(at(problem.cells.find(r.z, r.y, r.x)))) = false;
  for (std::size_t m = 0; m < used.size(); ++m) {
    const double c = m < plan.heat_capacity_J_per_mm3K.size() ? plan.heat_capacity_J_per_mm3K[m] : 0;
    expect(!used[m] || (c > 0 && std::isfinite(c)),
           fmt::format("material {} ({}): heat capacity {} J/(mm3 K) must be positive", m, problem.materials[m].name, c));
  }
  if (plan.weight) {
    const vector3 g = plan.weight->m_per_s2;
    expect(std::isfinite(plan.weight->expansion_per_K) && plan.weight->expansion_per_K != 0,
           fmt::format("thermal expansion {} 1/K must be finite and not 0", plan.weight->expansion_per_K));
    expect(std::isfinite(g.z + g.y + g.x) && g != vector3{},
           fmt::format("gravity ({}, {}, {}) m/s2 must be finite and not 0", g.z, g.y, g.x));
  }
  expect.require_none();
}

}  // namespace

void check_heat_in_time(const temperature_problem& problem, const heat_time_plan& plan) {
  check_flow_temperature(problem);
  comm::collectively(problem.where.comm, [&] { check_heat_plan(problem, plan); });
}

heat_in_time::heat_in_time(const temperature_problem& problem, const through_problem& flow, heat_time_plan plan,
                           log_sink& log)
    : problem_(problem), flow_(flow), plan_(std::move(plan)), log_(log) {
  check_heat_in_time(problem_, plan_);
  problem_.may_return = true;
  problem_.holds_at_rest = plan_.weight.has_value();
  problem_.face_velocity_mm_per_s.assign(6 * at(problem_.fluid.size()), 0);
}

heat_in_time::~heat_in_time() = default;

std::vector<double> heat_in_time::with_ghosts(const std::vector<double>& owned) const {
  std::vector<double> all(at(cells_.grid.size));
  std::copy(owned.begin(), owned.end(), all.begin());
  cells_.grid.links.exchange(all.data());
  return all;
}

void heat_in_time::begin(const open_flow_cells& open, flow_units& units) {
  open_ = &open;
  cells_ = make_transport_cells(problem_, null_log());
  projection_ = std::make_unique<pressure_projection>(open);
  t_.assign(at(cells_.grid.owned), *problem_.initial_K - cells_.reference_K);
  rate_.assign(t_.size(), 0);
  const vector3 h = problem_.spacing_mm;
  // Heating of a voxel per volume by sources and fluxes.
  std::vector<double> heat(t_.size());
  for (const transport_side& s : cells_.sides) heat[at(s.cell)] += s.heat_W;
  if (!problem_.source_W_per_mm3.empty())
    for (std::size_t i = 0; i < heat.size(); ++i)
      heat[i] += h.z * h.y * h.x * problem_.source_W_per_mm3[problem_.material[i]];
  for (std::size_t i = 0; i < heat.size(); ++i) {
    const double capacity = cells_.is_fluid[i] != 0 ? problem_.heat_capacity_J_per_mm3K
                                                    : plan_.heat_capacity_J_per_mm3K.at(problem_.material[i]);
    heating_K_per_s_ = std::max(heating_K_per_s_, std::abs(heat[i]) / (capacity * h.z * h.y * h.x));
  }
  comm::all_reduce(problem_.where.comm, &heating_K_per_s_, 1, MPI_MAX);
  if (plan_.weight) {
    before_ = before_that_ = t_;
    find_rest();
    double low = endless, high = -endless;
    const auto given = [&](double value) { low = std::min(low, value), high = std::max(high, value); };
    for (const auto& k : problem_.incoming_K)
      if (k) given(*k);
    for (const heat_boundary& c : problem_.conditions)
      if (c.heat.kind == thermal::temperature || c.heat.kind == thermal::convection) given(c.heat.temperature_K);
    const bool is_free = std::none_of(flow_.boundaries.begin(), flow_.boundaries.end(),
                                      [](const flow_boundary& b) { return b.gives_pressure(); });
    weight_ = {plan_.weight->expansion_per_K, plan_.weight->m_per_s2,
               is_free || low > high ? *problem_.initial_K : plan_.weight->reference_K.value_or(0.5 * (low + high))};
    if (!is_free && plan_.weight->reference_K) weight_.reference_K = *plan_.weight->reference_K;
    if (units.velocity_mm_per_s == 0) {  // scale of the velocity, which friction or inertia limits
      constexpr double m_per_mm = 1e-3, least = 1e-6;
      const upright up = upright_of(problem_, weight_.gravity_m_per_s2);
      const double range = std::max(cells_.highest_K - cells_.reference_K, least);
      const double pull = std::abs(weight_.expansion_per_K) * range * up.gravity;
      double own = pull * up.height_m * up.height_m * flow_.density_kg_per_m3 / flow_.viscosity_Pa_s / 100;
      if (flow_.has_inertia) own = std::min(own, std::sqrt(pull * up.height_m));
      units.velocity_mm_per_s = own / m_per_mm;
      units.pressure_Pa = flow_.viscosity_Pa_s * units.velocity_mm_per_s / units.length_mm;
    }
  }
  units_ = units;
  moving_ = at(open.cells.grid.owned);
  certificate_.converged = true;
  certificate_.unknowns = cells_.grid.owned;
  comm::all_reduce(problem_.where.comm, &certificate_.unknowns, 1, MPI_SUM);
}

// Heat through the faces in the steady state of a fluid at rest. The heat is computed only if faces and films are the only
// heat sources.
void heat_in_time::find_rest() {
  for (const flow_boundary& b : flow_.boundaries)
    if (b.gives_velocity() || b.gives_pressure()) return;
  bool has_level = false;
  for (const heat_boundary& c : problem_.conditions) {
    if (c.heat.kind == thermal::flux) return;
    has_level = has_level || c.heat.kind == thermal::temperature || c.heat.kind == thermal::convection;
  }
  for (const double s : problem_.source_W_per_mm3)
    if (s != 0) return;
  if (!has_level) return;
  temperature_problem rest = problem_;
  rest.initial_K.reset();
  rest.face_velocity_mm_per_s.clear();
  rest_inflow_W_ = solve_flow_temperature(rest, {plan_.tolerance, plan_.max_iterations, nullptr}, null_log()).face_inflow_W;
}

void heat_in_time::start(const std::vector<double>& x) {
  const auto end = x.begin() + 3 * open_->cells.stride();
  last_.assign(x.begin(), end);
  after_ = last_;
  taken_.assign(at(open_->cells.stride()), 0);
  find_velocities(1);
  find_range();
}

// Compute the range of the fluid temperatures and of the given temperatures. The range is rounded up. The lengths of steps
// then change rarely.
void heat_in_time::find_range() {
  if (!plan_.weight) return;
  std::array<double, 2> ends{-endless, -endless};
  for (std::size_t i = 0; i < t_.size(); ++i)
    if (cells_.is_fluid[i] != 0) ends = {std::max(ends[0], -t_[i]), std::max(ends[1], t_[i])};
  comm::all_reduce(problem_.where.comm, ends.data(), 2, MPI_MAX);
  const double range = std::max(ends[0] + ends[1], cells_.highest_K - cells_.reference_K);
  constexpr double parts = 2;  // number of steps per factor of two
  range_K_ = range > 0 ? std::exp2(std::ceil(parts * std::log2(range) - 1e-9) / parts) : 0;
}

double heat_in_time::longest_step_s() const {
  if (!plan_.weight) return endless;
  constexpr double of_swing = 0.5;
  const upright up = upright_of(problem_, weight_.gravity_m_per_s2);
  const double pull = up.gravity * std::abs(weight_.expansion_per_K);  // acceleration per kelvin
  double most = endless;
  if (range_K_ > 0) {
    const double square = pull * range_K_ / up.voxel_m;  // N^2 of a layer of one voxel
    most = of_swing / std::sqrt(square);
    if (!flow_.has_inertia) {
      constexpr double slowest = 10;  // approximately pi^2; friction limits the oscillation
      const double kinematic = flow_.viscosity_Pa_s / flow_.density_kg_per_m3;
      most = std::max(most, of_swing * slowest * kinematic / (up.height_m * up.height_m * square));
    }
  }
  if (heating_K_per_s_ > 0) most = std::min(most, std::cbrt(of_swing * of_swing * up.voxel_m / (pull * heating_K_per_s_)));
  return most;
}

flow_entries heat_in_time::force(double step_s) const {
  if (!plan_.weight) return {};
  const double to = step_s / 2, a = steps_s_[0], b = a + steps_s_[1];
  // The extrapolation is constant, linear or quadratic, depending on the number of completed steps.
  std::array<double, 3> share{1, 0, 0};
  if (steps_ > halved_steps)
    share = {(to + a) * (to + b) / (a * b), -to * (to + b) / (a * (b - a)), to * (to + a) / (b * (b - a))};
  else if (steps_ > 0)
    share = {1 + to / a, -to / a, 0};
  std::vector<double> fluid(at(flow_.cells.size()));
  for (const voxel::run& r : flow_.cells.runs()) {
    const std::int32_t first = problem_.cells.find(r.z, r.y, r.x);
    for (std::int32_t n = 0; n < r.length; ++n) {
      const std::size_t i = at(first + n);
      fluid[at(r.first + n)] = cells_.reference_K + share[0] * t_[i] + share[1] * before_[i] + share[2] * before_that_[i];
    }
  }
  return buoyancy_force(flow_, *open_, weight_, fluid, units_);
}

// Compute velocities at a fraction of the step. These velocities conserve mass.
void heat_in_time::find_velocities(double share) {
  std::vector<double> u(last_.size());
  double highest = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = (1 - share) * last_[i] + share * after_[i];
    highest = std::max(highest, std::abs(u[i]));
  }
  comm::all_reduce(problem_.where.comm, &highest, 1, MPI_MAX);
  if (highest > 0) {
    constexpr double of_highest = 1e-12;
    std::fill(taken_.begin(), taken_.end(), 0.0);
    pressure_projection::bounds to;
    to.divergence = of_highest * highest;
    to.velocity = endless;
    projection_->project(u.data(), taken_.data(), to, {});
  }
  u.resize(4 * at(open_->cells.stride()));
  problem_.face_velocity_mm_per_s = face_velocities(flow_, open_->cells, u, units_);
  take_velocities(problem_, cells_, null_log());
  double returns = 0, brings = 0;
  for (const transport_side& s : cells_.sides) returns += s.returns, brings += s.brings;
  const auto sums = sum_of_ranks(problem_.where.comm, std::array{returns, brings});
  if (sums[0] > 0) returned_share_ = std::max(returned_share_, sums[0] / (sums[0] + sums[1]));
}

bool heat_in_time::step(const std::vector<double>& x, double step_s) {
  std::copy_n(x.begin(), after_.size(), after_.begin());
  const std::vector<double> from = t_;
  const bool halves = plan_.implicitness < 1 && steps_ < halved_steps;
  bool converged = part(halves ? step_s / 2 : step_s, halves ? 1 : plan_.implicitness, halves ? 0.5 : plan_.implicitness);
  if (halves) converged = part(step_s / 2, 1, 1) && converged;
  ++steps_;
  steps_s_ = {step_s, steps_s_[0]};
  last_ = after_;
  // Changes of the fluid temperature, and changes of the solid temperature.
  std::array<double, 3> ends{0, -endless, -endless};
  for (std::size_t i = 0; i < t_.size(); ++i)
    ends = {std::max(ends[0], std::abs(t_[i] - from[i])), std::max(ends[1], -t_[i]), std::max(ends[2], t_[i])};
  comm::all_reduce(problem_.where.comm, ends.data(), 3, MPI_MAX);
  const double range = std::max(ends[1] + ends[2], cells_.highest_K - cells_.reference_K);
  change_per_s_ = range > 0 ? ends[0] / (range * step_s) : 0;
  if (plan_.weight) {
    before_that_ = std::move(before_);
    before_ = from;
    find_range();
  }
  return converged;
}

// Compute a step or a half-step. @param share fraction of the step at which the velocities are evaluated
bool heat_in_time::part(double step_s, double implicitness, double share) {
  find_velocities(share);
  const vector3 h = problem_.spacing_mm;
  const double per_s = 1 / (implicitness * step_s), volume = h.z * h.y * h.x;
  cells_.held.resize(t_.size());
  cells_.before = t_;
  for (std::size_t i = 0; i < t_.size(); ++i) {
    const double capacity =
        cells_.is_fluid[i] != 0 ? problem_.heat_capacity_J_per_mm3K : plan_.heat_capacity_J_per_mm3K[problem_.material[i]];
    cells_.held[i] = per_s * volume * capacity;
    cells_.loose[i] += cells_.held[i];
    cells_.right[i] += cells_.held[i] * t_[i];
  }
  // If the fluid moves by less than a voxel in a step, storage dominates over advection. In this case, the cycle of the
  // fluid at rest is sufficient. This cycle remains valid while the length of a step is unchanged. A resumed job must use
  // the same value.
  const double courant = [&] {
    double most = 0;
    for (std::size_t i = 0; i < t_.size(); ++i)
      most = std::max(
          most, (std::abs(cells_.flow[0][i]) + std::abs(cells_.flow[1][i]) + std::abs(cells_.flow[2][i])) / cells_.held[i]);
    comm::all_reduce(problem_.where.comm, &most, 1, MPI_MAX);
    return most;
  }();
  if (courant > 1) {
    of_cycle_ = -1;
    auto cycle = std::make_shared<transport_multigrid>(cells_);
    solver_ ? solver_->set_cycle(cycle) : void(solver_.emplace(cells_, cycle));
  } else if (of_cycle_ != per_s) {
    of_cycle_ = per_s;
    std::array<std::vector<double>, 3> no_flow;
    for (auto& f : no_flow) f.assign(at(cells_.grid.size), 0);
    std::swap(no_flow, cells_.flow);
    std::vector<double> loose = cells_.held;
    for (const transport_side& s : cells_.sides)
      if (s.condition >= 0) loose[at(s.cell)] += s.conductance;
    std::swap(loose, cells_.loose);
    auto cycle = std::make_shared<transport_multigrid>(cells_);
    std::swap(loose, cells_.loose);
    std::swap(no_flow, cells_.flow);
    solver_ ? solver_->set_cycle(cycle) : void(solver_.emplace(cells_, cycle));
  }
  std::vector<double> guess(at(cells_.grid.size));
  for (std::size_t i = 0; i < t_.size(); ++i) guess[i] = t_[i] + implicitness * step_s * rate_[i];
  solve_certificate own;
  solver_->step(problem_.convection, guess, {plan_.tolerance, plan_.max_iterations, nullptr}, own);
  middle_ = solver_->answer();
  for (std::size_t i = 0; i < t_.size(); ++i) {
    rate_[i] = per_s * (middle_[i] - t_[i]);
    t_[i] += step_s * rate_[i];
  }
  const double imbalance = solver_->imbalance();
  certificate_.iterations += own.iterations;
  certificate_.true_relative_residual = std::max(certificate_.true_relative_residual, own.true_relative_residual);
  certificate_.reaction_imbalance = std::max(certificate_.reaction_imbalance, imbalance);
  if (!own.converged) {
    certificate_.converged = false;
    log_.warn(fmt::format("the temperature did not reach its tolerance in {} iterations of step {}; the residual is {:.1e}",
                          own.iterations, steps_ + 1, own.true_relative_residual));
  }
  return own.converged;
}

void heat_in_time::record(double time_s) {
  heat_in_flow_record& r = history_.emplace_back();
  r.time_s = time_s;
  const std::vector<double> now = with_ghosts(t_);
  account_for_heat(problem_, cells_, now, r.heat);
  if (steps_ == 0) {
    temperature_solution& h = r.heat;  // when a condition changes suddenly, the heat flow is undefined
    h.face_inflow_W = {};
    h.carried_out_W = h.stored_W = h.walls.heat_W = 0;
    h.certificate.reaction_imbalance = 0;
    std::fill(h.condition_W.begin(), h.condition_W.end(), 0.0);
    for (opening_heat& o : h.openings) o.conducted_W = 0;
  } else {
    temperature_solution passed;
    account_for_heat(problem_, cells_, middle_, passed);
    passed.mean_K = r.heat.mean_K, passed.mean_fluid_K = r.heat.mean_fluid_K, passed.mean_solid_K = r.heat.mean_solid_K;
    passed.low_K = r.heat.low_K, passed.high_K = r.heat.high_K, passed.overshoot_K = r.heat.overshoot_K;
    r.heat = std::move(passed);
  }
  r.heat.temperature_K = std::vector<double>();  // in contrast to {}, this assignment also frees the memory
  std::array<double, 2> ends{-endless, -endless};
  for (std::size_t i = 0; i < t_.size(); ++i)
    if (cells_.is_fluid[i] != 0) ends = {std::max(ends[0], -t_[i]), std::max(ends[1], t_[i])};
  comm::all_reduce(problem_.where.comm, ends.data(), 2, MPI_MAX);
  r.fluid_low_K = cells_.reference_K - ends[0];
  r.fluid_high_K = cells_.reference_K + ends[1];
  r.worst_imbalance = certificate_.reaction_imbalance;
  r.iterations = certificate_.iterations;
}

heat_in_time::weight_numbers heat_in_time::numbers_of_weight() const {
  std::array<double, 5> ends{-endless, -endless, 0, 0, 0};
  for (std::size_t i = 0; i < t_.size(); ++i)
    if (cells_.is_fluid[i] != 0) ends = {std::max(ends[0], -t_[i]), std::max(ends[1], t_[i])};
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < moving_; ++i)
      ends[2 + c] = std::max(ends[2 + c], std::abs(last_[c * (last_.size() / 3) + i]));
  comm::all_reduce(problem_.where.comm, ends.data(), 5, MPI_MAX);
  constexpr double per_m3 = 1e9;
  const double diffusivity = problem_.materials.at(1).conductivity_W_per_mK / (per_m3 * problem_.heat_capacity_J_per_mm3K);
  const double kinematic = flow_.viscosity_Pa_s / flow_.density_kg_per_m3, unit = units_.velocity_mm_per_s;
  const upright up = upright_of(problem_, weight_.gravity_m_per_s2);
  weight_numbers all;
  all.reference_K = weight_.reference_K;
  all.prandtl_number = kinematic / diffusivity;
  all.driving_K = driving_difference_K(problem_, flow_, weight_.reference_K, ends[0] + ends[1]);
  all.density_change = std::abs(weight_.expansion_per_K) * all.driving_K;
  all.rayleigh_number = all.density_change * up.gravity * std::pow(up.height_m, 3) / (kinematic * diffusivity);
  all.highest_velocity_mm_per_s = {unit * ends[2], unit * ends[3], unit * ends[4]};
  return all;
}

std::vector<double> heat_in_time::temperature_K() const {
  std::vector<double> all = t_;
  for (double& value : all) value += cells_.reference_K;
  return all;
}

heat_in_time::state heat_in_time::saved() {
  state s;
  s.vectors = {{"temperature", &t_}, {"temperature_rate", &rate_}};
  if (plan_.weight) {
    s.vectors.emplace_back("temperature_before", &before_);
    s.vectors.emplace_back("temperature_before_that", &before_that_);
  }
  s.numbers["heat_steps"] = {static_cast<double>(steps_), steps_s_[0], steps_s_[1], change_per_s_, returned_share_};
  // Pictures need these values. Steps do not use these values.
  s.numbers["given_temperatures"] = {cells_.reference_K, cells_.highest_K};
  s.numbers["heat_certificate"] = {static_cast<double>(certificate_.iterations), certificate_.true_relative_residual,
                                   certificate_.reaction_imbalance, static_cast<double>(certificate_.converged)};
  s.numbers["heat_history"];
  for (const heat_in_flow_record& r : history_) append_heat(s.numbers["heat_history"], r);
  return s;
}

void heat_in_time::restored(const std::map<std::string, std::vector<double>>& numbers) {
  const std::vector<double>&n = numbers.at("heat_steps"), &c = numbers.at("heat_certificate");
  steps_ = static_cast<std::int64_t>(n.at(0));
  steps_s_ = {n.at(1), n.at(2)};
  change_per_s_ = n.at(3);
  returned_share_ = n.at(4);
  certificate_.iterations = static_cast<int>(c.at(0));
  certificate_.true_relative_residual = c.at(1);
  certificate_.reaction_imbalance = c.at(2);
  certificate_.converged = c.at(3) != 0;
  history_ = heat_records_from(numbers.at("heat_history"), problem_.openings.size(), problem_.conditions.size());
}

}  // namespace osteon::physics
