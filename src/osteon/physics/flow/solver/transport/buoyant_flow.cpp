#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/krylov/anderson_acceleration.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/physics/flow/solver/openings/through_solver.hpp>
#include <osteon/physics/flow/solver/transport/buoyant_flow.hpp>
#include <osteon/physics/flow/solver/transport/carried_temperature.hpp>
#include <osteon/physics/flow/solver/transport/driving_difference.hpp>
#include <osteon/physics/flow/solver/transport/stability.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <utility>

namespace osteon::physics {

namespace {

constexpr std::size_t kept_rounds = 20;
constexpr int most_rounds = 200;  // maximum number of outer iterations with one step length
constexpr int most_attempts = 3;
constexpr int first_mixed = 3;  // number of outer iterations before the first iteration with mixing
constexpr double quick_rayleigh = 1e5,
                 // initial number of steps per oscillation; at high Rayleigh numbers, the number is larger
    first_pace = 3;
constexpr double any_flow = 0.9;       // tolerance at which a flow remains unchanged
constexpr double loosest_flow = 0.03;  // largest error of the flow in an outer iteration
// Error of the flow in an outer iteration, relative to the change in the previous outer iteration.
constexpr double flow_of_change = 0.1;
constexpr double heat_of_change = 1e-3;  // residual of the temperature in an outer iteration, relative to the change
constexpr double loosest_heat = 1e-4;
constexpr double rounding_of_kelvins = 1e-12;
// range of a temperature relative to the driving difference; below this value, the temperature is uniform
constexpr double uniform = 1e-6;
// tolerances for the small disturbances of the stability test
constexpr double test_flow_tolerance = 2e-6, test_heat_tolerance = 1e-8;
constexpr int most_states = 4;     // maximum number of steady states in the search for a stable state
constexpr int most_marched = 300;  // maximum number of steps away from an unstable state
constexpr int fewest_marched = 8;
// change of the temperature along the growing disturbance, relative to the range of the temperature
constexpr double first_kick = 0.1;

void check_weight(const buoyant_problem& problem) {
  fault_list expect;
  const vector3 g = problem.gravity_m_per_s2;
  expect(std::isfinite(problem.expansion_per_K) && problem.expansion_per_K != 0,
         fmt::format("thermal expansion {} 1/K must be finite and not 0", problem.expansion_per_K));
  expect(std::isfinite(g.z + g.y + g.x) && g != vector3{},
         fmt::format("gravity ({}, {}, {}) m/s2 must be finite and not 0", g.z, g.y, g.x));
  expect(std::isfinite(problem.reference_K.value_or(0)),
         fmt::format("reference temperature {} K must be finite", problem.reference_K.value_or(0)));
  expect(problem.flow.is_buoyant && problem.flow.multiples.size() == 1,
         "buoyancy does not scale with the conditions; give one multiple");
  expect.require_none();
}

double length_of(const vector3& v) { return std::sqrt(v.z * v.z + v.y * v.y + v.x * v.x); }

// Extent of the image along the axis nearest to gravity [mm].
double height_of(const buoyant_problem& problem) {
  int along = 0;
  for (int a = 1; a < 3; ++a)
    if (std::abs(problem.gravity_m_per_s2[a]) > std::abs(problem.gravity_m_per_s2[along])) along = a;
  return static_cast<double>(problem.flow.where.domain[along]) * problem.flow.spacing_mm[along];
}

// Lowest and highest temperature of the fluid cells on all ranks.
std::array<double, 2> range_of_fluid(const transport_cells& cells, const std::vector<double>& x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> ends{-infinity, -infinity};
  for (std::size_t i = 0; i < x.size(); ++i)
    if (cells.is_fluid[i] != 0) ends = {std::max(ends[0], -x[i]), std::max(ends[1], x[i])};
  comm::all_reduce(cells.grid.where.comm, ends.data(), 2, MPI_MAX);
  return {-ends[0], ends[1]};
}

class buoyant_solver {
 public:
  buoyant_solver(const buoyant_problem& problem, const through_options& options_of_flow, const options& options_of_heat,
                 log_sink& log)
      : problem_(problem),
        flow_(problem.flow),
        options_of_flow_(options_of_flow),
        options_of_heat_(options_of_heat),
        log_(log),
        heat_(problem.heat) {
    heat_.set_options(options_of_heat);
  }

  buoyant_solution run() {
    const stopwatch watch;
    const cpu_clock cpu;
    through_solution& all = all_.flow;
    const through_outline known = validate_conditions(flow_, options_of_flow_);
    open_ = begin_through(flow_, known, all, log_);
    units_ = units_of(flow_, open_.cells, known.velocities);
    const bool is_driven = units_.velocity_mm_per_s > 0;
    bool is_closed = true;
    for (const flow_boundary& b : flow_.boundaries) is_closed = is_closed && !b.gives_velocity() && !b.gives_pressure();
    through_solver solver(open_, flow_);
    solver_ = &solver;
    all.setup_seconds = watch.seconds();
    const double setup_cpu_seconds = cpu.of_all_ranks(comm());
    all.flows.emplace_back().multiple = multiple();

    // The solution starts from the flow without buoyancy. If nothing else drives the flow, the solution starts from rest.
    given_ = [&] { return given_velocities(flow_, open_, known.velocities, units_, multiple()); };
    all.face_velocity_mm_per_s.assign(6 * at(flow_.cells.size()), 0);
    bool goes_on = true;
    if (is_driven) goes_on = solve_flow(false, loosest_flow);
    heat_.solve(all.face_velocity_mm_per_s, 1e-6, 1, {}, 0, log_);
    if (is_closed) {
      const temperature_solution rest = heat_.account(null_log(), true);
      all_.rest_inflow_W = rest.face_inflow_W;
    }
    t_ = heat_.owned();
    measure();
    set_units(is_driven);
    rests_ = !is_driven && drive_ <= rounding_of_kelvins * std::max(std::abs(weight_.reference_K), 1.0);
    if (goes_on && !rests_) goes_on = find_stable_state();
    return finish(goes_on, setup_cpu_seconds);
  }

 private:
  MPI_Comm comm() const { return flow_.where.comm; }
  double multiple() const { return flow_.multiples.front(); }
  double reynolds() const {
    constexpr double m2_per_mm2 = 1e-6;
    return flow_.has_inertia
               ? m2_per_mm2 * flow_.density_kg_per_m3 * units_.velocity_mm_per_s * units_.length_mm / flow_.viscosity_Pa_s
               : 0;
  }

  // Compute the dimensionless numbers of the problem for the present temperature.
  void measure() {
    const auto ends = range_of_fluid(heat_.cells(), t_);
    range_ = ends[1] - ends[0];
    const transport_cells& cells = heat_.cells();
    weight_ = {problem_.expansion_per_K, problem_.gravity_m_per_s2,
               problem_.reference_K.value_or(0.5 * (cells.reference_K + cells.highest_K))};
    // If no pressure is prescribed, the reference temperature changes only the hydrostatic pressure, not the flow.
    if (std::none_of(flow_.boundaries.begin(), flow_.boundaries.end(),
                     [](const flow_boundary& b) { return b.gives_pressure(); }))
      weight_.reference_K = cells.reference_K + 0.5 * (ends[0] + ends[1]);
    const temperature_problem& heat = heat_.problem();
    const double conductivity = heat.materials.at(1).conductivity_W_per_mK;
    constexpr double per_m3 = 1e9, m_per_mm = 1e-3;
    const double capacity = per_m3 * heat.heat_capacity_J_per_mm3K, diffusivity = conductivity / capacity;
    const double kinematic = flow_.viscosity_Pa_s / flow_.density_kg_per_m3;
    all_.reference_K = weight_.reference_K;
    all_.prandtl_number = kinematic / diffusivity;
    all_.height_mm = height_of(problem_);
    all_.domain = flow_.where.domain;
    drive_ = driving_difference_K(heat, flow_, weight_.reference_K, range_);
    all_.driving_K = drive_;
    all_.density_change = std::abs(problem_.expansion_per_K) * drive_;
    all_.rayleigh_number = all_.density_change * length_of(problem_.gravity_m_per_s2) *
                           std::pow(m_per_mm * all_.height_mm, 3) / (kinematic * diffusivity);
  }

  // Set the scale of the velocity. Friction or inertia limits this scale.
  void set_units(bool is_driven) {
    constexpr double m_per_mm = 1e-3;
    const double height = m_per_mm * all_.height_mm, pull = all_.density_change * length_of(problem_.gravity_m_per_s2);
    double own = pull * height * height * flow_.density_kg_per_m3 / flow_.viscosity_Pa_s / 100;
    if (flow_.has_inertia) own = std::min(own, std::sqrt(pull * height));
    own /= m_per_mm;
    if (is_driven) return;  // a solution in these units already exists
    units_.velocity_mm_per_s = own > 0 ? own : 1;
    units_.pressure_Pa = flow_.viscosity_Pa_s * units_.velocity_mm_per_s / units_.length_mm;
  }

  std::vector<double> temperature_of_fluid() const {
    std::vector<double> result(at(flow_.cells.size()));
    const temperature_problem& heat = heat_.problem();
    for (const voxel::run& r : flow_.cells.runs()) {
      const std::int32_t first = heat.cells.find(r.z, r.y, r.x);
      for (std::int32_t n = 0; n < r.length; ++n) result[at(r.first + n)] = heat_.cells().reference_K + t_[at(first + n)];
    }
    return result;
  }

  // Solve the flow for the present temperature. The function sets the initial residual of the flow.
  bool solve_flow(bool with_buoyancy, double tolerance) {
    flow_entries right = right_hand_side(flow_, open_, units_, multiple());
    if (with_buoyancy) {
      const flow_entries pulled = buoyancy_force(flow_, open_, weight_, temperature_of_fluid(), units_);
      right.insert(right.end(), pulled.begin(), pulled.end());
    }
    // Given velocities are in the right-hand side of the adjacent equations. Their coefficients are about one.
    const flow_entries given = given_();
    right_square_ = 0;
    for (const flow_entries* entries : {&std::as_const(right), &given})
      for (const auto& [place, value] : *entries) right_square_ += value * value;
    comm::all_reduce(comm(), &right_square_, 1, MPI_SUM);
    through_flow& flow = all_.flow.flows.front();
    const solve_certificate before = flow.certificate;
    solver_->begin(given, right, reynolds(), 1);
    through_options options_of_flow = options_of_flow_;
    options_of_flow.tolerance = tolerance;
    solver_->solve(options_of_flow, flow, log_);
    flow_change_ = flow.steady_history.empty() ? 0 : flow.steady_history.front();
    flow.certificate.add_earlier(before);
    all_.flow.face_velocity_mm_per_s = face_velocities(flow_, open_.cells, solver_->answer(), units_);
    return flow.certificate.converged;
  }

  double change_to(const std::vector<double>& next) const {
    std::array<double, 2> sums{};
    for (std::size_t i = 0; i < next.size(); ++i)
      if (heat_.cells().is_fluid[i] != 0) sums[0] += (next[i] - t_[i]) * (next[i] - t_[i]), ++sums[1];
    comm::all_reduce(comm(), sums.data(), 2, MPI_SUM);
    const auto ends = range_of_fluid(heat_.cells(), next);
    const double range = std::max(ends[1] - ends[0], 1e-12 * std::abs(heat_.cells().reference_K));
    return sums[0] > 0 && range > 0 ? std::sqrt(sums[0] / sums[1]) / range : 0;
  }

  // Implicit time steps of flow and temperature. Each step has the length 1 / rate.
  struct pace {
    double per_s = 0;      // 0: alternate between the steady flow for a temperature and the steady temperature for a flow
    double to_steady = 1;  // estimated number of steps to the steady state
  };

  // Rate of a step. The length of a step is the period of the oscillation of a fluid particle about its equilibrium height
  // (Brunt-Vaisala). Longer alternating steps of flow and temperature would amplify the oscillation. A creeping flow adapts
  // immediately. In this case, friction determines the rate.
  pace pace_of(double factor) const {
    constexpr double m_per_mm = 1e-3;
    const double height = m_per_mm * all_.height_mm;
    const double pull = all_.density_change * length_of(problem_.gravity_m_per_s2);
    const temperature_problem& heat = heat_.problem();
    const double diffusivity = 1e-9 * heat.materials.at(1).conductivity_W_per_mK / heat.heat_capacity_J_per_mm3K;  // m2/s
    // approximately pi^2
    constexpr double slowest = 10;
    pace result;
    result.per_s = flow_.has_inertia ? std::sqrt(pull / height)
                                     : pull * height * flow_.density_kg_per_m3 / flow_.viscosity_Pa_s / (2 * slowest);
    result.per_s *= factor;
    result.to_steady = 1 + result.per_s * height * height / (slowest * diffusivity);
    return result;
  }

  // Compute one step, or the steady solutions. @return false if the flow or the temperature has not converged
  bool step(double per_s, double flow_tolerance, double heat_tolerance, double taken) {
    constexpr double m2_per_mm2 = 1e-6;
    solver_->set_time_step(flow_.has_inertia ? m2_per_mm2 * flow_.density_kg_per_m3 * per_s * units_.length_mm *
                                                   units_.length_mm / flow_.viscosity_Pa_s
                                             : 0);
    return solve_flow(true, flow_tolerance) &&
           heat_.solve(all_.flow.face_velocity_mm_per_s, heat_tolerance, taken, t_, per_s, log_);
  }

  double unit_K() const { return range_ > 0 ? range_ : drive_ > 0 ? drive_ : 1; }
  double momentum_residual() const {
    if (rests_) return 0;
    const double right = std::sqrt(right_square_);
    return right > 0 ? solver_->residual() / right : 0;
  }

  // The mixed state consists of the temperatures of the cells relative to their range, and of velocities.
  std::vector<double> state_of(const std::vector<double>& t) const {
    std::vector<double> state;
    for (const double k : t) state.push_back(k / unit_K());
    if (!flow_.has_inertia) return state;
    const std::vector<double>& x = solver_->answer();
    const std::int64_t stride = open_.cells.stride(), owned = open_.cells.grid.owned;
    for (std::int64_t c = 0; c < 3; ++c) state.insert(state.end(), x.begin() + c * stride, x.begin() + c * stride + owned);
    return state;
  }
  void set_state(const std::vector<double>& state) {
    for (std::size_t i = 0; i < t_.size(); ++i) t_[i] = unit_K() * state[i];
    if (!flow_.has_inertia) return;
    std::vector<double>& x = solver_->answer_to_change();
    const std::int64_t stride = open_.cells.stride(), owned = open_.cells.grid.owned;
    auto from = state.begin() + static_cast<std::ptrdiff_t>(t_.size());
    for (std::int64_t c = 0; c < 3; ++c, from += owned) std::copy_n(from, owned, x.begin() + c * stride);
  }
  // Flags for the fluid temperatures and for all velocities. These values determine the temperatures of the solid.
  std::vector<std::uint8_t> counted() const {
    const auto& is_fluid = heat_.cells().is_fluid;
    std::vector<std::uint8_t> result(is_fluid.begin(), is_fluid.begin() + heat_.cells().grid.owned);
    if (flow_.has_inertia) result.resize(result.size() + 3 * at(open_.cells.grid.owned), 1);
    return result;
  }

  double inner_product(const std::vector<std::uint8_t>& counts, const float* a, const float* b) const {
    double sum = block_sums<1>({.count = std::ssize(counts)}, [&](std::int64_t begin, std::int64_t end, auto& part) {
      for (std::int64_t i = begin; i < end; ++i)
        if (counts[at(i)] != 0) part[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    })[0];
    comm::all_reduce(comm(), &sum, 1, MPI_SUM);
    return sum;
  }
  static std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
  }

  // Execute accelerated steps until flow and temperature satisfy the steady equations. @return true if the equations are
  // satisfied
  bool settle(double factor, int most) {
    all_.is_unsettled = false;
    const pace steps = pace_of(factor);
    const std::vector<std::uint8_t> counts = counted();
    anderson_acceleration<double> acceleration([&](const float* a, const float* b) { return inner_product(counts, a, b); },
                                               kept_rounds);
    const double tolerance = options_of_flow_.tolerance;
    double change = 1, moved = 1, exact_check_threshold = tolerance, finest_flow = 0.1 * tolerance;
    for (int round = 0; round < most; ++round) {
      if (options_of_flow_.poll) options_of_flow_.poll();
      const std::vector<double> before = state_of(t_);
      const double taken = 1 / std::sqrt(1.0 + round);
      const double flow_tolerance = std::clamp(flow_of_change * moved, finest_flow, std::max(tolerance, loosest_flow));
      const double heat_tolerance =
          std::clamp(heat_of_change * change / steps.to_steady, 0.1 * options_of_heat_.tolerance, 1e-4);
      if (!step(steps.per_s, flow_tolerance, heat_tolerance, taken)) return false;
      std::vector<double> next = heat_.owned();
      change = change_to(next) * steps.to_steady;
      moved = round == 0 ? 1 : flow_change_;
      report_change(change);
      if (!std::isfinite(change)) return false;
      const std::vector<double> after = state_of(next);
      set_state(before);
      if (round >= first_mixed) {
        std::vector<double> state = difference(after, before);
        acceleration.accelerate(state);
        for (std::size_t i = 0; i < state.size(); ++i) state[i] += before[i];
        set_state(state);
        double low = 0, high = 0;
        ends_of(next, low, high);
        // temperatures are limited to the range of transported temperatures
        for (double& t : t_) t = std::clamp(t, low, high);
        acceleration.set_change(difference(state_of(t_), before));
      } else {
        set_state(after);
      }
      if (change > exact_check_threshold) continue;
      // The steady temperature of this flow is computed. The residual of the steady flow equations is then computed with
      // this temperature.
      const std::vector<double> kept = state_of(t_);
      all_.flow.face_velocity_mm_per_s = face_velocities(flow_, open_.cells, solver_->answer(), units_);
      if (heat_.solve(all_.flow.face_velocity_mm_per_s, options_of_heat_.tolerance, taken, {}, 0, log_)) {
        next = heat_.owned();
        const double steady = change_to(next);
        t_ = next;
        solver_->set_time_step(0);
        if (solve_flow(true, any_flow) && steady <= tolerance && momentum_residual() <= tolerance) {
          report_change(steady);
          return true;
        }
        // The solver stops at an estimate of the error. If given velocities drive the flow, this estimate permits a larger
        // residual.
        if (momentum_residual() > tolerance) finest_flow = std::max(0.1 * finest_flow, 1e-4 * tolerance);
      }
      set_state(kept);
      exact_check_threshold *= 0.3;
    }
    all_.is_unsettled = true;
    return false;
  }

  void report_change(double change) {
    all_.rounds.push_back({change, flow_change_});
    all_.change = change;
    log_.progress(std::clamp(std::log(std::max(change, 1e-12)) / std::log(options_of_flow_.tolerance), 0.0, 1.0),
                  fmt::format("step {}: relative change of the temperature {:.1e}, of the flow {:.1e}", all_.rounds.size(),
                              change, flow_change_));
  }

  void ends_of(const std::vector<double>& x, double& low, double& high) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::array<double, 2> ends{-infinity, -infinity};
    for (const double v : x) ends = {std::max(ends[0], -v), std::max(ends[1], v)};
    comm::all_reduce(comm(), ends.data(), 2, MPI_MAX);
    low = -ends[0], high = ends[1];
  }

  // A uniform temperature causes a uniform force. The steady flow therefore needs no steps.
  bool reach_uniform() {
    solver_->set_time_step(0);
    if (!solve_flow(true, options_of_flow_.tolerance)) return false;
    if (!heat_.solve(all_.flow.face_velocity_mm_per_s, options_of_heat_.tolerance, 1, {}, 0, log_)) return false;
    const std::vector<double> next = heat_.owned();
    const double change = change_to(next);
    t_ = next;
    report_change(change);
    return change <= options_of_flow_.tolerance;
  }

  bool reach_full_driving() {
    if (range_ < uniform * drive_ && reach_uniform()) return true;
    double factor = std::clamp(std::sqrt(all_.rayleigh_number / quick_rayleigh), 1.0, first_pace);
    for (int attempt = 0; attempt < most_attempts; ++attempt, factor *= 3) {
      if (settle(factor, most_rounds)) return true;
      // mixing can remain near an unstable state, and then does not converge to this state
      if (attempt == 0 && may_be_unstable()) {
        const std::vector<double> here = state_of(t_);
        log_.note("the solution stagnates near a state that may be unstable; testing its stability by time steps");
        if (leave(here, disturbance_of(heat_.problem(), heat_.cells(), here.size()), pace_of(factor), 0.01 * first_kick,
                  5 * fewest_marched) > 0 &&
            settle(factor, most_rounds))
          return true;
      }
      log_.note(
          fmt::format("flow and temperature did not converge in {} steps; retrying with shorter steps", all_.rounds.size()));
    }
    return false;
  }

  // The final state is a fixed point of steps with this length.
  stepped_state stepped(const pace& steps) {
    return {[this] { return state_of(t_); }, [this](const std::vector<double>& state) { set_state(state); },
            [this, steps] {
              if (options_of_flow_.poll) options_of_flow_.poll();
              if (!step(steps.per_s, std::min(test_flow_tolerance, options_of_flow_.tolerance), test_heat_tolerance, 1))
                return false;
              t_ = heat_.owned();
              return true;
            }};
  }

  // Root mean square difference over the fluid, relative to the range of the temperature.
  double distance(const std::vector<double>& a, const std::vector<double>& b) const {
    std::array<double, 2> sums{};
    for (std::size_t i = 0; i < t_.size(); ++i)
      if (heat_.cells().is_fluid[i] != 0) sums[0] += (a[i] - b[i]) * (a[i] - b[i]), ++sums[1];
    comm::all_reduce(comm(), sums.data(), 2, MPI_SUM);
    return sums[1] > 0 ? std::sqrt(sums[0] / sums[1]) : 0;
  }

  // If an unstable stratification is too weak for a flow, no test is needed.
  bool may_be_unstable() const {
    constexpr double per_mm4_in_m4 = 1e-12, per_m = 1e3;
    const double slope = per_m * inverse_gradient_K_per_mm(heat_.problem(), heat_.cells(), weight_, t_);  // K/m
    const temperature_problem& heat = heat_.problem();
    const double diffusivity = 1e-9 * heat.materials.at(1).conductivity_W_per_mK / heat.heat_capacity_J_per_mm3K;
    const double kinematic = flow_.viscosity_Pa_s / flow_.density_kg_per_m3;
    const double height4 = per_mm4_in_m4 * std::pow(all_.height_mm, 4);
    const double rayleigh = std::abs(problem_.expansion_per_K) * length_of(problem_.gravity_m_per_s2) * slope * height4 /
                            (kinematic * diffusivity);
    return rayleigh > lowest_critical_rayleigh;
  }

  // Execute steps away from an unstable state along the growing disturbance.
  // @param kick size of the disturbance relative to the temperature range @param fewest minimum number of steps @return
  // final distance relative to the first disturbance; 0: a step has not converged
  double leave(const std::vector<double>& steady, const std::vector<double>& grown, const pace& steps, double kick,
               int fewest) {
    double largest = 0;
    for (std::size_t i = 0; i < t_.size(); ++i) largest = std::max(largest, std::abs(grown[i]));
    comm::all_reduce(comm(), &largest, 1, MPI_MAX);
    std::vector<double> state = steady;
    const double factor = largest > 0 ? kick / largest : 0;
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += factor * grown[i];
    set_state(state);
    const double kicked = distance(state, steady);
    double fastest = 0;
    for (int n = 0; n < most_marched; ++n) {
      if (options_of_flow_.poll) options_of_flow_.poll();
      const std::vector<double> before = state_of(t_);
      if (!step(steps.per_s, std::max(options_of_flow_.tolerance, 1e-3), loosest_heat, 1)) return 0;
      t_ = heat_.owned();
      const double change = distance(state_of(t_), before);
      fastest = std::max(fastest, change);
      log_.progress(0.5, fmt::format("step {} away from an unstable steady state: relative change of the temperature {:.1e}",
                                     n + 1, change));
      if (constexpr double slow = 0.2; n + 1 >= fewest && change < slow * fastest) break;
    }
    return kicked > 0 ? distance(state_of(t_), steady) / kicked : 0;
  }

  // Search steady states until a stable state is found.
  bool find_stable_state() {
    if (!reach_full_driving()) return false;
    if (!may_be_unstable()) return true;
    for (int n = 0; n < most_states; ++n) {
      const pace steps = pace_of(std::clamp(std::sqrt(all_.rayleigh_number / quick_rayleigh), 1.0, first_pace));
      const std::vector<double> steady = state_of(t_), flow_of_steady = solver_->answer();
      const auto heat_of_steady = heat_.save();
      const stability_verdict found = test_stability(comm(), counted(), stepped(steps), steady,
                                                     disturbance_of(heat_.problem(), heat_.cells(), steady.size()));
      const auto go_back = [&] {
        set_state(steady);
        solver_->answer_to_change() = flow_of_steady;
        heat_.restore(heat_of_steady);
        all_.flow.face_velocity_mm_per_s = heat_.problem().face_velocity_mm_per_s;
      };
      if (!found.is_known) {
        log_.warn("the stability of the steady state is unknown: a time step did not converge");
        go_back();
        return true;
      }
      all_.growth_per_s = std::log(found.multiplier) * steps.per_s;
      if (!found.grows()) {
        go_back();
        log_.note(fmt::format("the steady state is stable: the growth rate of its leading disturbance is {:.3g} 1/s",
                              *all_.growth_per_s));
        return true;
      }
      log_.note(
          fmt::format("the steady state is unstable: a disturbance grows at {:.3g} 1/s; searching another steady state",
                      *all_.growth_per_s));
      const double went = leave(steady, found.disturbance, steps, first_kick, fewest_marched << n);
      const bool settles = went > 0 && reach_full_driving();
      constexpr double same = 1e-3;
      if (settles && distance(state_of(t_), steady) < std::max(10 * options_of_flow_.tolerance, same) && went < 1) {
        log_.note("the time steps return to the steady state, which is assumed to be stable");
        all_.growth_per_s.reset();
        return true;
      }
      ++all_.unstable_states;
      if (!settles) {
        all_.has_no_stable_state = true;
        return false;
      }
    }
    all_.has_no_stable_state = true;
    return false;
  }

  // Shift of the fluid temperature to the level of the solution.
  double level_shift() const {
    std::array<double, 2> sums{};
    for (std::size_t i = 0; i < t_.size(); ++i)
      if (heat_.cells().is_fluid[i] != 0) sums[0] += t_[i], ++sums[1];
    comm::all_reduce(comm(), sums.data(), 2, MPI_SUM);
    return all_.heat.mean_fluid_K - (heat_.cells().reference_K + sums[0] / sums[1]);
  }

  buoyant_solution finish(bool is_settled, double setup_cpu_seconds) {
    through_flow& flow = all_.flow.flows.front();
    through_solution& all = all_.flow;
    all_.heat = heat_.account(log_, !is_settled);
    if (is_settled) {
      t_ = heat_.owned();
      const auto reference = weight_.reference_K;
      measure();
      weight_.reference_K = all_.reference_K = reference;
      if (heat_.cells().free_parts > 0) all_.reference_K += level_shift();
      // The residual of the flow equations is computed with the last temperature.
      solver_->set_time_step(0);
      if (!rests_) is_settled = solve_flow(true, any_flow);
    }
    all_.momentum_residual = momentum_residual();
    solve_certificate& own = flow.certificate;
    own.converged = is_settled;
    own.true_relative_residual = all_.momentum_residual;
    own.restarts = static_cast<int>(all_.rounds.size());
    own.unknowns = count_unknowns(open_);
    own.setup_seconds = all.setup_seconds;
    own.setup_cpu_seconds = setup_cpu_seconds;
    flow.steady_history.clear();
    own.residual_history.clear();
    for (const buoyant_round& r : all_.rounds) {
      flow.steady_history.push_back(r.change);
      own.residual_history.push_back(r.change);
    }
    if (own.residual_history.empty()) own.residual_history.push_back(0);
    flow.upwinded_share = solver_->upwinded_share();
    const std::vector<double>& x = solver_->answer();
    find_boundary_flows(flow_, open_, x, units_, flow);
    find_force(flow_, open_, x, units_, solver_->inertia(), flow);
    find_speeds(flow_, open_, x, units_, all, flow);
    find_wall_shear_of(flow_, open_, x, units_, flow, options_of_flow_.fields ? &all.wall_shear_Pa : nullptr);
    std::array<double, 3> highest{};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::int64_t i = 0; i < open_.cells.grid.owned; ++i)
        highest[c] = std::max(highest[c], std::abs(x[c * at(open_.cells.stride()) + at(i)]));
    comm::all_reduce(comm(), highest.data(), 3, MPI_MAX);
    const double unit = units_.velocity_mm_per_s;
    all_.highest_velocity_mm_per_s = {unit * highest[0], unit * highest[1], unit * highest[2]};
    if (options_of_flow_.watch != nullptr) {
      watched_cells watched(open_.cells, flow_.cells, *options_of_flow_.watch);
      report_to_observer(watched, {.multiple = multiple()}, open_, x, units_);
    }
    if (options_of_flow_.fields) set_through_fields(flow_, open_, x, units_, multiple(), all);
    return std::move(all_);
  }

  const buoyant_problem& problem_;
  const through_problem& flow_;
  const through_options& options_of_flow_;
  const options& options_of_heat_;
  log_sink& log_;
  carried_temperature heat_;
  open_flow_cells open_;
  flow_units units_;
  buoyancy weight_;
  through_solver* solver_ = nullptr;
  std::function<flow_entries()> given_;
  // temperature of each cell that has a temperature, relative to the reference temperature of the cells
  std::vector<double> t_;
  double range_ = 0, drive_ = 0, flow_change_ = 0,
         right_square_ = 0;  // temperature range of the fluid, and driving difference [K]
  bool rests_ = false;       // true if nothing drives the flow
  buoyant_solution all_;
};

}  // namespace

void check_buoyant_flow(const buoyant_problem& problem, const through_options& options_of_flow) {
  comm::collectively(problem.flow.where.comm, [&] { check_weight(problem); });
  check_flow_through(problem.flow, options_of_flow);
  check_flow_temperature(problem.heat);
}

buoyant_solution solve_buoyant_flow(const buoyant_problem& problem, const through_options& options_of_flow,
                                    const options& options_of_heat, log_sink& log) {
  check_buoyant_flow(problem, options_of_flow);
  return buoyant_solver(problem, options_of_flow, options_of_heat, log).run();
}

}  // namespace osteon::physics
