#pragma once
/// @file
/// Conjugate gradients for the coupled system of Stokes flow. One set-up is sufficient for all directions.
#include <bit>
#include <cstdint>
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/numerics/krylov/cg.hpp>
#include <osteon/physics/flow/solver/stokes/flow_preconditioner.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <string>
#include <vector>

namespace osteon::physics {

/// A float in 16 bits (bfloat16). The bits are the sign, the exponent and the first seven bits of the mantissa, rounded to
/// even.
/// @param value a finite number
inline std::uint16_t shortened(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline float lengthened(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

struct flow_options;
struct flow_direction;

/// The owned unknowns of a solution, with shape (4, owned). Reduced precision is sufficient, because the values are
/// multiplied by a small residual.
using kept_answer = std::vector<std::uint16_t>;

/// Solves K x = b, where b is a unit force on every face of a component.
///
/// K is indefinite. P is the block triangular matrix of `flow_preconditioner`. P K is symmetric and positive definite in the
/// inner product of diag(A - M / t, S') if A > M / t. M / t is the inverse of the scaled cycles t M^-1. S' is the inverse of
/// the pressure cycle. Conjugate gradients need only a few vectors, and no product with these inverses. With w = K d, q = P
/// w, s = P r and y = K s,
///   (s, s) = (y_u - r_u, s_u) - (r_p, s_p),   (P K d, d) = (q_u - d_u, w_u) - (d_p, w_p).
/// The scale t is computed from an estimate of the smallest eigenvalue of M^-1 A. If the estimate is too small, the solver
/// increases t. The solution is in double precision. When r and s have decreased, the solver recomputes r and s from the
/// solution. All other vectors are in single precision.
/// @cite [BramblePasciak1988]
class flow_solver {
 public:
  /// @param cells borrowed
  /// @param velocity_scale initial value of t; 0: the estimate. If this value is too small, the solver needs additional
  /// iterations until t has been increased.
  /// @collective on the communicator of the cells
  explicit flow_solver(const flow_cells& cells, double velocity_scale = 0);

  /// Solve with the initial guess zero. The function sets permeabilities, bounds and the certificate of `answer`, in mm2.
  /// @throws solve_error if a value is not finite, or if no scale makes the form an inner product @collective
  void solve(const flow_options& options, flow_direction& answer, log_sink& log);

  /// Text that is appended to the names of this solver's parts (comm::sent_part). @collective local
  void name_parts(std::string ending) { ending_ = std::move(ending); }

  /// The present value of t.
  double velocity_scale() const { return velocity_scale_; }
  /// Velocities and pressure of the last solution with shape (4, stride), in units of voxels. The ghosts are current.
  const std::vector<double>& answer() const { return x_; }
  /// The last solution in the format of the input of mixed_permeability().
  kept_answer keep_answer() const;
  /// Return x . r plus the work of the force along `axis` on the last solution, per voxel of the box. r is the last
  /// residual. x is an earlier solution for `axis`. The result is an entry of the permeability [voxel2]. The error of the
  /// entry is the product of the errors of the two solutions.
  /// @collective
  double mixed_permeability(std::size_t axis, const kept_answer& earlier) const;

 private:
  kernel_work work_of_iteration() const;
  // Energies of a residual by the two inverses. The energies are r_u . M^-1 r_u, and q . (I + c P) q with q = G^T M^-1 r_u -
  // r_p. For exact inverses, the difference between the two energies is the error of the permeability.
  struct energies {
    double momentum = 0, mass = 0;
  };
  struct progress {
    double residual = 0;                      // squared norm of the residual
    double work = 0, momentum = 0, mass = 0;  // b.u, r_u.u, r_p.p
  };
  // Operations of numerics::cg. s = P r is current, and q = P w replaces K s in the search.
  friend class numerics::cg;
  double precondition();
  double search(double beta);
  double step(double alpha);
  void multiply();
  double recompute_residual();
  progress sums() const;
  // Sums over s = P r, and over K s in v. The sums are (s, s), and bounds of the energies.
  struct inner_products {
    double square = 0;
    energies bounds;
  };
  inner_products products_of_residual() const;
  energies measure_energies();
  double permeability_scale() const;
  double find_bounds(const energies& e, flow_direction& answer) const;
  void find_column(flow_direction& answer) const;
  template <std::size_t N>
  std::array<double, N> all_ranks(const std::array<double, N>& sums) const {
    return sum_of_ranks(cells_.grid.where.comm, sums);
  }
  double open_work(std::size_t axis) const;
  comm::sent_part part(const char* name) const { return {cells_.grid.where.comm, name + ending_}; }
  void count_other_messages();

  const flow_cells& cells_;
  kernel::stokes_stencil<float> single_;
  kernel::stokes_stencil<double> double_;
  flow_preconditioner preconditioner_;
  float velocity_scale_;
  std::string ending_;
  std::size_t axis_ = 0;
  progress now_;                // sums over x and r
  inner_products of_residual_;  // inner products of s and K s
  std::vector<double> x_;
  std::vector<float> r_, s_, p_, v_, w_;  // residual, P r, search direction, K s or P w, K p
};

}  // namespace osteon::physics
