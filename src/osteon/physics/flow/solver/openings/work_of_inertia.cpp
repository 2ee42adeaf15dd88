// Work of the kernels for flow with inertia on this rank (kernel_work).
#include <osteon/physics/flow/solver/openings/inertial_system.hpp>

namespace osteon::physics {

namespace {

// Work for an owned cell. The product with K reads four values and three bytes of friction, and writes four values.
constexpr kernel_work of_stokes{36, 4 * 16};
// A Picard product reads velocities at low and high faces, advected velocities, and three bytes of friction. Three
// components are read and written. Each component has six sides. Each side needs the velocity through the side, half of the
// flow, the upwind value, and the sum over the sides.
constexpr kernel_work of_picard{12 + 12 + 12 + 3 + 24, 3 * 6 * 9};
constexpr kernel_work of_newton{of_picard.bytes + 12 + 24, of_picard.operations + 3 * 6 * 4};
constexpr kernel_work of_shares{36, 0};  // fractions of the limiter
constexpr kernel_work of_time_term{36, 6};
constexpr kernel_work of_divergence{21, 9};

}  // namespace

kernel_work inertial_system::of_cells(const kernel_work& of_one) const {
  return static_cast<double>(shared_.cells.grid.owned) * of_one;
}

kernel_work inertial_system::work_of_product(linear_step kind) const {
  kernel_work all = of_stokes + (kind == linear_step::picard ? of_picard : of_newton);
  if (is_limited()) all += of_shares;
  if (density_over_step_ > 0) all += of_time_term;
  return of_cells(all);
}

// The preconditioner consists of three velocity cycles and two pressure cycles. Between the cycles, the preconditioner
// computes three divergences, W G y, F, a second product with W, and the sum of the two pressures.
kernel_work inertial_system::work_of_preconditioning() const {
  constexpr kernel_work arrays{3 * (8 + 8), 0}, weighted_gradient{4 + 12 + 12, 9}, weighted{3 * (8 + 4 + 1), 6}, sum{16, 4},
      mean{12, 2};
  kernel_work all = arrays + 3 * of_divergence + weighted_gradient + weighted + sum;
  if (shared_.open.free_parts > 0) all += 2 * mean;
  return of_cells(all) + work_of_product(linear_step::picard) + transport_->work() +
         2 * shared_.preconditioner.work_of_pressure();
}

// The residual needs K x, velocities at high faces and C(x) x in double precision, and rounding to single precision.
kernel_work inertial_system::work_of_residual() const {
  constexpr kernel_work stokes{2 * 32 + 3, 4 * 16}, high{48, 0}, carried{24 + 24 + 3 + 48, 3 * 6 * 9}, rounded{48, 0};
  kernel_work all = stokes + high + carried + rounded;
  if (is_limited()) all += of_shares;
  return of_cells(all) + (is_linearised_ ? work_of_preconditioning() : shared_.preconditioner.work());
}

kernel_work inertial_system::work_of_linearisation() const {
  constexpr kernel_work copied{24 + 12, 0}, high{24, 0};
  return of_cells(copied + high) + transport_->work_of_set();
}

// Each of the nine pairs of component and axis needs changes (written and read twice), the flow through the side, and the
// fraction of the limiter.
kernel_work inertial_system::work_of_limiter() const {
  constexpr double pairs = 9;
  return of_cells({pairs * (8 + 8 + 16 + 16 + 8), pairs * 12.0});
}

// An iteration consists of a product, preconditioning and orthogonalisation of the product, the step, and the updates of x,
// s and r.
kernel_work inertial_system::work_of_iteration(linear_step kind, std::size_t kept) const {
  const auto k = static_cast<double>(kept);
  constexpr kernel_work of_direction{16 + 32, 4 * 6}, orthogonal{16 + 64, 8}, rest{32 + 32 + 176, 16 + 40};
  kernel_work all = of_cells(k * of_direction + rest) + work_of_product(kind) + work_of_preconditioning();
  if (kept > 0) all += of_cells(orthogonal) + work_of_product(kind);
  return all;
}

}  // namespace osteon::physics
