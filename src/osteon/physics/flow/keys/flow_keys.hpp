#pragma once
/// @file
/// The table [flow] of a job.
#include <osteon/job/choices.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Tests of a fluid.
enum class flow_test { permeability, permeability_tensor, dispersion, flow };
inline auto choice_names(flow_test) { return choices<"permeability", "permeability_tensor", "dispersion", "flow">(); }

/// Fields that pictures of a flow can display.
enum class flow_field { speed, temperature, residence_time };
inline auto choice_names(flow_field) { return choices<"speed", "temperature", "residence_time">(); }

/// The phase of [segment] that contains the fluid.
enum class fluid_voxels { empty, solid };
inline auto choice_names(fluid_voxels) { return choices<"empty", "solid">(); }

/// Difference schemes for the convection of momentum.
enum class convection_scheme { blended, limited, central };
inline auto choice_names(convection_scheme) { return choices<"blended", "limited", "central">(); }

/// Difference schemes for the convection of heat.
enum class heat_differences { limited, hybrid, central };
inline auto choice_names(heat_differences) { return choices<"limited", "hybrid", "central">(); }

/// Initial condition of a transient flow.
enum class start_of_flow { rest, creeping, steady };
inline auto choice_names(start_of_flow) { return choices<"rest", "creeping", "steady">(); }

struct flow_keys {
  choice<fluid_voxels> fluid = fluid_voxels::empty;
  std::vector<double> fluid_labels;  ///< instead of `fluid`: labels in a label image
  double viscosity_Pa_s = 1e-3, density_kg_per_m3 = 1000;
  std::optional<double> pressure_drop_Pa;  ///< for permeability; absent: 1
  bool inertia = false;
  choice<convection_scheme> convection = convection_scheme::blended;
  std::optional<double> reference_velocity_mm_per_s, reference_area_mm2;  ///< reference values for the force coefficients
  std::vector<double> force_labels;        ///< labels of solid voxels; the job reports the force on each label
  std::optional<std::string> label_image;  ///< absent: labels in the scan
  /// multiples of the boundary conditions; empty: one solve with the given conditions
  std::vector<double> multiples;
  std::optional<double> cfl;             ///< for transient flow: largest Courant number; absent: 0.5
  optional_choice<start_of_flow> start;  ///< for transient flow; absent: rest
  /// for transient flow: the job ends if all velocities change more slowly; absent: no limit
  std::optional<double> steady_change_per_s;
  bool heat = false;                                                     ///< true: also compute the temperature
  std::optional<double> conductivity_W_per_mK, heat_capacity_J_per_m3K;  ///< absent: the values of water
  double heat_source_W_per_m3 = 0;
  choice<heat_differences> heat_convection = heat_differences::limited;

  bool residence_time = false;  ///< true: also compute the mean age of the fluid
  /// Self-diffusivity of the fluid. The default is the self-diffusivity of water at 25 C [Holz2000].
  double self_diffusivity() const { return diffusivity_m2_per_s.value_or(2.3e-9); }
  std::optional<double> expansion_per_K;  ///< thermal expansion of the fluid; absent: no buoyancy
  std::optional<std::vector<double>> gravity_m_per_s2;
  std::optional<double> reference_temperature_K;  ///< absent: mean of the lowest and the highest given temperature
  std::vector<double> peclet_numbers;             ///< for dispersion
  std::optional<double> peclet_length_mm, diffusivity_m2_per_s;

  double conductivity() const { return conductivity_W_per_mK.value_or(0.6); }
  double heat_capacity() const { return heat_capacity_J_per_m3K.value_or(4.18e6); }
};

/// Highest Reynolds number of creeping flow. The number is based on the mean velocity and the hydraulic diameter. Above this
/// number, inertia changes the flow through pores by at least some per cent.
constexpr double highest_creeping_reynolds_number = 1;

/// Return true if a table applies to solid voxels inside the image.
inline bool is_inside(const boundary_spec& b) { return b.label || b.face.empty(); }

/// Return true if a table is only a condition for heat, at faces without flow.
inline bool is_thermal_condition(const boundary_spec& b) { return b.kind && is_thermal_condition(*b.kind); }

/// Return true if fluid flows through a face with the condition of a table.
inline bool is_opening(const boundary_spec& b) {
  return b.kind == condition_kind::velocity || b.kind == condition_kind::flow_rate || b.kind == condition_kind::pressure ||
         b.kind == condition_kind::outlet;
}

/// Return the test of a flow job. The table [load] contains the test, or the tables of the job determine the test.
flow_test test_of_flow(const spec& job);
inline bool is_between_openings(const spec& job) { return test_of_flow(job) == flow_test::flow; }

/// Field that the picture of the job displays. Empty: the default field.
std::optional<flow_field> shown_field_of_flow(const spec& job);

/// Keys of [flow] that only the test flow accepts.
std::vector<std::string> keys_of_openings();

/// The tests of a fluid.
std::vector<load_test> tests_of_flow();

/// Register the keys of fluid, heat, time steps and probes.
void register_flow_keys(key_table& job);

}  // namespace osteon::physics
