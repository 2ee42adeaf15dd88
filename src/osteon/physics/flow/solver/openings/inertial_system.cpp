#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/physics/flow/solver/openings/inertial_system.hpp>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>

namespace osteon::physics {

inertial_system::inertial_system(through_system& shared, const through_problem& problem)
    : shared_(shared),
      convection_(shared.open, problem.boundaries, problem.is_central),
      limiter_(problem.is_limited ? std::make_unique<momentum_limiter>(shared.cells) : nullptr) {
  if (limiter_) convection_.limit_by(limiter_->shares());
  convection_.linearise_at_rest();
  transport_ = std::make_unique<transport_cycle>(shared.cells, convection_);
}

void inertial_system::set_reynolds(double of_units) { convection_.set_reynolds(of_units); }

void inertial_system::begin_time_step() {
  previous_velocities_.assign(shared_.x.begin(), shared_.x.begin() + 3 * shared_.stride());
}

void inertial_system::multiply(linear_step kind) {
  float *const p = shared_.p.data(), *const v = shared_.v.data();
  shared_.multiply(shared_.p);
  if (kind == linear_step::picard) convection_.add_picard(p, v);
  if (kind == linear_step::newton) convection_.add_newton(p, v);
  if (density_over_step_ > 0) add_time_term(p, v);
}

// v += factor p for velocities.
void inertial_system::add_time_term(const float* p, float* v) const {
  const auto factor = static_cast<float>(density_over_step_);
  for (std::int64_t c = 0; c < 3; ++c)
    for_each(shared_.cells.grid.owned, [p = p + c * shared_.cells.stride(), v = v + c * shared_.cells.stride(),
                                        factor](std::int64_t i) { v[i] += factor * p[i]; });
}

void inertial_system::find_residual() {
  const auto sends = shared_.part(is_linearised_ ? "residual_with_inertia" : "first_residual_with_inertia");
  const std::int64_t stride = shared_.stride();
  shared_.find_exact_residual();
  convection_.subtract(shared_.x.data(), shared_.exact.data());
  work_ += work_of_residual();
  if (density_over_step_ > 0)
    for (std::int64_t c = 0; c < 3; ++c)
      for_each(shared_.owned(), [r = shared_.exact.data() + c * stride, x = shared_.x.data() + c * stride,
                                 from = previous_velocities_.data() + c * stride,
                                 factor = density_over_step_](std::int64_t i) { r[i] -= factor * (x[i] - from[i]); });
  shared_.round_residual();
  precondition(shared_.r.data(), shared_.s.data());
}

void inertial_system::precondition(const float* r, float* z) {
  if (!is_linearised_) return shared_.precondition(r, z);
  precondition_with_inertia(r, z);
  shared_.remove_free_pressure(z + 3 * shared_.stride());
}

void inertial_system::precondition_residual() {
  const auto sends = shared_.part("preconditioner_with_inertia");
  precondition(shared_.r.data(), shared_.s.data());
}

void inertial_system::linearise() {
  const auto sends = shared_.part("linearisation");
  convection_.linearise(shared_.x.data());
  transport_->set(convection_, static_cast<float>(density_over_step_));
  work_ += work_of_linearisation();
  is_linearised_ = true;
  for (auto* v : {&pressure_, &other_pressure_}) v->resize(at(shared_.stride()));
  for (auto* v : {&weighed_, &carried_}) v->resize(at(4 * shared_.stride()));
}

void inertial_system::update_limiter(double taken) {
  const auto sends = shared_.part("limiter");
  limiter_->update_weights(shared_.x.data(), taken);
  work_ += work_of_limiter();
}

void inertial_system::forget_limiter() {
  if (limiter_) limiter_->forget();
}

void inertial_system::precondition_with_inertia(const float* r, float* z) {
  const std::int64_t stride = shared_.cells.stride();
  transport_->apply(r, z);
  for (std::int64_t c = 0; c < 3; ++c) shared_.cells.grid.links.exchange(z + c * stride);
  float *const q = pressure_.data(), *const y = other_pressure_.data(), *const t = weighed_.data(),
               *const f = carried_.data();
  shared_.preconditioner.subtract_mass(z, r + 3 * stride, q);
  shared_.preconditioner.apply_pressure(q, y);
  shared_.remove_free_pressure(y);
  shared_.cells.grid.links.exchange(y);
  // t = W G y, f = W F t
  std::array<const float*, 3> mobility{};
  std::array<float, 3> slope{}, per_weight{};
  for (std::size_t c = 0; c < 3; ++c) {
    mobility[c] = shared_.preconditioner.conductance(c).data();
    slope[c] = static_cast<float>(shared_.cells.slope[c]);
    per_weight[c] = static_cast<float>(1 / shared_.cells.weight[c]);
  }
  std::fill_n(t, 4 * stride, 0.0F);
  visit_neighbours_in_parallel(shared_.cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::size_t c = 0; c < 3; ++c)
      if (near[2 * c] >= 0 && shared_.cells.has_face(c, i))
        t[c * at(stride) + at(i)] = mobility[c][i] * per_weight[c] * slope[c] * (y[i] - y[near[2 * c]]);
  });
  for (const kernel::stokes_open_face& o : shared_.cells.open_faces) {
    const std::size_t c = at(o.axis);
    t[c * at(stride) + at(o.cell)] =
        mobility[c][o.cell] * per_weight[c] * slope[c] * (o.is_inlet ? 1.0F : -1.0F) * y[o.pressure];
  }
  for (std::int64_t c = 0; c < 3; ++c) shared_.cells.grid.links.exchange(t + c * stride);
  for_each_stokes(shared_.single, t, {},
                  [f, stride]<class V>(int c, std::int32_t i, V value) { kernel::put(f + c * stride + i, value); });
  convection_.add_picard(t, f);
  if (density_over_step_ > 0) add_time_term(t, f);
  for (std::size_t c = 0; c < 3; ++c) {
    float* const own = f + c * at(stride);
    for_each(shared_.cells.grid.owned,
             [own, w = mobility[c], scale = per_weight[c], friction = shared_.cells.friction[c].data()](std::int64_t i) {
               own[i] = friction[i] == 0 ? 0 : w[i] * scale * own[i];
             });
    shared_.cells.grid.links.exchange(own);
  }
  shared_.preconditioner.subtract_mass(f, t + 3 * stride, q);
  float* const p = z + 3 * stride;
  shared_.preconditioner.apply_pressure(q, p);
  // The commutator alone is nearly insensitive to some pressures at corners. The pressure block of creeping flow is
  // sensitive to these pressures.
  shared_.preconditioner.subtract_mass(z, r + 3 * stride, q);
  for_each(shared_.cells.grid.owned,
           [p, q, y](std::int64_t i) { p[i] = 0.5F * (p[i] + q[i] + flow_preconditioner::pressure_weight * y[i]); });
}

}  // namespace osteon::physics
