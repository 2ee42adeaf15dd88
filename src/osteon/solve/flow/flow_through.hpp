#pragma once
/// @file
/// Flow through a voxel sample: steady flow of an incompressible fluid between openings in the faces of the image, with
/// walls that stand still, slip or move. Creeping (Stokes), or with inertia (Navier-Stokes).
///
/// Conditions belong to outer faces of fluid voxels on the faces of the image. Everything that is not named is a wall
/// without slip, as is every face between fluid and solid. Units as in permeability.hpp: mm, s, Pa, Pa s, kg/m3.
#include <limits>
#include <osteon/solve/flow/carried_velocities.hpp>
#include <osteon/solve/flow/permeability.hpp>
#include <string>

namespace osteon::solve {

/// What happens on a part of an outer face of the image.
enum class face_flow {
  wall,       ///< no slip; the wall may slide with a velocity along itself
  slip,       ///< nothing passes, and nothing holds the fluid back: also a plane of symmetry
  velocity,   ///< given mean velocity into the image
  flow_rate,  ///< given flow rate into the image, over all of the opening
  pressure,   ///< given pressure; what passes does so at right angles
  outlet      ///< given pressure, and no friction from outside: do-nothing
};

/// A condition. Of an opening of given velocity, the fluid's velocity along the face is zero.
struct flow_boundary {
  axis across = axis::z;
  bool high = false;  ///< on the high face of the axis
  face_flow kind = face_flow::wall;
  double value = 0;           ///< mean velocity [mm/s] or flow rate [mm3/s] into the image; pressure [Pa]
  bool is_developed = false;  ///< of given velocity or flow rate: the profile far inside a straight channel of this opening
  bool is_parabolic = false;  ///< of the same: the product of two parabolas over the rectangle around the opening
  vector3 slide_mm_per_s;     ///< of a wall: its velocity; nothing across the face
  /// Only where the centre of the voxel lies in this box and this ball, in mm from the low corner of the image. What names a
  /// part of a face goes before what names all of it.
  vector3 low_mm{-unlimited, -unlimited, -unlimited}, high_mm{unlimited, unlimited, unlimited}, centre_mm;
  double radius_mm = unlimited;
  std::string name;  ///< for messages: the key of the job

  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  bool is_everywhere() const {
    bool all = radius_mm == unlimited;
    for (int a = 0; a < 3; ++a) all = all && low_mm[a] == -unlimited && high_mm[a] == unlimited;
    return all;
  }
  std::uint8_t side() const { return static_cast<std::uint8_t>(2 * static_cast<int>(across) + (high ? 1 : 0)); }
  /// Whether the velocity across the face is given, and need not be zero.
  bool gives_velocity() const { return kind == face_flow::velocity || kind == face_flow::flow_rate; }
  bool gives_pressure() const { return kind == face_flow::pressure || kind == face_flow::outlet; }
};

struct through_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;  ///< fluid voxels of where.owned
  std::vector<flow_boundary> boundaries;
  std::vector<double> multiples{1};  ///< of all given velocities, flow rates and pressures: a flow is solved for each
  double viscosity_Pa_s = 1e-3;
  double density_kg_per_m3 = 1000;
  bool has_inertia = false;  ///< Navier-Stokes
  bool is_central = false;   ///< convection without upwinding: less diffusive, may oscillate
};

struct through_options {
  double tolerance = 1e-4;   ///< of the error that the preconditioner sees, against the answer, both in its norm
  int max_iterations = 500;  ///< of the linear solver, for each flow
  bool fields = true;
  std::function<void()> poll{};  ///< called between iterations, may throw on all ranks; empty: not
  bool faces = false,
       faces_of_all = false;   ///< the velocities on the voxels' faces are wanted, too, of the last flow or all
  velocity_projector carry{};  ///< makes them, e.g. keep_mass; empty: they are those of the answer
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
  std::vector<boundary_flow> boundaries;  ///< in the order of the problem's
  double inflow_mm3_per_s = 0;            ///< sum of all that flows in
  double imbalance = 0;                   ///< (inflow - outflow) / inflow; 0 without inflow
  double pressure_drop_Pa = 0;            ///< mean over what flows in less mean over what flows out, weighted by the flow
  double mean_speed_mm_per_s = 0, highest_speed_mm_per_s = 0;  ///< over the moving fluid, at the centres
  double reynolds_number = 0;                                  ///< with the mean speed and the hydraulic diameter
  double cell_reynolds_number = 0;                             ///< highest, with the velocity across a face and the voxel
  double upwinded_share = 0;           ///< of the faces of control volumes, those where convection is not central
  double mean_wall_shear_Pa = 0;       ///< over the area of all walls of the moving fluid
  double p95_wall_shear_Pa = 0;        ///< over the voxels next to them
  vector3 force_on_solid_N;            ///< on the solid voxels; not on walls that are faces of the image
  solve_certificate certificate;       ///< residual_history: that of the preconditioner; energy_identity_error unused
  double faces_change = 0;             ///< by through_options::carry, as carried_velocities tells
  std::vector<double> steady_history;  ///< change of the answer that each step of Picard or Newton asks for
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

}  // namespace osteon::solve
