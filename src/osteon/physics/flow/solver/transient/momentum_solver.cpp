#include <fmt/format.h>

#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transient/momentum_solver.hpp>

namespace osteon::physics {

namespace {

// Below this limit, friction over many voxels dominates. A cycle then reduces the cost. The diagonal preconditioner would
// require about 6 sqrt(1 + 12 / kappa) iterations.
constexpr double kappa_of_cycles = 0.5;
constexpr double stale_cycles = 2;      // largest permitted ratio of kappa to the kappa of the coarse levels
constexpr double momentum_fall = 3e-6;  // reduction of the residual that is possible in single precision
constexpr int most_momentum_rounds = 8;

}  // namespace

momentum_solver::momentum_solver(const flow_cells& cells) : cells_(cells) {
  for (auto* v : {&r_, &z_, &p_, &v_, &c_}) v->assign(at(4 * cells.stride()), 0.0F);
}

void momentum_solver::set_storage(double kappa) {
  if (kappa == kappa_) return;
  kappa_ = kappa;
  shifted& k = operator_;
  k.single = cells_.stencil<float>();
  k.exact = cells_.stencil<double>();
  k.open_faces = cells_.open_faces;
  for (auto& f : k.open_faces) f.diagonal += kappa / 2;
  k.single.open_faces = k.exact.open_faces = k.open_faces;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t n = 1; n < 64; ++n) {
      const double friction = cells_.diagonal[c][n];
      if (friction == 0) continue;
      k.exact.diagonal[c][n] = friction + kappa;
      k.single.diagonal[c][n] = static_cast<float>(friction + kappa);
      const bool is_open = n > at(open_face_frictions);
      const double row = is_open ? (friction + cells_.weight[c] + kappa) / 2 : friction + kappa;
      inverse_[c][n] = static_cast<float>(1 / row);
    }
  if (kappa >= kappa_of_cycles) {
    for (auto& c : cycles_) c.reset();
    cycles_for_ = -1;
  } else if (!(cycles_for_ >= 0 && kappa < stale_cycles * cycles_for_ && stale_cycles * kappa > cycles_for_)) {
    const comm::sent_part sends(cells_.grid.where.comm, "friction_cycles");
    for (std::size_t c = 0; c < 3; ++c) cycles_[c] = std::make_unique<velocity_cycle>(cells_, c, kappa);
    cycles_for_ = kappa;
  }
}

double momentum_solver::precondition() {
  const std::int64_t stride = cells_.stride(), owned = cells_.grid.owned;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::int64_t first = static_cast<std::int64_t>(c) * stride;
    float* const z = z_.data() + first;
    const float* const r = r_.data() + first;
    if (cycles_[c]) {
      cycles_[c]->cycle.apply(r, z);
    } else {
      for_each(owned, [z, r, inverse = inverse_[c].data(), friction = cells_.friction[c].data()](std::int64_t i) {
        z[i] = inverse[friction[i]] * r[i];
      });
    }
  }
  return all_ranks(block_sums<1>({owned, 3}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
    const float *const r = r_.data() + c * stride + begin, *const z = z_.data() + c * stride + begin;
    for (std::int64_t i = 0; i < n; ++i) sum[0] += static_cast<double>(r[i]) * static_cast<double>(z[i]);
  }))[0];
}

double momentum_solver::search(double beta) {
  const std::int64_t stride = cells_.stride();
  for_each(3 * stride, [p = p_.data(), z = z_.data(), b = static_cast<float>(beta)](std::int64_t i) {
    p[i] = b == 0 ? z[i] : z[i] + b * p[i];
  });
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(p_.data() + c * stride);
  for_each_stokes(operator_.single, p_.data(), {}, [v = v_.data(), stride]<class V>(int c, std::int32_t i, V value) {
    if (c < 3) kernel::put(v + c * stride + i, value);
  });
  return all_ranks(block_sums<1>({cells_.grid.owned, 3}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
    const float *const p = p_.data() + c * stride + begin, *const v = v_.data() + c * stride + begin;
    for (std::int64_t i = 0; i < n; ++i) sum[0] += static_cast<double>(p[i]) * static_cast<double>(v[i]);
  }))[0];
}

double momentum_solver::step(double alpha) {
  const std::int64_t stride = cells_.stride();
  return std::sqrt(
      all_ranks(block_sums<1>({cells_.grid.owned, 3}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
        const float *const p = p_.data() + c * stride + begin, *const v = v_.data() + c * stride + begin;
        float *const r = r_.data() + c * stride + begin, *const to = c_.data() + c * stride + begin;
        const auto length = static_cast<float>(alpha);
        for (std::int64_t i = 0; i < n; ++i) {
          to[i] += length * p[i];
          r[i] -= length * v[i];
          sum[0] += static_cast<double>(r[i]) * static_cast<double>(r[i]);
        }
      }))[0]);
}

// r = right - K e in double precision. @param is_guess true if e is not zero
void momentum_solver::find_residual(const double* right, double* e, bool is_guess) {
  const std::int64_t stride = cells_.stride();
  if (!is_guess) {
    for_each(3 * stride, [r = r_.data(), right](std::int64_t i) { r[i] = static_cast<float>(right[i]); });
    return;
  }
  {
    const comm::sent_part sends(cells_.grid.where.comm, "friction_residual");
    for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(e + c * stride);
  }
  for_each_stokes(operator_.exact, e, {}, [r = r_.data(), right, stride]<class V>(int c, std::int32_t i, V value) {
    if (c == 3) return;
    const std::int64_t to = c * stride + i;
    if constexpr (std::is_arithmetic_v<V>) {
      r[to] = static_cast<float>(right[to] - value);
    } else {
      for (std::size_t l = 0; l < sizeof(V) / sizeof(double); ++l)
        r[to + static_cast<std::int64_t>(l)] = static_cast<float>(right[to + static_cast<std::int64_t>(l)] - value[l]);
    }
  });
}

double momentum_solver::size_of_residual() const {
  const comm::sent_part sends(cells_.grid.where.comm, "friction_size");
  const auto sum =
      block_sums<1>({cells_.grid.owned, 3}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& square) {
        const float* const r = r_.data() + c * cells_.stride() + begin;
        for (std::int64_t i = 0; i < n; ++i) square[0] += static_cast<double>(r[i]) * static_cast<double>(r[i]);
      });
  return std::sqrt(all_ranks(sum)[0]);
}

// Count the residual in double precision, the square of the residual, and the update of the solution by the correction.
void momentum_solver::count_round() {
  constexpr double bytes = 3 * (8 + 1 + 8 + 4 + 4 + 20), operations = 3 * (17 + 2 + 1);
  const auto owned = static_cast<double>(cells_.grid.owned);
  work_ += kernel_work{bytes * owned, operations * owned};
}

// Count the following work for each of three components: z by the diagonal or by cycles, r.z, p, K p, p.v, c, and r with the
// square of r.
void momentum_solver::count_iteration() {
  constexpr double bytes = 3 * (8 + 12 + 9 + 8 + 24), operations = 3 * (2 + 2 + 16 + 2 + 6), of_diagonal = 9;
  const auto owned = static_cast<double>(cells_.grid.owned);
  work_ += kernel_work{bytes * owned, operations * owned};
  for (const auto& c : cycles_) work_ += c ? c->cycle.work_of_cycle() : kernel_work{of_diagonal * owned, owned};
}

void momentum_solver::count_messages(double* e) {
  const MPI_Comm comm = cells_.grid.where.comm;
  const auto as = [&](const char* name, auto send) {
    const comm::sent_part sends(comm, name);
    send();
  };
  const auto sum = [&] { all_ranks(std::array{0.0}); };
  const auto search_only = [&] {
    precondition();
    search(0);
  };
  as("friction_residual", [&] {
    for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(e + c * cells_.stride());
  });
  as("friction_size", sum);
  as(cycles_[0] ? "iteration_without_step_of_friction_by_cycles" : "iteration_without_step_of_friction", search_only);
  as(cycles_[0] ? "iteration_of_friction_by_cycles" : "iteration_of_friction", [&] { search_only(), sum(); });
}

momentum_solver::outcome momentum_solver::solve(const double* right, double* e, bool is_guess, double target, int most,
                                                const std::function<void()>& poll) {
  const std::int64_t stride = cells_.stride();
  const bool by_cycles = cycles_[0] != nullptr;
  outcome result;
  for (int round = 0; round < most_momentum_rounds; ++round) {
    find_residual(right, e, is_guess || round > 0);
    double now = size_of_residual();
    count_round();
    if (!std::isfinite(now)) throw solve_error("velocities are not finite; reduce the time step");
    if (now <= target) return result;
    const double enough = std::max(target, momentum_fall * now);
    std::fill(c_.begin(), c_.end(), 0.0F);
    cg recursion;
    while (now > enough) {
      if (result.iterations >= most) {
        result.converged = false;
        break;
      }
      if (poll) poll();
      count_iteration();
      comm::sent_part sends(cells_.grid.where.comm, by_cycles ? "iteration_of_friction_by_cycles" : "iteration_of_friction");
      const auto made = recursion.advance(*this);
      if (!made) {
        sends.becomes(by_cycles ? "iteration_without_step_of_friction_by_cycles" : "iteration_without_step_of_friction");
        break;
      }
      now = made->residual;
      ++result.iterations;
    }
    for_each(3 * stride, [e, c = c_.data()](std::int64_t i) { e[i] += static_cast<double>(c[i]); });
    if (now <= target || !result.converged) return result;
  }
  result.converged = false;
  return result;
}

}  // namespace osteon::physics
