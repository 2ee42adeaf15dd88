#pragma once
/// @file
/// Voxels with a scalar damage of the stiffness, evaluated at the voxel centre.
/// @cite [Stipsitz2020]: this class of models
#include <osteon/kernel/elasticity/damage_law.hpp>
#include <osteon/kernel/elasticity/plastic_points.hpp>
#include <osteon/physics/failure/solver/voxel_points.hpp>
#include <osteon/physics/failure/solver/yielding_voxels.hpp>

namespace osteon::physics {

/// The state of a voxel is the number kappa. Two further numbers are stored for the energy balance.
///
/// Fracture occurs between equilibria: all voxels with a kappa above the fracture limit break simultaneously. After a
/// fracture, the next equilibrium has the same displacement of the driven face. Fractures and equilibria alternate until
/// no voxel breaks.
class damaged_voxels final : public yielding_voxels {
 public:
  /// Borrows the problem. @param laws by material number; materials without an entry are elastic
  damaged_voxels(const elasticity_problem& problem, std::span<const kernel::damage_law> laws, kernel::dilatation integration,
                 std::int64_t stride);

  double largest_of_yield(const double* u, double sign) const override;
  void add_forces(const double* u, double* y) override;
  void add_tangent(const double* u, const double* p, double* q) const override;
  bool has_energy() const override { return false; }
  std::int64_t break_voxels(const double* u) override;
  void discard_changes() override;
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
    std::vector<float> energy;      // undamaged energy density at the last increase of kappa, divided by kappa^2 [MPa]
    std::vector<float> dissipated;  // [MPa]
  };
  struct damaged {
    std::int32_t node[4];
    material_number material;
    float damage;
  };
  // Quantities at the centre of a voxel.
  struct centre_state {
    double kappa = 0;     // kappa of the present strain
    double energy = 0;    // undamaged energy density, mean over the Gauss points [MPa]
    double pressure = 0;  // undamaged mean stress
  };
  centre_state evaluate(const kernel::tensor_at_points<double>& strain, const numbers& m, double sign = 1) const;
  const numbers& numbers_of(std::int32_t cell) const {
    return materials_[problem_.material[static_cast<std::size_t>(cell)]];
  }
  step_sums update(const double* u);

  const elasticity_problem& problem_;
  std::vector<numbers> materials_;
  bool mean_dilatation_;
  voxel_points points_;
  std::int64_t planes_;
  states now_, kept_;                          // present states, and states of the last commit
  std::vector<std::vector<damaged>> damaged_;  // by plane, at the last add_forces
  double balance_ = 0,
         released_ = 0;  // [mJ], all ranks: energy before the first fracture of a step; energy released by all fractures
  bool has_broken_ = false;
};

}  // namespace osteon::physics
