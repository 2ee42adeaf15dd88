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

/// Friction of a velocity component, and the multigrid cycle of this component. The cycle is that of a heat problem in which
/// the wall friction is heat storage.
struct velocity_cycle {
  /// diagonals and inverses by number; the diagonal is divided by the scale, and the inverse is multiplied by the scale
  std::array<float, 64> diagonal{}, inverse{};
  kernel::velocity_lattice lattice;
  heat_multigrid cycle;
  /// @param stored value that a time step adds to the diagonal of each face @collective on the communicator of the cells
  velocity_cycle(const flow_cells& cells, std::size_t axis, double stored = 0);
  /// Divide the operator of the cycle by `scale`. As a result, the result of the cycle is multiplied by `scale`.
  void set_scale(float scale);

 private:
  std::array<double, 64> unscaled_{};
  std::array<double, 3> weight_;
  float scale_ = 0;
};

/// The operator G^T W G with a weight W for each face, and a multigrid cycle for this operator. The cycle is that of a heat
/// problem in which the weight is the conductivity.
struct pressure_cycle {
  /// conductance of low faces for each axis and cell; the ghosts are current
  std::array<std::vector<float>, 3> conductance;
  std::vector<float> inverse;  ///< inverse of the diagonal; 0: no unknown
  kernel::pressure_lattice lattice;
  heat_multigrid cycle;
  /// @param weight weights for each axis and cell with current ghosts; 0 without an unknown @collective on the communicator
  /// of the cells
  pressure_cycle(const flow_cells& cells, std::array<std::vector<float>, 3> weight);
};

/// A block triangular preconditioner. The velocity blocks consist of a multigrid cycle M^-1 for each component. The pressure
/// block approximates S^-1, where S = G^T A^-1 G:
///   z_u = M^-1 r_u,   z_p = (I + c P) (G^T z_u - r_p),   P a cycle for G^T W G.
/// W is the mobility of the faces. The mobility is the velocity under a unit force without pressure, A W = 1. For
/// wavelengths above the pore size, the flow is Darcy flow, and the mobility is the permeability. For wavelengths below the
/// pore size, S is the identity. The four cycles solve heat problems in which the wall friction is the storage and the
/// mobility is the conductivity.
class flow_preconditioner {
 public:
  /// Factor c of the cycle P. The value was determined by measurements on packs and sponges with 64 to 128 voxels along an
  /// edge.
  static constexpr float pressure_weight = 3;

  /// @param cells borrowed @collective on the communicator of the cells
  explicit flow_preconditioner(const flow_cells& cells);

  /// z = P r, for arrays of shape (4, stride). The function sets z at owned cells. Without a face, z is zero. Ghosts of the
  /// velocities in z are current.
  /// @param velocity_scale scale of the velocity cycles @collective
  void apply(const float* r, float* z, float velocity_scale = 1);

  /// Work of apply() and apply_pressure() on this rank.
  kernel_work work() const;
  kernel_work work_of_pressure() const { return pressure_->cycle.work_of_cycle(); }

  /// Only the cycle P: z = P q, shape (stride). Ghosts of z are not current. @collective
  void apply_pressure(const float* q, float* z);
  /// q = G^T z_u - r_p. The ghosts of z_u must be current.
  void subtract_mass(const float* z, const float* mass, float* q) const;
  /// W of the faces normal to an axis, times the weight of the axis. For a face with a given pressure, the product is
  /// doubled, because such a face has half of a control volume.
  const std::vector<float>& conductance(std::size_t axis) const;

  /// G^T z_u - r_p in the last apply(), shape (stride).
  const float* right_side_of_pressure() const { return q_.data(); }

  /// Smallest eigenvalue of M^-1 A. The Lanczos method estimates this value during the iterations for the mobility. The
  /// estimate is an upper bound of the eigenvalue. On packs and sponges, the estimate is 7 % higher than the estimate with
  /// twice as many steps.
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
