#pragma once
/// @file
/// Flow through a voxel sample: steady flow of an incompressible fluid between openings in the faces of the image, with
/// walls that stand still, slip or move. Creeping (Stokes), or with inertia (Navier-Stokes).
///
/// Conditions belong to outer faces of fluid voxels on the faces of the image, or to the surface of labelled solid voxels
/// inside it. Everything that is not named is a wall without slip, as is every other face between fluid and solid; along an
/// axis the image may repeat itself. Units as in permeability.hpp: mm, s, Pa, Pa s, kg/m3.
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <osteon/solve/flow/carried_velocities.hpp>
#include <osteon/solve/flow/flow_watch.hpp>
#include <osteon/solve/flow/permeability.hpp>
#include <string>
#include <vector>

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

/// A number that changes with time: linear between given times, before the first and after the last as there.
struct time_table {
  std::vector<std::array<double, 2>> points;  ///< time [s], ascending, and number; none: 1 at any time
  double period_s = 0;                        ///< repeats itself; 0: does not

  bool varies() const { return !points.empty(); }
  double at(double time_s) const;
  /// Largest magnitude at any time.
  double most() const;
};

/// A condition. Of an opening of given velocity, the fluid's velocity along the face is zero.
struct flow_boundary {
  axis across = axis::z;
  bool high = false;  ///< on the high face of the axis
  /// Not on a face of the image, but on the surface of solid voxels inside it: those with this label, as labelled_solid
  /// numbers them (0: with any), whose centres lie in the box and the ball. An opening there is passed at right angles to
  /// the faces of voxels, a wall slides along them.
  bool is_inside = false;
  material_number label = 0;
  std::int8_t only_side =
      -1;  ///< inside: only on faces of the solid voxels that look this way: 2 axis + (1 on the high side)
  face_flow kind = face_flow::wall;
  double value = 0;           ///< mean velocity [mm/s] or flow rate [mm3/s] into the image; pressure [Pa]
  bool is_developed = false;  ///< of given velocity or flow rate: the profile far inside a straight channel of this opening
  bool is_parabolic = false;  ///< of the same: the product of two parabolas over the rectangle around the opening
  vector3 slide_mm_per_s;     ///< of a wall: its velocity; nothing across a face of the image
  /// Only where the centre of the voxel lies in this box and this ball, in mm from the low corner of the image. What names a
  /// part of a face goes before what names all of it.
  vector3 low_mm{-unlimited, -unlimited, -unlimited}, high_mm{unlimited, unlimited, unlimited}, centre_mm;
  double radius_mm = unlimited;
  std::string name;  ///< for messages: the key of the job
  /// Of a flow in time: factors of value and slide_mm_per_s. Empty: they are constant.
  time_table factor;

  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  bool is_everywhere() const {
    bool all = radius_mm == unlimited && only_side < 0;
    for (int a = 0; a < 3; ++a) all = all && low_mm[a] == -unlimited && high_mm[a] == unlimited;
    return all;
  }
  /// Whether the centre of a voxel lies in the box and the ball. @param across_axis a ball is a disc across this axis; -1: a
  /// ball
  bool holds(index3 voxel, vector3 spacing_mm, int across_axis) const {
    double square = 0;
    bool is_in = true;
    for (int a = 0; a < 3; ++a) {
      const double centre = (static_cast<double>(voxel[a]) + 0.5) * spacing_mm[a];
      is_in = is_in && centre >= low_mm[a] && centre <= high_mm[a];
      if (a != across_axis) square += (centre - centre_mm[a]) * (centre - centre_mm[a]);
    }
    return is_in && (radius_mm == unlimited || square <= radius_mm * radius_mm);
  }
  /// Of a face of the image.
  std::uint8_t side() const { return static_cast<std::uint8_t>(2 * static_cast<int>(across) + (high ? 1 : 0)); }
  /// Whether the velocity across the face is given, and need not be zero.
  bool gives_velocity() const { return kind == face_flow::velocity || kind == face_flow::flow_rate; }
  bool gives_pressure() const { return kind == face_flow::pressure || kind == face_flow::outlet; }
  bool passes() const { return gives_velocity() || gives_pressure(); }
};

/// Solid voxels that are told apart.
struct labelled_solid {
  voxel::run_set cells;                 ///< of where.owned; none of them fluid
  std::vector<material_number> number;  ///< of each of them, from 1
  std::vector<std::string> names{};     ///< of the numbers 1, 2, ... for which the force is wanted; later ones have none
};

struct through_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;  ///< fluid voxels of where.owned
  labelled_solid labelled{};
  std::array<bool, 3> periodic{};          ///< axes along which the image repeats itself
  std::array<double, 3> period_drop_Pa{};  ///< over their periods, from low to high: what it falls by
  /// Of one axis along which the image repeats, instead: the flow rate towards its high face, whose drop is sought.
  std::array<std::optional<double>, 3> period_rate_mm3_per_s{};
  std::array<time_table, 3> period_factor{};  ///< of a flow in time: of these drops and rates
  std::vector<flow_boundary> boundaries;
  std::vector<double> multiples{1};  ///< of all given velocities, flow rates, pressures and drops: a flow is solved for each
  double viscosity_Pa_s = 1e-3;
  double density_kg_per_m3 = 1000;
  bool has_inertia = false;  ///< Navier-Stokes
  bool is_central = false;   ///< convection without upwinding: less diffusive, may oscillate
  bool is_limited = false;   ///< not is_central: with van Leer's limiter, second order where the velocity is smooth
  bool is_buoyant = false;   ///< heat drives, too: all fluid moves, unless it is a single voxel

  /// Whether labelled voxels matter: the same on all ranks.
  bool has_labels() const {
    bool any = !labelled.names.empty();
    for (const flow_boundary& b : boundaries) any = any || b.is_inside;
    return any;
  }
};

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

}  // namespace osteon::solve
