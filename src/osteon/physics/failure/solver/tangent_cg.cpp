#include <osteon/physics/failure/solver/tangent_cg.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>

namespace osteon::physics {

tangent_cg::tangent_cg(MPI_Comm comm, const fine_stiffness& k, const yielding_voxels& voxels,
                       elasticity_multigrid& multigrid)
    : comm_(comm), k_(k), voxels_(voxels), multigrid_(multigrid), direction_(at(k.size()), 0.0F) {}

tangent_cg::result tangent_cg::solve(const double* u, std::span<float> residual, double reduction, int most_iterations,
                                     std::span<float> d) {
  u_ = u;
  residual_ = residual;
  solution_ = d;
  std::fill(d.begin(), d.end(), 0.0F);
  norm_ = std::sqrt(dot(residual.data(), residual.data()));
  const double goal = reduction * norm_;
  cg recursion;
  result done;
  while (norm_ > goal && done.iterations < most_iterations) {
    const auto made = recursion.advance(*this);
    if (!made) {
      done.is_positive = false;
      break;
    }
    norm_ = made->residual;
    done.energy += made->energy_decrease;
    ++done.iterations;
    if (!std::isfinite(norm_)) {
      done.is_finite = false;
      break;
    }
  }
  return done;
}

double tangent_cg::precondition() {
  // The residual is scaled to the norm 1. Otherwise, single precision could contain denormal numbers.
  for_each(k_.size(), [r = residual_.data(), to = multigrid_.residual().data(),
                       s = static_cast<float>(1 / norm_)](std::int64_t i) { to[i] = s * r[i]; });
  preconditioned_ = multigrid_.cycle().data();
  return norm_ * dot(residual_.data(), preconditioned_);
}

double tangent_cg::search(double beta) {
  for_each(k_.size(),
           [p = direction_.data(), z = preconditioned_, s = static_cast<float>(norm_), b = static_cast<float>(beta),
            first = beta == 0](std::int64_t i) { p[i] = first ? s * z[i] : s * z[i] + b * p[i]; });
  const std::span<double> p = multigrid_.scratch(0), q = multigrid_.scratch(1);
  for_each(k_.size(), [from = direction_.data(), to = p.data()](std::int64_t i) { to[i] = from[i]; });
  k_.own_forces(p.data(), q.data());
  voxels_.add_tangent(u_, p.data(), q.data());
  k_.add_copies(q.data());
  for (const std::int64_t i : k_.fixed()) q[at(i)] = 0;
  return dot(p.data(), q.data());
}

double tangent_cg::step(double alpha) {
  const std::span<double> p = multigrid_.scratch(0), q = multigrid_.scratch(1);
  for_each(k_.size(), [d = solution_.data(), r = residual_.data(), p = p.data(), q = q.data(), alpha](std::int64_t i) {
    d[i] = static_cast<float>(d[i] + alpha * p[i]);
    r[i] = static_cast<float>(r[i] - alpha * q[i]);
  });
  return std::sqrt(dot(residual_.data(), residual_.data()));
}

}  // namespace osteon::physics
