#pragma once
/// @file
/// Flow through a voxel sample. The flow is a steady flow of an incompressible fluid between openings in the faces of the
/// image. Walls are stationary, slip or move. The flow is creeping (Stokes), or has inertia (Navier-Stokes).
///
/// Conditions apply to outer faces of fluid voxels on the faces of the image. Inside the image, conditions apply to the
/// surface of labelled solid voxels. All other outer faces of the fluid, and all other faces between fluid and solid, are
/// no-slip walls. The image may be periodic along an axis. The units are those of permeability.hpp: mm, s, Pa, Pa s, kg/m3.
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
  int max_iterations = 500;  ///< maximum number of linear iterations for each flow
  bool fields = true;
  std::function<void()> poll{};  ///< function that is called between iterations; may throw on all ranks; may be empty
  bool faces = false,
       /// true: compute the velocities on the faces of voxels for all flows; false: only for the last flow
      faces_of_all = false;
  /// function that computes the face velocities, for example keep_mass; empty: the velocities of the solution
  velocity_projector carry{};
  /// True: execute some iterations and all other communication of a solve once. Virtual ranks then count messages.
  bool counts_messages = false;
  /// receives values of each flow, or of each requested time; null: no values are requested
  const flow_watch* watch = nullptr;
};

/// Results at one boundary.
struct boundary_flow {
  std::int64_t faces = 0;  ///< number of faces of voxels
  double area_mm2 = 0;
  double inflow_mm3_per_s = 0;
  double mean_pressure_Pa = 0;           ///< pressure on the faces, averaged over the area
  double highest_velocity_mm_per_s = 0;  ///< highest velocity through a face
};

/// The solution for one multiple of the conditions.
struct through_flow {
  double multiple = 1;
  std::vector<boundary_flow> boundaries;  ///< results in the order of the boundaries of the problem
  double inflow_mm3_per_s = 0;            ///< total inflow
  double imbalance = 0;                   ///< (inflow - outflow) / inflow; 0 without inflow
  /// flow rates along z, y, x through a periodic image, towards the high face
  std::array<double, 3> period_flow_mm3_per_s{};
  std::array<double, 3> period_drop_Pa{};  ///< pressure drops along z, y, x that correspond to period_flow_mm3_per_s
  /// mean pressure over the inflow minus mean pressure over the outflow; the flow is the weight of both means
  double pressure_drop_Pa = 0;
  /// mean and highest speed at the voxel centres of the moving fluid
  double mean_speed_mm_per_s = 0, highest_speed_mm_per_s = 0;
  /// Reynolds number based on the mean speed and the hydraulic diameter
  double reynolds_number = 0;
  double cell_reynolds_number = 0;  ///< highest Reynolds number based on a face velocity and the edge length of a voxel
  double upwinded_share = 0;        ///< fraction of the faces of control volumes with non-central convection
  /// For the limited scheme: change of the solution by one step with updated fractions of the limiter, in the measure of
  /// steady_history.
  double limiter_residual = 0;
  double mean_wall_shear_Pa = 0;  ///< mean over the wall area of the moving fluid (wall_surface)
  double p95_wall_shear_Pa = 0;   ///< wall shear stress that is exceeded on 5 % of the wall area
  /// force on the solid voxels; forces on walls on faces of the image are not included
  vector3 force_on_solid_N;
  std::vector<vector3> force_on_label_N{};  ///< force on the voxels of each label in labelled_solid::names
  /// residual_history contains preconditioned residuals; energy_identity_error is not used
  solve_certificate certificate;
  double faces_change = 0;             ///< change of the velocities by through_options::carry (carried_velocities::change)
  std::vector<double> steady_history;  ///< change of the solution in each Picard or Newton step
};

struct through_solution {
  std::vector<through_flow> flows;  ///< flow for each multiple of the conditions
  flow_counts counts;               ///< counts of the fluid; the member `thin` is not computed
  double hydraulic_diameter_mm = 0;
  bool pressure_is_free = false;         ///< true if no condition prescribes a pressure; the mean pressure is then zero
  std::vector<float> velocity_mm_per_s;  ///< velocity of the last flow, in the format of flow_direction
  std::vector<float> pressure_Pa;
  std::vector<float> wall_shear_Pa;  ///< mean over the walls of each voxel; 0 for voxels without a wall
  /// Face velocities of the last flow, if requested. The shape is (cells, 6): the velocities through the low and the high
  /// face of each cell along z, y, x.
  std::vector<double> face_velocity_mm_per_s;
  /// Face velocities of the earlier flows, if requested (faces_of_all).
  std::vector<std::vector<double>> earlier_face_velocity_mm_per_s;
  double setup_seconds = 0;
};

/// Execute the checks of solve_flow_through, and compute no solution. @throws errors of solve_flow_through @collective on
/// problem.where.comm
void check_flow_through(const through_problem& problem, const through_options& options);

/// Solve the flow for each multiple of the conditions. The initial guess is the flow of the previous multiple.
///
/// If the tolerance is missed, no error is thrown. certificate.converged is then false, and later multiples are skipped.
/// @throws usage_error for contradictory conditions, and for conditions that violate incompressibility
/// @throws data_error if an opening has no adjacent fluid, or if fluid connects no openings
/// @throws solve_error if a value is not finite @collective on problem.where.comm; all ranks throw the same error
through_solution solve_flow_through(const through_problem& problem, const through_options& options, log_sink& log);

}  // namespace osteon::physics
