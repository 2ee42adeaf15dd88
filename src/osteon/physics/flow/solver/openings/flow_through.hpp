#pragma once
/// @file
/// Flow through a voxel sample: steady flow of an incompressible fluid between openings in the faces of the image, with
/// walls that stand still, slip or move. Creeping (Stokes), or with inertia (Navier-Stokes).
///
/// Conditions belong to outer faces of fluid voxels on the faces of the image, or to the surface of labelled solid voxels
/// inside it. Everything that is not named is a wall without slip, as is every other face between fluid and solid; along an
/// axis the image may repeat itself. Units as in permeability.hpp: mm, s, Pa, Pa s, kg/m3.
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
  double tolerance = 1e-4;   ///< of the error that the preconditioner sees, against the answer, both in its norm
  int max_iterations = 500;  ///< of the linear solver, for each flow
  bool fields = true;
  std::function<void()> poll{};  ///< called between iterations, may throw on all ranks; empty: not
  bool faces = false,
       faces_of_all = false;   ///< the velocities on the voxels' faces are wanted, too, of the last flow or all
  velocity_projector carry{};  ///< makes them, e.g. keep_mass; empty: they are those of the answer
  bool rehearses = false;      ///< some iterations, and whatever else a solve may send: for the plans of virtual ranks
  const flow_watch* watch = nullptr;  ///< is told values of each flow, or in time of each moment it wants; null: nobody
};

/// What passes one boundary.
struct boundary_flow {
  std::int64_t faces = 0;  ///< of voxels
  double area_mm2 = 0;
  double inflow_mm3_per_s = 0;
  double mean_pressure_Pa = 0;           ///< over the area, on the face
  double highest_velocity_mm_per_s = 0;  ///< across the face
};

/// The answer for one multiple.
struct through_flow {
  double multiple = 1;
  std::vector<boundary_flow> boundaries;          ///< in the order of the problem's
  double inflow_mm3_per_s = 0;                    ///< sum of all that flows in
  double imbalance = 0;                           ///< (inflow - outflow) / inflow; 0 without inflow
  std::array<double, 3> period_flow_mm3_per_s{};  ///< z, y, x: through the image where it repeats, towards the high face
  std::array<double, 3> period_drop_Pa{};         ///< and what the pressure falls by
  double pressure_drop_Pa = 0;  ///< mean over what flows in less mean over what flows out, weighted by the flow
  double mean_speed_mm_per_s = 0, highest_speed_mm_per_s = 0;  ///< over the moving fluid, at the centres
  double reynolds_number = 0;                                  ///< with the mean speed and the hydraulic diameter
  double cell_reynolds_number = 0;                             ///< highest, with the velocity across a face and the voxel
  double upwinded_share = 0;  ///< of the faces of control volumes, those where convection is not central
  /// Limited: what a step of the answer would change with the limiter's shares of the answer itself, as the history tells.
  double limiter_residual = 0;
  double mean_wall_shear_Pa = 0;            ///< over the area of all walls of the moving fluid, that of wall_surface
  double p95_wall_shear_Pa = 0;             ///< 5 % of this area have more
  vector3 force_on_solid_N;                 ///< on the solid voxels; not on walls that are faces of the image
  std::vector<vector3> force_on_label_N{};  ///< the part of it on the voxels of each of labelled_solid::names
  solve_certificate certificate;            ///< residual_history: that of the preconditioner; energy_identity_error unused
  double faces_change = 0;                  ///< by through_options::carry, as carried_velocities tells
  std::vector<double> steady_history;       ///< change of the answer that each step of Picard or Newton asks for
};

struct through_solution {
  std::vector<through_flow> flows;  ///< by multiple
  flow_counts counts;               ///< thin is not counted
  double hydraulic_diameter_mm = 0;
  bool pressure_is_free = false;         ///< nothing gives a pressure: its mean is zero
  std::vector<float> velocity_mm_per_s;  ///< of the last flow, as in flow_direction
  std::vector<float> pressure_Pa;
  std::vector<float> wall_shear_Pa;  ///< mean over the walls of a voxel; 0 where it has none
  /// Of the last flow, if they are wanted: shape (cells, 6), along z, y, x through the low and the high face of each cell.
  std::vector<double> face_velocity_mm_per_s;
  /// The same of the flows before it, if those of all are wanted.
  std::vector<std::vector<double>> earlier_face_velocity_mm_per_s;
  double setup_seconds = 0;
};

/// Check as solve_flow_through does, without solving. @throws as it @collective on problem.where.comm
void check_flow_through(const through_problem& problem, const through_options& how);

/// Solve the flow for each multiple, from the one before.
///
/// Not reaching the tolerance is no error: then certificate.converged is false, and later multiples are not tried.
/// @throws usage_error for conditions that contradict each other or the fluid's incompressibility
/// @throws data_error if an opening meets no fluid, or no fluid joins openings
/// @throws solve_error if a value is not finite @collective on problem.where.comm: all ranks throw the same
through_solution solve_flow_through(const through_problem& problem, const through_options& how, log_sink& log);

}  // namespace osteon::physics
