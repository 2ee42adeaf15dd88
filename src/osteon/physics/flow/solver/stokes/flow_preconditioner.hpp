#pragma once
/// @file
/// An approximate inverse of the Stokes operator.
#include <array>
#include <memory>
#include <osteon/kernel/flow/lattice_relax.hpp>
#include <osteon/numerics/multigrid/heat_multigrid.hpp>
#include <osteon/physics/flow/solver/stokes/flow_cells.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

/// Friction of a velocity component, and the multigrid cycle of the component. The cycle is that of a heat problem with
/// the wall friction as heat storage.
struct velocity_cycle {
  std::array<float, 64> diagonal{},
      inverse{};  ///< by number; the diagonal is divided by the scale, and the inverse is multiplied by the scale
  kernel::velocity_lattice lattice;
  heat_multigrid cycle;
  /// @param stored additional diagonal entry of each face for a time step @collective on the cells' communicator
  velocity_cycle(const flow_cells& cells, std::size_t axis, double stored = 0);
  /// Divide the operator of the cycle by `scale`. The result of the cycle is thus multiplied by `scale`.
  void set_scale(float scale);

 private:
  std::array<double, 64> unscaled_{};
  std::array<double, 3> weight_;
  float scale_ = 0;
};

/// G^T W G with a weight W per face, and a multigrid cycle for this operator. The cycle is that of a heat problem with the
/// weight as conductivity.
struct pressure_cycle {
  std::array<std::vector<float>, 3> conductance;  ///< conductance of low faces, by axis and cell, ghosts current
  std::vector<float> inverse;                     ///< inverse diagonal; 0: no unknown
  kernel::pressure_lattice lattice;
  heat_multigrid cycle;
  /// @param weight by axis and cell, ghosts current; 0 without an unknown @collective on the cells' communicator
  pressure_cycle(const flow_cells& cells, std::array<std::vector<float>, 3> weight);
};

/// A block triangular preconditioner. The velocity blocks are a multigrid cycle M^-1 for each component. The pressure
/// block approximates S^-1, S = G^T A^-1 G:
///   z_u = M^-1 r_u,   z_p = (I + c P) (G^T z_u - r_p),   P a cycle for G^T W G.
/// W is the mobility of the faces: the velocity under a unit force without pressure, A W = 1. Above the pore size, the
/// flow is Darcy flow with the mobility as permeability. Below the pore size, S is the identity. The four cycles solve
/// heat problems with the wall friction as storage and the mobility as conductivity.
class flow_preconditioner {
 public:
  /// Factor c of the cycle P. The value was measured on packs and sponges of 64 to 128 voxels.
  static constexpr float pressure_weight = 3;

  /// @param cells stored by reference @collective on its communicator
  explicit flow_preconditioner(const flow_cells& cells);

  /// z = P r, for arrays of shape (4, stride). z is set at owned cells and is zero without a face. Ghosts of the
  /// velocities in z are current.
  /// @param velocity_scale of the cycles of the velocities @collective
  void apply(const float* r, float* z, float velocity_scale = 1);

  /// Work of apply() on this rank, and of apply_pressure().
  kernel_work work() const;
  kernel_work work_of_pressure() const { return pressure_->cycle.work_of_cycle(); }

  /// The cycle P alone: z = P q, shape (stride). Ghosts of z are not current. @collective
  void apply_pressure(const float* q, float* z);
  /// q = G^T z_u - r_p, with ghosts of z_u current.
  void subtract_mass(const float* z, const float* mass, float* q) const;
  /// W of the faces of an axis times the weight of the axis. The product is doubled for a face with a given pressure,
  /// because such a face has half a control volume.
  const std::vector<float>& conductance(std::size_t axis) const;

  /// G^T z_u - r_p of the last apply(), shape (stride).
  const float* right_side_of_pressure() const { return q_.data(); }

  /// Smallest eigenvalue of M^-1 A, estimated from the mobility iterations by the Lanczos method. The estimate is an upper
  /// bound of the eigenvalue. On packs and sponges, the estimate is 7 % higher than an estimate from twice as many steps.
  double least_velocity_eigenvalue() const { return least_velocity_eigenvalue_; }

 private:
  void apply_velocities(const float* r, float* z);
  void smooth_velocities(kernel::sweep way, const float* r, float* z) const;
  void set_mobility(std::array<std::vector<float>, 3>& mobility);
  const flow_cells& cells_;
  std::array<std::unique_ptr<velocity_cycle>, 3> velocity_;
  std::unique_ptr<pressure_cycle> pressure_;
  kernel::stokes_stencil<float> stencil_;
  std::vector<float> q_;
  double least_velocity_eigenvalue_ = 1;
};

}  // namespace osteon::physics
