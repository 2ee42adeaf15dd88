#pragma once
/// @file
/// Flow through a voxel sample: steady flow of an incompressible fluid between openings in the faces of the image, with
/// stationary, slip or moving walls. The flow is creeping (Stokes) or has inertia (Navier-Stokes).
///
/// Conditions apply to outer faces of fluid voxels on the faces of the image, or to the surface of labelled solid voxels
/// inside the image. All other outer faces of the fluid, and all other faces between fluid and solid, are no-slip walls.
/// The image can be periodic along an axis. The units are those of permeability.hpp: mm, s, Pa, Pa s, kg/m3.
#include <array>
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/physics/flow/solver/openings/flow_watch.hpp>
#include <osteon/physics/flow/solver/stokes/carried_velocities.hpp>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

struct through_options {
  double tolerance = 1e-4;   ///< limit of the preconditioned residual relative to the solution
  int max_iterations = 500;  ///< largest number of linear iterations for each flow
  bool fields = true;
  std::function<void()> poll{};  ///< called between iterations; may throw on all ranks; may be empty
  bool faces = false,
       faces_of_all = false;   ///< compute the velocities on the voxels' faces for the last flow or for all flows
  velocity_projector carry{};  ///< computes the face velocities, e.g. keep_mass; empty: the velocities of the solution
  /// Perform some iterations and all other communication of a solve once, to count messages on virtual ranks.
  bool counts_messages = false;
  const flow_watch* watch = nullptr;  ///< receives values of each flow, or of each requested time; null: disabled
};

/// Results at one boundary.
struct boundary_flow {
  std::int64_t faces = 0;  ///< number of voxel faces
  double area_mm2 = 0;
  double inflow_mm3_per_s = 0;
  double mean_pressure_Pa = 0;           ///< mean over the area, on the face
  double highest_velocity_mm_per_s = 0;  ///< across the face
};

/// The solution for one multiple.
struct through_flow {
  double multiple = 1;
  std::vector<boundary_flow> boundaries;          ///< in the order of the problem's boundaries
  double inflow_mm3_per_s = 0;                    ///< total inflow
  double imbalance = 0;                           ///< (inflow - outflow) / inflow; 0 without inflow
  std::array<double, 3> period_flow_mm3_per_s{};  ///< z, y, x: flow rate through a periodic image, towards the high face
  std::array<double, 3> period_drop_Pa{};         ///< z, y, x: pressure drop that corresponds to period_flow_mm3_per_s
  double pressure_drop_Pa = 0;  ///< mean over the inflow minus mean over the outflow, both weighted by the flow
  double mean_speed_mm_per_s = 0, highest_speed_mm_per_s = 0;  ///< over the moving fluid, at the voxel centres
  double reynolds_number = 0;                                  ///< based on the mean speed and the hydraulic diameter
  double cell_reynolds_number = 0;  ///< highest Reynolds number of a face velocity and the voxel length
  double upwinded_share = 0;        ///< fraction of control volume faces with non-central convection
  /// Limited scheme: change of the solution by one step with updated limiter shares, in the measure of steady_history.
  double limiter_residual = 0;
  double mean_wall_shear_Pa = 0;            ///< mean over the wall area of the moving fluid (wall_surface)
  double p95_wall_shear_Pa = 0;             ///< wall shear stress that is exceeded on 5 % of the wall area
  vector3 force_on_solid_N;                 ///< force on the solid voxels, without walls on faces of the image
  std::vector<vector3> force_on_label_N{};  ///< force on the voxels of each label in labelled_solid::names
  solve_certificate certificate;            ///< residual_history: preconditioned residuals; energy_identity_error is unused
  double faces_change = 0;             ///< change of the velocities by through_options::carry (carried_velocities::change)
  std::vector<double> steady_history;  ///< change of the solution in each Picard or Newton step
};

struct through_solution {
  std::vector<through_flow> flows;  ///< by multiple
  flow_counts counts;               ///< thin is not counted
  double hydraulic_diameter_mm = 0;
  bool pressure_is_free = false;         ///< no condition prescribes a pressure; the mean pressure is zero
  std::vector<float> velocity_mm_per_s;  ///< velocity of the last flow, as in flow_direction
  std::vector<float> pressure_Pa;
  std::vector<float> wall_shear_Pa;  ///< mean over the walls of each voxel; 0 without a wall
  /// Face velocities of the last flow, if requested: shape (cells, 6), along z, y, x through the low and the high face of
  /// each cell.
  std::vector<double> face_velocity_mm_per_s;
  /// Face velocities of the previous flows, if requested (faces_of_all).
  std::vector<std::vector<double>> earlier_face_velocity_mm_per_s;
  double setup_seconds = 0;
};

/// Run the checks of solve_flow_through without a solution. @throws as solve_flow_through @collective on
/// problem.where.comm
void check_flow_through(const through_problem& problem, const through_options& options);

/// Solve the flow for each multiple, starting from the flow of the previous multiple.
///
/// A missed tolerance is not an error: certificate.converged is false, and later multiples are skipped.
/// @throws usage_error for contradictory conditions, and for conditions that violate incompressibility
/// @throws data_error if an opening meets no fluid, or fluid connects no openings
/// @throws solve_error if a value is not finite @collective on problem.where.comm: all ranks throw the same
through_solution solve_flow_through(const through_problem& problem, const through_options& options, log_sink& log);

}  // namespace osteon::physics
