#pragma once
/// @file
/// Preconditioned conjugate gradients for symmetric positive definite systems K x = b.
#include <cmath>
#include <optional>

namespace osteon::numerics {

/// The recursion of preconditioned conjugate gradients, applied to a system. The system owns the solution x, the residual r,
/// the preconditioned residual z, the search direction p and the product q = K p. The system also determines the precision
/// and layout of these vectors, and fuses loops.
/// @cite [HestenesStiefel1952], section 10
///
/// A system has
/// - `double precondition()`: z = M^-1 r; returns (r, z)
/// - `double search(double beta)`: p = z + beta p, q = K p; returns (p, q)
/// - `double step(double alpha)`: x += alpha p, r -= alpha q; returns the norm of r
///
/// A system may use another inner product in which its operator is symmetric and positive definite. For example,
/// Bramble-Pasciak (bramble_pasciak.hpp) is this recursion for P K with (z, z) and (p, P K p) in the inner product of P.
///
/// An iteration is a call of `advance()`, or calls of `begin()` and `finish()`. A solver may test (r, z) and stop between
/// `begin()` and `finish()`.
class cg {
 public:
  struct iteration {
    double alpha;            ///< length of the step along p
    double residual;         ///< return value of the system's step(): the new norm of r
    double energy_decrease;  ///< alpha (r, z): twice the decrease of x^T K x / 2 - b^T x
  };

  /// The first half: precondition. @return (r, z)
  template <class System>
  double begin(System& system) {
    rz_ = system.precondition();
    return rz_;
  }

  /// The second half: search and step. @return empty if (r, z) or (p, q) is not positive, or the step is not finite; in
  /// these cases x and r are unchanged
  template <class System>
  std::optional<iteration> finish(System& system) {
    const double pq = system.search(rz_before_ == 0 ? 0 : rz_ / rz_before_);
    rz_before_ = rz_;
    if (!(pq > 0) || !(rz_ > 0)) return std::nullopt;
    const double alpha = rz_ / pq;
    if (!std::isfinite(alpha)) return std::nullopt;
    return iteration{alpha, system.step(alpha), alpha * rz_};
  }

  /// Perform one step. @return as finish()
  template <class System>
  std::optional<iteration> advance(System& system) {
    begin(system);
    return finish(system);
  }

  /// Discard the direction: the next search direction is the preconditioned residual. Call this function after a
  /// recomputation of r.
  void restart() { rz_before_ = 0; }

  /// (r, z) of the last step, for checkpoints; 0 after restart().
  double rz() const { return rz_before_; }
  void resume(double rz) { rz_before_ = rz; }

 private:
  double rz_ = 0, rz_before_ = 0;
};

/// Name in the previous release.
using cg_recursion [[deprecated("osteon::numerics::cg")]] = cg;

}  // namespace osteon::numerics
