#pragma once
/// @file
/// The conditions of a flow job on its openings, as the solvers take them.
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// The face of a [[boundary]], or both of an axis, or the part of them that it names; without what happens there.
/// @param origin_mm of the image, z, y, x: the table speaks of places from there @collective local
std::vector<flow_boundary> faces_of_table(const spec& job, std::size_t table, vector3 origin_mm);
/// Without its labels (add_solid_labels). @param table_of [[boundary]] of each of its conditions @collective local
through_problem make_through_problem(const spec& job, const local_model& part, std::vector<std::size_t>& table_of);
/// @param how borrowed
through_options through_options_of(const numerics::options& how);
/// By condition: the face or label, and from the second condition on one of these on a number.
std::vector<std::string> names_of_openings(const spec& job, const through_problem& problem,
                                           const std::vector<std::size_t>& table_of);

}  // namespace osteon::physics
