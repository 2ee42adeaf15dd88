#pragma once
/// @file
/// Keys of boundary conditions on faces, and keys of time steps.

#include <cstdint>
#include <optional>
#include <osteon/job/choices.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>
#include <vector>

namespace osteon::job {
class key_table;
}

namespace osteon::physics {

/// Boundary conditions of heat and flow.
enum class condition_kind { temperature, flux, convection, periodic, velocity, flow_rate, pressure, outlet, slip, wall };
inline auto choice_names(condition_kind) {
  return choices<"temperature", "flux", "convection", "periodic", "velocity", "flow_rate", "pressure", "outlet", "slip",
                 "wall">();
}

/// Return true for a thermal condition at a face without flow.
inline bool is_thermal_condition(condition_kind kind) {
  return kind == condition_kind::temperature || kind == condition_kind::flux || kind == condition_kind::convection;
}

/// Velocity profile of an opening.
enum class velocity_profile { uniform, developed, parabolic };
inline auto choice_names(velocity_profile) { return choices<"uniform", "developed", "parabolic">(); }

/// Time integration schemes.
enum class time_scheme { implicit_euler, crank_nicolson };
inline auto choice_names(time_scheme) { return choices<"implicit_euler", "crank_nicolson">(); }

/// A boundary condition on an outer face of the image, or on both faces of an axis.
struct boundary_spec {
  std::string face;
  std::optional<std::int64_t> label;     ///< label of voxels inside the image; the label replaces the face
  optional_choice<condition_kind> kind;  ///< default for heat: temperature
  std::optional<double> temperature_K, flux_W_per_m2, transfer_W_per_m2K;
  std::optional<double> velocity_mm_per_s, flow_rate_mm3_per_s, pressure_Pa, pressure_drop_Pa;
  optional_choice<velocity_profile> profile;          ///< absent: uniform
  std::optional<std::vector<double>> slide_mm_per_s;  ///< z, y, x
  /// positions in the order z, y, x that restrict the condition to a part of the face
  std::optional<std::vector<double>> low_mm, high_mm, centre_mm;
  std::optional<double> radius_mm;
  std::vector<std::vector<double>> factor_at_s;  ///< pairs [time, factor] for transient flow; empty: constant
  std::optional<double> period_s;                ///< period of the factors in s
};

/// Keys of [transient].
struct transient_spec {
  std::optional<double> initial_K, end_s, step_s;
  double output_every_s = 0;            ///< time between records; 0: every step is recorded
  optional_choice<time_scheme> scheme;  ///< absent: implicit_euler for heat, crank_nicolson for flow
  bool write_steps = false;
};

/// Keys of boundary conditions, and keys of time steps.
struct condition_keys {
  double low_K = 0, high_K = 1;                          ///< temperatures of the faces in [load]
  std::optional<std::vector<double>> gradient_K_per_mm;  ///< for heat_transfer, in [load]
  std::vector<boundary_spec> boundaries;
  std::optional<transient_spec> transient;
};

/// Reason why a job with time steps cannot be solved in memory. For a job without time steps, the text is empty.
std::string reason_for_step_files(const spec& job);

/// Register the keys, unless another physics has already registered these keys.
void register_condition_keys(key_table& job);

}  // namespace osteon::physics
