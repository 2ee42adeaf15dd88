#pragma once
/// @file
/// Functions that steady and transient flow between openings use: preparation, units, and evaluation of a solution.
#include <osteon/base/log_sink.hpp>
#include <osteon/physics/flow/solver/openings/convection.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/opening_profiles.hpp>
#include <osteon/physics/flow/solver/openings/watched_cells.hpp>
#include <utility>

namespace osteon::physics {

/// A given flow rate that is adjusted. The adjustment balances the rates into a part of the fluid without an outlet.
struct balanced_opening {
  std::size_t boundary = 0;
  double given_mm3_per_s = 0, used_mm3_per_s = 0;  ///< rates into the part
};

/// Data that are known before the solution: parts of the fluid, and the conditions of these parts.
struct through_outline {
  numbered_parts parts;
  std::vector<bool> keep;               ///< for each run of cells
  std::vector<std::int32_t> free_part;  ///< for each run of cells (open_flow_cells); empty: there is no such part
  std::int32_t free_parts = 0;
  std::vector<opening_face> velocities;
  std::vector<balanced_opening> balanced;
  flow_counts counts;
};

/// @throws errors of check_flow_through @collective on problem.where.comm
through_outline validate_conditions(const through_problem& problem, const through_options& options);

/// Create the cells of a problem. The function logs stagnant parts and undetermined pressures, and sets the properties of
/// the image in a solution.
/// @collective on problem.where.comm
open_flow_cells begin_through(const through_problem& problem, const through_outline& known, through_solution& all,
                              log_sink& log);
/// Number of unknowns on all ranks. @collective
std::int64_t count_unknowns(const open_flow_cells& open);

/// Conversion from units of the solver to units of the solution.
struct flow_units {
  double length_mm = 1, velocity_mm_per_s = 1, pressure_Pa = 1, lowest_Pa = 0;
};

/// @collective local
flow_units units_of(const through_problem& problem, const flow_cells& cells, const std::vector<opening_face>& given);

/// Entries of a vector of the four unknowns of the cells. An entry consists of a position and a value.
using flow_entries = std::vector<std::pair<std::int64_t, double>>;

/// Given velocities, and their positions in the solution. @collective local
flow_entries given_velocities(const through_problem& problem, const open_flow_cells& open,
                              const std::vector<opening_face>& given, const flow_units& units, double multiple);
/// The right-hand side of given pressures and sliding walls. @collective local
flow_entries right_hand_side(const through_problem& problem, const open_flow_cells& open, const flow_units& units,
                             double multiple);

/// Compute the results at the boundaries of a solution. The ghosts of the solution must be current. @collective
void find_boundary_flows(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                         const flow_units& units, through_flow& flow);
/// Compute the force on the solid voxels. @param inertia convection after subtract() for this solution; null: the flow is
/// creeping @collective
void find_force(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                const flow_units& units, const flow_convection* inertia, through_flow& flow);
/// Compute the mean and the 95th percentile of the wall shear stress.
/// @param field values in the fluid voxels, 0 in voxels without a wall; null: not requested @collective
void find_wall_shear_of(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                        const flow_units& units, through_flow& flow, std::vector<float>* field);
/// Compute speeds and Reynolds numbers. @collective
void find_speeds(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                 const flow_units& units, const through_solution& all, through_flow& flow);
/// Set velocity and pressure of all fluid voxels. @collective local
void set_through_fields(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                        const flow_units& units, double multiple, through_solution& all);
/// Pass the values of the observed cells to the watch, if the watch requests values. @param x velocities and pressures with
/// current ghosts
/// @collective in the same way as the watch
void report_to_observer(watched_cells& watched, const flow_moment& moment, const open_flow_cells& open,
                        const std::vector<double>& x, const flow_units& units);
/// Velocities on the two faces of each voxel along each axis. Adjacent voxels have equal values on their common face.
/// @collective local
std::vector<double> face_velocities(const through_problem& problem, const flow_cells& cells, const std::vector<double>& x,
                                    const flow_units& units);

}  // namespace osteon::physics
