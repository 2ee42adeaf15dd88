#pragma once
/// @file
/// Voxels with scalar damage of the stiffness. The damage is evaluated at the centre of a voxel.
/// @cite [Stipsitz2020], this class of models
#include <osteon/kernel/elasticity/damage_law.hpp>
#include <osteon/kernel/elasticity/plastic_points.hpp>
#include <osteon/physics/failure/solver/voxel_points.hpp>
#include <osteon/physics/failure/solver/yielding_voxels.hpp>

namespace osteon::physics {

/// The state of a voxel is the number kappa. For the energy balance, the object stores two further numbers.
///
/// Fracture occurs between equilibria. All voxels with a kappa above the fracture limit break simultaneously. After a
/// fracture, the driven face has the same displacement in the next equilibrium. Fractures and equilibria alternate until no
/// voxel breaks.
class damaged_voxels final : public yielding_voxels {
 public:
  /// The object borrows the problem. @param laws law of each material number; materials without a law are elastic
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
  struct states {  // states of the active cells
    std::vector<float> kappa;
    std::vector<float> energy;      // undamaged energy density at the last increase of kappa, divided by kappa^2 [MPa]
    std::vector<float> dissipated;  // dissipated energy density [MPa]
  };
  struct damaged {
    std::int32_t node[4];
    material_number material;
    float damage;
  };
  // Quantities at the centre of a voxel.
  struct centre_state {
    double kappa = 0;     // kappa of the present strain
    double energy = 0;    // undamaged energy density [MPa], averaged over the Gauss points
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
  states now_, kept_;                          // present states, and states after the last commit
  std::vector<std::vector<damaged>> damaged_;  // damaged voxels of each plane at the last add_forces
  double balance_ = 0,
         // [mJ] on all ranks: energy before the first fracture of a step, and energy that all fractures have released
      released_ = 0;
  bool has_broken_ = false;
};

}  // namespace osteon::physics
