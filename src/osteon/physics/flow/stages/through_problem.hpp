#pragma once
/// @file
/// The conditions of a flow job on its openings, in the form of the solvers.
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// The face of a [[boundary]], both faces of an axis, or the specified part; without the condition.
/// @param origin_mm of the image, z, y, x: origin of positions in the table @collective local
std::vector<flow_boundary> faces_of_table(const spec& job, std::size_t table, vector3 origin_mm);
/// The problem without labels (add_solid_labels). @param table_of [[boundary]] index of each condition
/// @collective local
through_problem make_through_problem(const spec& job, const local_model& part, std::vector<std::size_t>& table_of);
/// @param solver_options borrowed
through_options through_options_of(const numerics::options& solver_options);
/// Name of each condition: the face or label; repeated ones are numbered from the second on.
std::vector<std::string> names_of_openings(const spec& job, const through_problem& problem,
                                           const std::vector<std::size_t>& table_of);

}  // namespace osteon::physics
