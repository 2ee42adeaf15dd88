#pragma once
/// @file
/// What the steady and the transient flow between openings have in common: what is known before the solver, its units, and
/// what is read off an answer.
#include <osteon/base/log_sink.hpp>
#include <osteon/physics/flow/solver/openings/convection.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/opening_profiles.hpp>
#include <osteon/physics/flow/solver/openings/watched_cells.hpp>
#include <utility>

namespace osteon::physics {

/// A given flow rate that was changed so that the rates into a part of the fluid without an outlet balance.
struct balanced_opening {
  std::size_t boundary = 0;
  double given_mm3_per_s = 0, used_mm3_per_s = 0;  ///< into the part
};

/// What is known before the solver: parts of the fluid and what their conditions do.
struct through_outline {
  numbered_parts parts;
  std::vector<bool> keep;               ///< per run
  std::vector<std::int32_t> free_part;  ///< per run, see open_flow_cells; empty: none
  std::int32_t free_parts = 0;
  std::vector<opening_face> velocities;
  std::vector<balanced_opening> balanced;
  flow_counts counts;
};

/// @throws as check_flow_through @collective on problem.where.comm
through_outline survey_conditions(const through_problem& problem, const through_options& how);

/// The cells of a problem; tells what stands still and which pressures are free, and sets what a solution says of the
/// image. @collective on problem.where.comm
open_flow_cells begin_through(const through_problem& problem, const through_outline& known, through_solution& all,
                              log_sink& log);
/// Unknowns of all ranks. @collective
std::int64_t count_unknowns(const open_flow_cells& open);

/// From the solver's units to those of the answer.
struct flow_units {
  double length_mm = 1, velocity_mm_per_s = 1, pressure_Pa = 1, lowest_Pa = 0;
};

/// @collective local
flow_units units_of(const through_problem& problem, const flow_cells& cells, const std::vector<opening_face>& given);

/// Places in a vector over the four unknowns of the cells, and values.
using flow_entries = std::vector<std::pair<std::int64_t, double>>;

/// Given velocities by their place in the answer. @collective local
flow_entries given_velocities(const through_problem& problem, const open_flow_cells& open,
                              const std::vector<opening_face>& given, const flow_units& units, double multiple);
/// The right-hand side: given pressures and sliding walls. @collective local
flow_entries right_hand_side(const through_problem& problem, const open_flow_cells& open, const flow_units& units,
                             double multiple);

/// What passes the boundaries, of an answer with current ghosts. @collective
void find_boundary_flows(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                         const flow_units& units, through_flow& flow);
/// Force on the solid voxels. @param inertia after its subtract() of this answer; null: none @collective
void find_force(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                const flow_units& units, const flow_convection* inertia, through_flow& flow);
/// Shear stress of the walls: its mean and 95th percentile.
/// @param field of the fluid voxels, 0 where none has a wall; null: not wanted @collective
void find_wall_shear_of(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                        const flow_units& units, through_flow& flow, std::vector<float>* field);
/// Speeds and Reynolds numbers. @collective
void find_speeds(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                 const flow_units& units, const through_solution& all, through_flow& flow);
/// Velocity and pressure of all fluid voxels. @collective local
void set_through_fields(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                        const flow_units& units, double multiple, through_solution& all);
/// Values of the cells that somebody watches, if they are wanted. @param x velocities and pressures, ghosts current
/// @collective as the watch
void tell_watch(watched_cells& watched, const flow_moment& moment, const open_flow_cells& open, const std::vector<double>& x,
                const flow_units& units);
/// Velocities on both faces of each voxel along each axis; those of a face are one number for both of its voxels.
/// @collective local
std::vector<double> face_velocities(const through_problem& problem, const flow_cells& cells, const std::vector<double>& x,
                                    const flow_units& units);

}  // namespace osteon::physics
