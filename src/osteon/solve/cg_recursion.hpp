#pragma once
/// @file
/// Preconditioned conjugate gradients for symmetric positive definite systems K x = b.
#include <optional>

namespace osteon::solve {

/// The recursion of preconditioned conjugate gradients; the system holds the vectors: x, the residual r, the preconditioned
/// residual z, the search direction p and q = K p, in whatever precision and layout it likes.
/// @cite [HestenesStiefel1952], section 10
///
/// A system has
/// - `double precondition()`: z = M^-1 r; returns r.z
/// - `double search(double beta)`: p = z + beta p, q = K p; returns p.q
/// - `double step(double alpha)`: x += alpha p, r -= alpha q; returns the norm of r
class cg_recursion {
 public:
  struct step {
    double alpha;            ///< length of the step along p
    double residual;         ///< norm of r after it
    double energy_decrease;  ///< alpha r.z: by how much x^T K x / 2 - b^T x fell, twice
  };

  /// Make one step. @return nothing if M or K is not positive along it, or a number is not finite; x and r are as before
  /// then
  template <class System>
  std::optional<step> advance(System& system) {
    const double rz = system.precondition();
    const double pq = system.search(rz_ == 0 ? 0 : rz / rz_);
    rz_ = rz;
    if (!(pq > 0) || !(rz > 0)) return std::nullopt;
    const double alpha = rz / pq;
    return step{alpha, system.step(alpha), alpha * rz};
  }

  /// Forget the direction: the next step goes along the preconditioned residual, as after r was computed anew.
  void restart() { rz_ = 0; }

  /// r.z of the last step, for checkpoints; 0 after restart().
  double rz() const { return rz_; }
  void resume(double rz) { rz_ = rz; }

 private:
  double rz_ = 0;
};

}  // namespace osteon::solve
