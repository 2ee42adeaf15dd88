#pragma once
/// @file
/// A small plastic model with an assembled tangent and plain loops over Gauss points. The model uses no code of the solver
/// under test.
#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "elastic_model.hpp"

namespace osteon::elastic_model {

/// The yielding material, with strengths in uniaxial tension and compression, and the slope of the compressive stress over
/// its plastic strain [MPa].
struct dense_law {
  double tension, compression, hardening;
};

/// Forces of the driven degrees of freedom along a path, for a model on a single rank.
class dense_plasticity {
 public:
  dense_plasticity(const numerics::elasticity_problem& p, const dense_law& law, bool bbar) : p_(p), law_(law), bbar_(bbar) {
    n_ = 3 * p.nodes.size();
    fixed_.assign(static_cast<std::size_t>(n_), false);
    value_ = Eigen::VectorXd::Zero(n_);
    for (const auto& f : p.fixed) {
      const int at = 3 * f.node + static_cast<int>(f.direction);
      fixed_[static_cast<std::size_t>(at)] = true;
      value_[at] = f.value_mm;
    }
    u_ = Eigen::VectorXd::Zero(n_);
    for (const voxel::run& r : p.cells.runs())
      for (std::int32_t e = 0; e < r.length; ++e) {
        std::array<int, 8> nodes;
        for (int a = 0; a < 8; ++a)
          nodes[static_cast<std::size_t>(a)] = p.nodes.find(r.z + a / 4, r.y + a / 2 % 2, r.x + e + a % 2);
        elements_.push_back({nodes, p.material[static_cast<std::size_t>(r.first + e)], {}});
      }
  }

  /// Moves to a factor of the prescribed displacements. @return work of the reactions on the displacements of factor 1
  double go_to(double factor) {
    for (int i = 0; i < n_; ++i)
      if (fixed_[static_cast<std::size_t>(i)]) u_[i] = factor * value_[i];
    Eigen::VectorXd force;
    for (int newton = 0; newton < 60; ++newton) {
      force = Eigen::VectorXd::Zero(n_);
      Eigen::MatrixXd k = Eigen::MatrixXd::Zero(n_, n_);
      for (element& e : elements_) add(e, force, k);
      double free = 0, held = 0;
      for (int i = 0; i < n_; ++i) (fixed_[static_cast<std::size_t>(i)] ? held : free) += force[i] * force[i];
      if (free <= 1e-22 * held) break;
      for (int i = 0; i < n_; ++i)
        if (fixed_[static_cast<std::size_t>(i)]) {
          k.row(i).setZero();
          k.col(i).setZero();
          k(i, i) = 1;
        }
      Eigen::VectorXd right = -force;
      for (int i = 0; i < n_; ++i)
        if (fixed_[static_cast<std::size_t>(i)]) right[i] = 0;
      u_ += Eigen::VectorXd(k.partialPivLu().solve(right));
    }
    for (element& e : elements_)
      for (int g = 0; g < 8; ++g) e.state[static_cast<std::size_t>(g)] = returned(e, g).state;
    double work = 0;
    for (int i = 0; i < n_; ++i)
      if (fixed_[static_cast<std::size_t>(i)]) work += force[i] * value_[i];
    return work;
  }

  const Eigen::VectorXd& displacement() const { return u_; }

 private:
  struct point_state {
    Eigen::Matrix3d plastic = Eigen::Matrix3d::Zero();
    double alpha = 0;
  };
  struct element {
    std::array<int, 8> node;
    material_number material;
    std::array<point_state, 8> state;
  };
  struct outcome {
    Eigen::Matrix3d stress;
    point_state state;
  };

  Eigen::Matrix<double, 8, 3> slopes(int g) const {
    Eigen::Matrix<double, 8, 3> d;
    const double at = 1 / std::sqrt(3.0);
    const vector3 h = p_.spacing_mm;
    for (int a = 0; a < 8; ++a)
      for (int k = 0; k < 3; ++k) {
        double slope = (a & 4 >> k ? 1.0 : -1.0) / h[k];
        for (int other = 0; other < 3; ++other)
          if (other != k) slope *= 0.5 * (1 + (a & 4 >> other ? 1.0 : -1.0) * (g & 4 >> other ? at : -at));
        d(a, k) = slope;
      }
    return d;
  }
  Eigen::Matrix3d strain(const element& e, int g, const Eigen::VectorXd& u) const {
    Eigen::Matrix3d gradient = Eigen::Matrix3d::Zero();
    const auto d = slopes(g);
    for (int a = 0; a < 8; ++a)
      for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k) gradient(c, k) += u[3 * e.node[static_cast<std::size_t>(a)] + c] * d(a, k);
    return (gradient + gradient.transpose()) / 2;
  }
  Eigen::Matrix3d strain_of_law(const element& e, int g, const Eigen::VectorXd& u) const {
    Eigen::Matrix3d own = strain(e, g, u);
    if (!bbar_) return own;
    double mean = 0;
    for (int other = 0; other < 8; ++other) mean += strain(e, other, u).trace() / 8;
    return own + Eigen::Matrix3d::Identity() * (mean - own.trace()) / 3;
  }

  // The plastic multiplier as a root that is found by bisection, without a closed form.
  outcome returned(const element& e, int g) const {
    const voxel::material& m = (*p_.materials)[e.material];
    const double mu = m.youngs_modulus_MPa / 2 / (1 + m.poisson_ratio),
                 bulk = m.youngs_modulus_MPa / 3 / (1 - 2 * m.poisson_ratio);
    const double a = (1 / law_.tension + 1 / law_.compression) / 2, b = (1 / law_.tension - 1 / law_.compression) / 2,
                 h = law_.hardening / law_.compression / law_.compression;
    outcome o{{}, e.state[static_cast<std::size_t>(g)]};
    const Eigen::Matrix3d elastic = strain_of_law(e, g, u_) - o.state.plastic;
    const Eigen::Matrix3d deviator = 2 * mu * (elastic - Eigen::Matrix3d::Identity() * elastic.trace() / 3);
    const double pressure = bulk * elastic.trace(), mises = std::sqrt(1.5) * deviator.norm();
    const auto f = [&](double gamma) {
      return a * std::max(0.0, mises - 3 * mu * a * gamma) + 3 * b * (pressure - 3 * bulk * b * gamma) - 1 -
             h * (o.state.alpha + gamma);
    };
    double gamma = 0;
    if (f(0) > 0) {
      double low = 0, high = 1;
      while (f(high) > 0) high *= 2;
      for (int i = 0; i < 70; ++i) (f((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
      gamma = (low + high) / 2;
    }
    const double left = mises > 0 ? std::max(0.0, mises - 3 * mu * a * gamma) / mises : 1;
    o.stress = left * deviator + Eigen::Matrix3d::Identity() * (pressure - 3 * bulk * b * gamma);
    o.state.plastic += (1 - left) * deviator / (2 * mu) + Eigen::Matrix3d::Identity() * b * gamma;
    o.state.alpha += gamma;
    return o;
  }

  Eigen::Matrix<double, 24, 1> forces(const element& e) const {
    Eigen::Matrix<double, 24, 1> f = Eigen::Matrix<double, 24, 1>::Zero();
    const vector3 h = p_.spacing_mm;
    std::array<Eigen::Matrix3d, 8> stress;
    double mean = 0;
    for (int g = 0; g < 8; ++g) {
      stress[static_cast<std::size_t>(g)] = returned(e, g).stress;
      mean += stress[static_cast<std::size_t>(g)].trace() / 24;
    }
    for (int g = 0; g < 8; ++g) {
      Eigen::Matrix3d s = stress[static_cast<std::size_t>(g)];
      if (bbar_) s += Eigen::Matrix3d::Identity() * (mean - s.trace() / 3);
      const auto d = slopes(g);
      for (int a = 0; a < 8; ++a)
        for (int c = 0; c < 3; ++c)
          for (int k = 0; k < 3; ++k) f[3 * a + c] += s(c, k) * d(a, k) * h.z * h.y * h.x / 8;
    }
    return f;
  }

  void add(const element& e, Eigen::VectorXd& force, Eigen::MatrixXd& k) {
    const auto at = [&](int i) { return 3 * e.node[static_cast<std::size_t>(i / 3)] + i % 3; };
    const Eigen::Matrix<double, 24, 1> f = forces(e);
    constexpr double step = 1e-7;
    for (int j = 0; j < 24; ++j) {
      const double kept = u_[at(j)];
      u_[at(j)] = kept + step;
      const Eigen::Matrix<double, 24, 1> upper = forces(e);
      u_[at(j)] = kept - step;
      const Eigen::Matrix<double, 24, 1> lower = forces(e);
      u_[at(j)] = kept;
      for (int i = 0; i < 24; ++i) k(at(i), at(j)) += (upper[i] - lower[i]) / (2 * step);
      force[at(j)] += f[j];
    }
  }

  const numerics::elasticity_problem& p_;
  dense_law law_;
  bool bbar_;
  int n_ = 0;
  std::vector<bool> fixed_;
  Eigen::VectorXd value_, u_;
  std::vector<element> elements_;
};

}  // namespace osteon::elastic_model
