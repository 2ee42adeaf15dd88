#pragma once
/// @file
/// The conditions of a flow job on openings, in the types used by the solvers.
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Return the faces of a [[boundary]], without the condition: one face, both faces of an axis, or the specified part of
/// the face.
/// @param origin_mm z, y, x of the image: origin of positions in the table @collective local
std::vector<flow_boundary> faces_of_table(const spec& job, std::size_t table, vector3 origin_mm);
/// Create the problem without labels (see add_solid_labels). @param table_of [[boundary]] index of each condition
/// @collective local
through_problem make_through_problem(const spec& job, const local_model& part, std::vector<std::size_t>& table_of);
/// @param solver_options borrowed
through_options through_options_of(const numerics::options& solver_options);
/// Name of each condition: the face or label. Repeated names are numbered from the second occurrence.
std::vector<std::string> names_of_openings(const spec& job, const through_problem& problem,
                                           const std::vector<std::size_t>& table_of);

}  // namespace osteon::physics
