#pragma once
/// @file
/// @cite [Stipsitz2020]: the class of model
/// Voxels that lose stiffness: a scalar damage, evaluated at the voxel's centre.
#include <osteon/kernel/elasticity/damage_law.hpp>
#include <osteon/kernel/elasticity/plastic_points.hpp>
#include <osteon/physics/failure/solver/voxel_points.hpp>
#include <osteon/physics/failure/solver/yielding_voxels.hpp>

namespace osteon::physics {

/// The state of a voxel is one number, kappa; two more are stored for the energy balance.
///
/// Fracture is not part of an equilibrium: all voxels whose kappa exceeds that of fracture in one equilibrium break
/// together, and the next equilibrium is computed at the same displacement of the driven face, until no voxel breaks.
class damaged_voxels final : public yielding_voxels {
 public:
  /// Borrows the problem. @param laws by material number; materials beyond stay elastic
  damaged_voxels(const elasticity_problem& problem, std::span<const kernel::damage_law> laws, kernel::dilatation how,
                 std::int64_t stride);

  double largest_of_yield(const double* u, double sign) const override;
  void add_forces(const double* u, double* y) override;
  void add_tangent(const double* u, const double* p, double* q) const override;
  bool have_energy() const override { return false; }
  std::int64_t break_at(const double* u) override;
  void retreat() override;
  step_sums commit(const double* u) override;
  double released_mJ() const override { return released_; }
  void set_released_mJ(double value) override { released_ = value; }
  std::int64_t bytes() const override;
  std::vector<float> damage() const override;
  std::vector<float> dissipation() const override { return now_.dissipated; }
  int numbers_of_state() const override { return 3; }
  void put_states(int first, int count, std::span<float> at_corners) const override;
  void restore(std::span<const float> at_corners) override;

 private:
  struct numbers {
    kernel::plastic_numbers<double> elastic;
    kernel::damage_law law;
    double damage_of(double kappa) const;
  };
  struct states {  // per active cell
    std::vector<float> kappa;
    std::vector<float> energy;      // undamaged, divided by kappa^2, at the last increase of kappa [MPa]
    std::vector<float> dissipated;  // [MPa]
  };
  struct damaged {
    std::int32_t node[4];
    material_number material;
    float damage;
  };
  // The centre of a voxel.
  struct seen {
    double kappa = 0;     // kappa of the present strain
    double energy = 0;    // undamaged, mean of the points [MPa]
    double pressure = 0;  // undamaged mean stress
  };
  seen see(const kernel::tensor_at_points<double>& strain, const numbers& m, double sign = 1) const;
  const numbers& numbers_of(std::int32_t cell) const {
    return materials_[problem_.material[static_cast<std::size_t>(cell)]];
  }
  step_sums absorb(const double* u);

  const elasticity_problem& problem_;
  std::vector<numbers> materials_;
  bool mean_dilatation_;
  voxel_points points_;
  std::int64_t planes_;
  states now_, kept_;                          // since the last commit, and at it
  std::vector<std::vector<damaged>> damaged_;  // by plane, at the last add_forces
  double balance_ = 0, released_ = 0;          // mJ, all ranks: before the first fracture of a step; by all fractures
  bool has_broken_ = false;
};

}  // namespace osteon::physics
