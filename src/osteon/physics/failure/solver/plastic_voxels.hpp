#pragma once
/// @file
/// Voxels with plastic flow. Only yielded voxels store a state.
#include <osteon/kernel/elasticity/plastic_points.hpp>
#include <osteon/physics/failure/solver/voxel_points.hpp>
#include <osteon/physics/failure/solver/yielding_voxels.hpp>

namespace osteon::physics {

/// Voxels with a yield surface.
class plastic_voxels final : public yielding_voxels {
 public:
  /// The object borrows the problem.
  /// @param surfaces yield surface of each material number
  plastic_voxels(const elasticity_problem& problem, std::span<const kernel::yield_surface> surfaces,
                 kernel::dilatation integration, std::int64_t stride);

  double largest_of_yield(const double* u, double sign) const override;
  void add_forces(const double* u, double* y) override;
  void add_tangent(const double* u, const double* p, double* q) const override;
  step_sums commit(const double* u) override;
  std::int64_t bytes() const override;
  std::vector<float> plastic_strain() const override;
  std::vector<float> dissipation() const override;

  static constexpr int state_size = 7;  ///< number of values of a Gauss point
  int numbers_of_state() const override { return 8 * state_size; }
  void put_states(int first, int count, std::span<float> at_corners) const override;
  void restore(std::span<const float> at_corners) override;

 private:
  // Yielded cells of a plane in ascending order, and the states of their Gauss points in the order [cell][number][point].
  struct plane {
    std::vector<std::int32_t> yielded;
    std::vector<float> state;
    struct flow_place {
      std::int32_t node[4];
      material_number material;
      std::int32_t state;  // index of the voxel in `yielded`, or -1
    };
    std::vector<flow_place> flowing;
    std::vector<float> returns;  // stress returns of voxels with a quadric, in the order [voxel][number][point]
  };
  template <class Body>
  void for_each_voxel(std::int64_t z, Body&& body) const;
  template <class T>
  static bool read_state(const plane& of, std::int32_t place, kernel::plastic_state<T>& to);

  const elasticity_problem& problem_;
  std::vector<kernel::plastic_material> materials_;
  bool mean_dilatation_;
  voxel_points points_;
  std::vector<plane> planes_;
};

}  // namespace osteon::physics
