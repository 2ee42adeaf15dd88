#pragma once
/// @file
/// The plastic part of the forces of a rank's voxels. Only voxels that have yielded have a state; all others are seen by the
/// elastic stiffness alone.
#include <cstdint>
#include <osteon/kernel/elasticity/hex8.hpp>
#include <osteon/kernel/elasticity/yield_surface.hpp>
#include <osteon/solve/operators/elasticity_problem.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {
template <class T>
struct plastic_state;
}

namespace osteon::solve {

/// Sums over the voxels of all ranks after a step, at the state of its end.
struct plastic_sums {
  double stored_mJ = 0;                                          ///< elastic energy
  double dissipated_mJ = 0;                                      ///< by plastic flow at the initial yield stress
  double hardening_mJ = 0;                                       ///< plastic work beyond that
  double whole_strain_mJ = 0;                                    ///< elastic energy that the whole strain would have
  std::int64_t yielded = 0, in_tension = 0, in_compression = 0;  ///< voxels that have a point that yielded
  double violation = 0;             ///< largest yield function: stress beyond the yield stress, over it
  double smallest_dissipation = 0;  ///< of a Gauss point in this step [MPa]
};

/// Voxels with a yield surface, their states, and what these do to the forces.
/// Vectors are by components, as those of fine_stiffness.
class plastic_voxels {
 public:
  /// Borrows the problem.
  /// @param surfaces by material number
  plastic_voxels(const elasticity_problem& problem, std::span<const kernel::yield_surface> surfaces, kernel::dilatation how,
                 std::int64_t stride);

  /// The largest factor of the yield stress that displacements reach anywhere, from a state that never yielded.
  /// @param sign of the displacements @collective on problem.where.comm
  double largest_of_yield(const double* u, double sign) const;

  /// Take the forces of the plastic strains off y, those that u brings included. Voxels that flow at u are remembered.
  /// @collective local
  void add_forces(const double* u, double* y);

  /// Take what the flow at the displacements of the last add_forces takes off the elastic product q = K p off it.
  /// @param u the same displacements @collective local
  void add_tangent(const double* u, const double* p, double* q) const;

  /// Voxels that flow at the displacements of the last add_forces, on this rank.
  std::int64_t flowing() const;

  /// Make the plastic strains that u brings part of the state. @collective on problem.where.comm
  plastic_sums commit(const double* u);

  /// Memory of the states of this rank.
  std::int64_t bytes() const;

  /// Equivalent plastic strain (von Mises) and dissipated energy per volume [MPa], per active cell: means of the Gauss
  /// points.
  std::vector<float> plastic_strain() const;
  std::vector<float> dissipation() const;

  /// The states as vectors over the nodes, at each cell's low corner: for checkpoints.
  static constexpr int state_size = 7;  ///< numbers of a Gauss point
  std::vector<float> states_at_corners() const;
  void restore(std::span<const float> at_corners);

 private:
  // The yielded cells of a plane, ascending, and what their points have been through: [cell][number][point].
  struct plane {
    std::vector<std::int32_t> yielded;
    std::vector<float> state;
    struct flow_place {
      std::int32_t node[4];
      material_number material;
      std::int32_t state;  // place in `yielded`, or -1
    };
    std::vector<flow_place> flowing;
  };
  template <class Body>
  void for_each_voxel(std::int64_t z, Body&& body) const;
  template <class Body>
  void by_parity(Body&& body) const;
  template <class T>
  static bool read_state(const plane& of, std::int32_t place, kernel::plastic_state<T>& to);

  const elasticity_problem& problem_;
  std::vector<kernel::plastic_material> materials_;
  bool mean_dilatation_;
  std::int64_t stride_;
  double per_mm_[3], weight_per_edge_[3], weight_;
  float single_per_mm_[3], single_weight_per_edge_[3];
  std::vector<plane> planes_;
};

}  // namespace osteon::solve
