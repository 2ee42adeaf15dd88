#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/through_solver.hpp>

namespace osteon::physics {

namespace {

constexpr double scale_reserve_creeping = 1.15;  // as in permeability
// What the preconditioner does not know of convection is left to them: many where they cost little.
constexpr std::size_t kept_inertia = 100, fewest_inertia = 24;
constexpr double kept_values = 2e7;    // of all ranks, that they may have
constexpr double fall_inertia = 0.01;  // what a step of Picard or Newton is solved to
constexpr int most_steps = 100, most_on_the_way = 30;
constexpr double quick_picard = 0.8;  // fall of |s| by a step of Picard that is worth another
constexpr int first_picards = 40;     // where the flow is another one yet
constexpr int picards_again = 3;      // where one of Newton led away
constexpr int iterations_of_a_fall = 40;
constexpr double least_fall = 0.9;      // of |s| in so many iterations
constexpr double on_the_way = 0.03;     // error of a flow that is only a start
constexpr double shortest_share = 0.2;  // of a step of Newton that is still taken
constexpr double least_inertia = 1e-4;
constexpr double first_look = 0.05;       // error of the answer by the hybrid scheme at which the limiter looks at it
constexpr double fall_a_look = 0.3;       // of the error, between two looks
constexpr int most_looks_at_shares = 16;  // after them the shares stay
constexpr int most_still = 10;            // iterations without a fall of |s|, after which what was kept is forgotten

double dot(const float* a, const float* b, std::int64_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace

through_solver::through_solver(const open_flow_cells& cells, const through_problem& problem)
    : open_(cells),
      cells_(cells.cells),
      single_(cells_.stencil<float>()),
      double_(cells_.stencil<double>()),
      preconditioner_(cells_),
      convection_(cells, problem.boundaries, problem.is_central),
      velocity_scale_(static_cast<float>(scale_reserve_creeping / preconditioner_.least_velocity_eigenvalue())) {
  if (problem.is_limited) {
    limiter_ = std::make_unique<momentum_limiter>(cells_);
    convection_.limit_by(limiter_->shares());
  }
  if (problem.has_inertia) {
    convection_.linearise_at_rest();
    transport_ = std::make_unique<transport_cycle>(cells_, convection_);
  }
  for (const flow_side& s : cells.sides)
    if (s.face >= 0) open_faces_.emplace_back(s.axis(), s.face);
  double values = 8.0 * cells_.grid.owned;
  comm::all_reduce(cells_.grid.where.comm, &values, 1, MPI_SUM);
  most_kept_ = std::clamp(static_cast<std::size_t>(kept_values / values), fewest_inertia, kept_inertia);
  for (auto* v : {&x_, &exact_}) v->assign(at(4 * cells_.stride()), 0.0);
  for (auto* v : {&change_, &r_, &s_, &p_, &v_, &w_}) v->assign(at(4 * cells_.stride()), 0.0F);
}

void through_solver::begin(const std::vector<std::pair<std::int64_t, double>>& given,
                           const std::vector<std::pair<std::int64_t, double>>& right, double reynolds,
                           double factor_of_last) {
  right_ = right;
  reynolds_ = reynolds;
  convection_.set_reynolds(reynolds);
  for (double& x : x_) x *= factor_of_last;
  for (const auto& [place, value] : given) x_[at(place)] = value;
  if (held_ > 0) held_from_.assign(x_.begin(), x_.begin() + 3 * cells_.stride());
}

// v = K of.
void through_solver::multiply(std::vector<float>& of) {
  const std::int64_t stride = cells_.stride();
  for (std::int64_t c = 0; c < 4; ++c) cells_.grid.links.exchange(of.data() + c * stride);
  for_each_stokes(single_, of.data(), {}, [v = v_.data(), stride]<class V>(int c, std::int32_t i, V value) {
    kernel::put(v + c * stride + i, value);
  });
}

// v = K p, and what inertia adds to it.
void through_solver::multiply(step_kind kind) {
  multiply(p_);
  if (kind == step_kind::picard) convection_.add_picard(p_.data(), v_.data());
  if (kind == step_kind::newton) convection_.add_newton(p_.data(), v_.data());
  if (held_ > 0) add_held(p_.data(), v_.data());
}

// v += held p, for velocities.
void through_solver::add_held(const float* p, float* v) const {
  const auto held = static_cast<float>(held_);
  for (std::int64_t c = 0; c < 3; ++c)
    for_each(cells_.grid.owned,
             [p = p + c * cells_.stride(), v = v + c * cells_.stride(), held](std::int64_t i) { v[i] += held * p[i]; });
}

// r = b - K x - C(x) x, computed in double, and s = P r.
void through_solver::find_residual() {
  const auto sends = part(reynolds_ == 0   ? "residual"
                          : is_linearised_ ? "residual_with_inertia"
                                           : "first_residual_with_inertia");
  const std::int64_t stride = cells_.stride();
  for (std::int64_t c = 0; c < 4; ++c) cells_.grid.links.exchange(x_.data() + c * stride);
  for_each_stokes(double_, x_.data(), {}, [r = exact_.data(), stride]<class V>(int c, std::int32_t i, V value) {
    kernel::put(r + c * stride + i, -value);
  });
  for (const auto& [place, value] : right_) exact_[at(place)] += value;
  if (reynolds_ > 0) {
    convection_.subtract(x_.data(), exact_.data());
    work_ += work_of_residual();
  }
  if (held_ > 0 && reynolds_ > 0)
    for (std::int64_t c = 0; c < 3; ++c)
      for_each(cells_.grid.owned,
               [r = exact_.data() + c * stride, x = x_.data() + c * stride, from = held_from_.data() + c * stride,
                held = held_](std::int64_t i) { r[i] -= held * (x[i] - from[i]); });
  for_each(4 * stride, [r = r_.data(), from = exact_.data()](std::int64_t i) { r[i] = static_cast<float>(from[i]); });
  precondition(r_.data(), s_.data());
}

void through_solver::precondition(const float* r, float* z, float velocity_scale) {
  if (is_linearised_)
    precondition_with_inertia(r, z);
  else
    preconditioner_.apply(r, z, velocity_scale);
  remove_free_pressure(z + 3 * cells_.stride());
}

// P of the flow of x as it is now.
void through_solver::linearise() {
  const auto sends = part("linearisation");
  convection_.linearise(x_.data());
  transport_->set(convection_, static_cast<float>(held_));
  work_ += work_of_linearisation();
  is_linearised_ = true;
  for (auto* v : {&pressure_, &other_pressure_}) v->resize(at(cells_.stride()));
  for (auto* v : {&weighed_, &carried_}) v->resize(at(4 * cells_.stride()));
}

// The velocities' ghosts are current.
void through_solver::look_at_limits(double taken) {
  const auto sends = part("limiter");
  limiter_->look(x_.data(), taken);
  work_ += work_of_look();
}

double through_solver::limiter_residual() {
  if (reynolds_ == 0 || !limiter_) return 0;
  look_at_limits(1);
  find_residual();
  const double of_answer = size_of_answer();
  return of_answer > 0 ? size(s_) / of_answer : 0;
}

void through_solver::precondition_with_inertia(const float* r, float* z) {
  const std::int64_t stride = cells_.stride();
  transport_->apply(r, z);
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(z + c * stride);
  float *const q = pressure_.data(), *const y = other_pressure_.data(), *const t = weighed_.data(),
               *const f = carried_.data();
  preconditioner_.subtract_mass(z, r + 3 * stride, q);
  preconditioner_.apply_pressure(q, y);
  remove_free_pressure(y);
  cells_.grid.links.exchange(y);
  // t = W G y, f = W F t
  std::array<const float*, 3> mobility{};
  std::array<float, 3> slope{}, per_weight{};
  for (std::size_t c = 0; c < 3; ++c) {
    mobility[c] = preconditioner_.conductance(c).data();
    slope[c] = static_cast<float>(cells_.slope[c]);
    per_weight[c] = static_cast<float>(1 / cells_.weight[c]);
  }
  std::fill_n(t, 4 * stride, 0.0F);
  visit_neighbours_in_parallel(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::size_t c = 0; c < 3; ++c)
      if (near[2 * c] >= 0 && cells_.has_face(c, i))
        t[c * at(stride) + at(i)] = mobility[c][i] * per_weight[c] * slope[c] * (y[i] - y[near[2 * c]]);
  });
  for (const kernel::stokes_open_face& o : cells_.open_faces) {
    const std::size_t c = at(o.axis);
    t[c * at(stride) + at(o.cell)] =
        mobility[c][o.cell] * per_weight[c] * slope[c] * (o.is_inlet ? 1.0F : -1.0F) * y[o.pressure];
  }
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(t + c * stride);
  for_each_stokes(single_, t, {},
                  [f, stride]<class V>(int c, std::int32_t i, V value) { kernel::put(f + c * stride + i, value); });
  convection_.add_picard(t, f);
  if (held_ > 0) add_held(t, f);
  for (std::size_t c = 0; c < 3; ++c) {
    float* const own = f + c * at(stride);
    for_each(cells_.grid.owned, [own, w = mobility[c], scale = per_weight[c], friction = cells_.friction[c].data()](
                                    std::int64_t i) { own[i] = friction[i] == 0 ? 0 : w[i] * scale * own[i]; });
    cells_.grid.links.exchange(own);
  }
  preconditioner_.subtract_mass(f, t + 3 * stride, q);
  float* const p = z + 3 * stride;
  preconditioner_.apply_pressure(q, p);
  // The commutator by itself is next to blind to some pressures at corners; that of creeping flow sees them.
  preconditioner_.subtract_mass(z, r + 3 * stride, q);
  for_each(cells_.grid.owned,
           [p, q, y](std::int64_t i) { p[i] = 0.5F * (p[i] + q[i] + flow_preconditioner::pressure_weight * y[i]); });
}

// Takes the mean over each part of the fluid whose pressure nothing gives.
template <class T>
void through_solver::remove_free_pressure(T* pressure) const {
  if (open_.free_parts == 0) return;
  std::vector<double> sums(2 * at(open_.free_parts));
  for (std::int32_t i = 0; i < cells_.grid.owned; ++i)
    if (const std::int32_t part = open_.free_part[at(i)]; part >= 0)
      sums[2 * at(part)] += static_cast<double>(pressure[i]), ++sums[2 * at(part) + 1];
  comm::counted_all_reduce(cells_.grid.where.comm, sums.data(), sums.size(), MPI_SUM);
  for (std::int32_t i = 0; i < cells_.grid.owned; ++i)
    if (const std::int32_t part = open_.free_part[at(i)]; part >= 0)
      pressure[i] = static_cast<T>(static_cast<double>(pressure[i]) - sums[2 * at(part)] / sums[2 * at(part) + 1]);
}

// Of the velocities, of the pressure.
std::array<double, 2> through_solver::squares(const std::vector<float>& v) const {
  const auto sends = part("size");
  return all_ranks(block_sums<2>({cells_.grid.owned, 4}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
    const float* const own = v.data() + c * cells_.stride() + begin;
    sum[c == 3 ? 1 : 0] = dot(own, own, n);
  }));
}

double through_solver::size(const std::vector<float>& v) const {
  const auto sum = squares(v);
  return std::sqrt(unit_ * unit_ * sum[0] + sum[1]);
}

double through_solver::size_of_answer() const {
  const auto sends = part("size_of_answer");
  const auto sum =
      all_ranks(block_sums<1>({cells_.grid.owned, 4}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& part) {
        const double* const own = x_.data() + c * cells_.stride() + begin;
        double square = 0;
#pragma omp simd reduction(+ : square)
        for (std::int64_t i = 0; i < n; ++i) square += own[i] * own[i];
        part[0] = (c < 3 ? unit_ * unit_ : 1) * square;
      }));
  return std::sqrt(sum[0]);
}

double through_solver::residual() const {
  const auto sum = squares(r_);
  return std::sqrt(sum[0] + sum[1]);
}

// What flows in at all openings less what flows out, over half of all that passes them.
double through_solver::imbalance() const {
  const auto sends = part("imbalance");
  double net = 0, gross = 0;
  for (std::int32_t i = 0; i < cells_.grid.owned; ++i) net += exact_[at(3 * cells_.stride() + i)];
  for (const auto& [axis, face] : open_faces_)
    gross += cells_.slope[axis] * std::abs(x_[axis * at(cells_.stride()) + at(face)]);
  const auto sums = all_ranks(std::array{net, gross});
  return sums[1] > 0 ? 2 * sums[0] / sums[1] : 0;
}

// A step of Picard or Newton as a system of numerics::gcr: s = P (b - K x - C(x) x) becomes small.
struct through_solver::linear_system {
  through_solver& solver;
  step_kind kind;
  double size_of_s;
  bool stagnates = false;

  gcr_layout layout() const {
    return {solver.cells_.grid.where.comm, {solver.cells_.grid.owned, 4}, solver.cells_.stride()};
  }
  double weight(std::int64_t c) const { return c < 3 ? solver.unit_ * solver.unit_ : 1; }
  float* direction() const { return solver.p_.data(); }
  float* image() const { return solver.w_.data(); }
  const float* residual() const { return solver.s_.data(); }

  void search() {
    through_solver& t = solver;
    t.p_ = t.s_;
    if (stagnates) {
      // Breakdown: s is orthogonal to its image and would be the direction again. The last image is the next direction, as
      // long as s.
      const auto scale = static_cast<float>(size_of_s / t.size(t.w_));
      for_each(4 * t.cells_.stride(), [p = t.p_.data(), w = t.w_.data(), scale](std::int64_t i) { p[i] = scale * w[i]; });
    }
    t.multiply(kind);
    t.precondition(t.v_.data(), t.w_.data());
  }
  void follow() { solver.multiply(kind); }
  double update(const gcr_step& step) {
    through_solver& t = solver;
    const auto sends = t.part("update");
    const std::int64_t stride = t.cells_.stride(), owned = t.cells_.grid.owned;
    const auto per_length = static_cast<float>(1 / step.length);
    const auto square =
        t.all_ranks(block_sums<1>({owned, 4}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
          const float *const w = t.w_.data() + c * stride + begin, *const p = t.p_.data() + c * stride + begin,
                             *const v = t.v_.data() + c * stride + begin;
          float *const r = t.r_.data() + c * stride + begin, *const s = t.s_.data() + c * stride + begin;
          float *const x = t.change_.data() + c * stride + begin, *const kept_w = step.image + c * owned + begin,
                       *const kept_p = step.direction + c * owned + begin;
          double left = 0;
#pragma omp simd reduction(+ : left)
          for (std::int64_t i = 0; i < n; ++i) {
            kept_w[i] = per_length * w[i];
            kept_p[i] = per_length * p[i];
            x[i] = static_cast<float>(static_cast<double>(x[i]) + step.alpha * static_cast<double>(p[i]));
            s[i] = static_cast<float>(static_cast<double>(s[i]) - step.alpha * static_cast<double>(w[i]));
            r[i] = static_cast<float>(static_cast<double>(r[i]) - step.alpha * static_cast<double>(v[i]));
            left += static_cast<double>(s[i]) * static_cast<double>(s[i]);
          }
          sum[0] = weight(c) * left;
        }))[0];
    const double size = std::sqrt(square);
    stagnates = size > 0.99 * size_of_s;
    return size_of_s = size;
  }
};

// change_ becomes the solution of the linear problem; r_ and s_ follow. @return whether |s| fell by the factor `to`
bool through_solver::reduce_s(step_kind kind, double to, const through_options& how, through_flow& answer, log_sink& log) {
  solve_certificate& certificate = answer.certificate;
  std::fill(change_.begin(), change_.end(), 0.0F);
  const double start = size(s_);
  constexpr double mostly_rounding = 1e-4;
  gcr<kept_inertia> recursion(most_kept_, mostly_rounding);
  linear_system system{*this, kind, start};
  int stagnations = 0, count = 0;
  double earlier = start;  // |s| some iterations ago
  while (system.size_of_s > to * start) {
    if (certificate.iterations >= how.max_iterations) return false;
    if (how.poll) how.poll();
    const bool is_first = recursion.size() == 0;
    const auto sends = part(kind == step_kind::picard ? (is_first ? "first_iteration_of_picard" : "iteration_of_picard")
                                                      : (is_first ? "first_iteration_of_newton" : "iteration_of_newton"));
    work_ += work_of_iteration(kind, recursion.size());
    const gcr_outcome outcome = recursion.advance(system);
    ++certificate.iterations;
    if (outcome == gcr_outcome::dependent) return system.size_of_s < 0.9 * start;
    if (outcome == gcr_outcome::not_finite)
      throw solve_error(
          fmt::format("the flow solver met a value that is not finite in iteration {}: the flow is too fast for a steady "
                      "state, or voxels are far from cubes",
                      certificate.iterations));
    stagnations = system.stagnates ? stagnations + 1 : 0;
    if (stagnations > most_still) recursion.restart(), stagnations = 0, system.stagnates = false;
    // A step of Newton is worth no more than this; single precision may end the fall as well.
    if (++count % iterations_of_a_fall == 0) {
      if (system.size_of_s > least_fall * earlier) return false;
      earlier = system.size_of_s;
    }
    const double relative = system.size_of_s / first_;
    certificate.residual_history.push_back(relative);
    log.progress(std::clamp(std::log(std::max(relative, 1e-12)) / std::log(how.tolerance), 0.0, 1.0),
                 fmt::format("iteration {}, relative residual {:.2e}", certificate.iterations, relative));
  }
  return true;
}

// Steps until |s| is below `tolerance` of the answer, mass and all. @param limits the limiter looks at the flow on the way,
// if there is one; else the scheme is hybrid @return false if they do not settle
bool through_solver::settle(double reynolds, double tolerance, int most, bool limits, const through_options& how,
                            through_flow& answer, log_sink& log) {
  solve_certificate& certificate = answer.certificate;
  reynolds_ = reynolds;
  convection_.set_reynolds(reynolds);
  {
    const auto sends = part("ghosts_of_answer");
    for (std::int64_t c = 0; c < 4; ++c) cells_.grid.links.exchange(x_.data() + c * cells_.stride());
  }
  if (!limits && limiter_) limiter_->forget();
  linearise();
  find_residual();
  double now = size(s_);
  bool looks = limits && limiter_ != nullptr;
  int look = 0;
  double worth_a_look = std::max(first_look, tolerance);
  // Steps of Picard that come before one of Newton: as long as they lead on quickly, and where those of Newton lead away.
  int picards = 1;
  double fall_of_picard = 0;
  for (int step = 0;; ++step) {
    const double of_answer = size_of_answer();
    while (looks && now <= worth_a_look * of_answer) {
      // New shares in part, and ever less: all at once they change to and fro.
      look_at_limits(1 / std::sqrt(1.0 + look));
      find_residual();
      now = size(s_);
      looks = ++look < most_looks_at_shares && now > tolerance * of_answer;
      worth_a_look = std::max(tolerance, fall_a_look * now / of_answer);
    }
    answer.steady_history.push_back(of_answer > 0 ? now / of_answer : 0);
    if (!std::isfinite(now)) return false;
    if (now == 0 || (now <= tolerance * of_answer && std::abs(imbalance()) <= tolerance)) return true;
    if (certificate.iterations >= how.max_iterations || step >= most) return false;
    const step_kind kind = picards > 0 ? step_kind::picard : step_kind::newton;
    if (step > 0) {
      linearise();
      {
        const auto sends = part("preconditioner_with_inertia");
        precondition(r_.data(), s_.data());
      }
      work_ += work_of_preconditioning();
      now = size(s_);
    }
    reduce_s(kind, fall_inertia, how, answer, log);
    // A step that leads away is shortened; the first one may, as it comes from another flow.
    double share = 1, added = 0;
    const double old = now;
    const auto take_back = [&] {
      for_each(static_cast<std::int64_t>(x_.size()),
               [x = x_.data(), d = change_.data(), added](std::int64_t i) { x[i] -= added * static_cast<double>(d[i]); });
      find_residual();
      now = size(s_);
    };
    for (;;) {
      for_each(static_cast<std::int64_t>(x_.size()), [x = x_.data(), d = change_.data(), f = share - added](std::int64_t i) {
        x[i] += f * static_cast<double>(d[i]);
      });
      added = share;
      {
        const auto sends = part("free_pressure");
        remove_free_pressure(x_.data() + 3 * cells_.stride());
      }
      find_residual();
      now = size(s_);
      if (kind != step_kind::newton || now < (1 - 0.1 * share) * old) break;
      if (share < 1 && fall_of_picard < 1) {
        take_back();
        picards = picards_again;
        break;
      }
      if (share < shortest_share) return false;
      share /= 2;
    }
    if (kind == step_kind::picard) {
      fall_of_picard = now / old;
      --picards;
      if (picards == 0 && (step < first_picards || fall_of_picard < quick_picard)) picards = 1;
    }
  }
}

// What else a solve may send, once each; values do not matter.
void through_solver::rehearse_rest(const through_options& how, through_flow& answer) {
  const double reynolds = reynolds_;
  imbalance();
  size_of_answer();
  {
    const auto sends = part("free_pressure");
    remove_free_pressure(x_.data() + 3 * cells_.stride());
  }
  const auto sum = [&] { all_ranks(std::array{0.0}); };
  const auto apply = [&] { precondition(w_.data(), change_.data(), velocity_scale_); };
  reynolds_ = 0;
  is_linearised_ = false;
  find_residual();
  {
    const auto sends = part("preconditioner");
    apply();
  }
  {
    const auto sends = part("iteration_without_size");
    multiply(s_), sum();
  }
  {
    const auto sends = part("iteration_without_step");
    multiply(s_), sum(), apply(), sum();
  }
  reynolds_ = reynolds;
  if (reynolds == 0) return;
  find_residual();  // before anything is linearised
  {
    const auto sends = part("ghosts_of_answer");
    for (std::int64_t c = 0; c < 4; ++c) cells_.grid.links.exchange(x_.data() + c * cells_.stride());
  }
  linearise();
  find_residual();
  {
    const auto sends = part("preconditioner_with_inertia");
    precondition(r_.data(), s_.data());
  }
  if (limiter_) look_at_limits(1);
  through_options two = how;
  for (const step_kind kind : {step_kind::picard, step_kind::newton}) {
    std::fill(s_.begin(), s_.end(), 1.0F);
    two.max_iterations = answer.certificate.iterations + 2;
    reduce_s(kind, 0, two, answer, null_log());
  }
}

void through_solver::solve(const through_options& how, through_flow& answer, log_sink& log) {
  const stopwatch clock;
  const cpu_clock cpu;
  solve_certificate& certificate = answer.certificate;
  certificate = {};
  work_ = {};
  answer.steady_history.clear();
  find_residual();
  const auto length = [](const std::array<double, 2>& of) { return std::sqrt(of[0] + of[1]); };
  const double first_residual = length(squares(r_));
  const auto start = squares(s_);
  // What a velocity counts beside a pressure: all together as much, in the first s. Within limits: where either is next to
  // nothing at first, what rounding leaves of it must not be all that counts.
  unit_ = start[0] > 0 ? std::clamp(std::sqrt(start[1] / start[0]), 1.0, 10.0) : 1;
  first_ = std::sqrt(unit_ * unit_ * start[0] + start[1]);
  certificate.residual_history.assign(1, 1.0);
  const double reynolds = reynolds_;
  if (reynolds == 0) {
    certificate.converged = settle_creeping(how.tolerance, how, answer, log);
  } else {
    // The flow with inertia from that without; where that is too far, by flows of less inertia on the way.
    // A step in time starts where it is.
    double reached = has_answer_ || held_ > 0 ? 1 : 0, wanted = 1;
    if (reached == 0) settle_creeping(on_the_way, how, answer, log);
    std::vector<double> known;
    while (certificate.iterations < how.max_iterations && !how.rehearses) {
      known = x_;
      const bool is_last = wanted == 1;
      if (settle(wanted * reynolds, is_last ? how.tolerance : on_the_way, is_last ? most_steps : most_on_the_way, is_last,
                 how, answer, log)) {
        certificate.converged = is_last;
        if (is_last) break;
        const double next = std::min(1.0, wanted * (reached > 0 ? std::clamp(wanted / reached, 1.2, 4.0) : 4.0));
        reached = wanted;
        wanted = next;
        continue;
      }
      if (certificate.iterations >= how.max_iterations || held_ > 0) break;
      x_ = known;
      if (reached == 1) reached = 0;  // the last answer is that of another velocity
      wanted = reached == 0 ? wanted / 8 : std::sqrt(wanted * reached);
      if (wanted < least_inertia || (reached > 0 && wanted < 1.02 * reached)) break;
      log.note(fmt::format("the steady flow is sought by way of {:.3g} of its inertia", wanted));
    }
    reynolds_ = reynolds;
    convection_.set_reynolds(reynolds);
    if (!certificate.converged) find_residual();
  }
  if (how.rehearses) rehearse_rest(how, answer);
  has_answer_ = certificate.converged;
  certificate.true_relative_residual = first_residual > 0 ? length(squares(r_)) / first_residual : 0;
  certificate.restarts = static_cast<int>(answer.steady_history.size()) - 1;
  certificate.work += work_;
  certificate.work = certificate.work.of_all_ranks(cells_.grid.where.comm);
  certificate.solve_seconds = clock.seconds();
  certificate.solve_cpu_seconds = cpu.of_all_ranks(cells_.grid.where.comm);
}

}  // namespace osteon::physics
