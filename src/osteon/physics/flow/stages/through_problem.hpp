#pragma once
/// @file
/// The conditions of a flow job on openings, in the types that the solvers use.
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Return the faces of a table [[boundary]] without the condition. The faces are one face, both faces of an axis, or the
/// given part of a face.
/// @param origin_mm position of the image (z, y, x), which is the origin of positions in the table @collective local
std::vector<flow_boundary> faces_of_table(const spec& job, std::size_t table, vector3 origin_mm);
/// Create the problem without labels (add_solid_labels). @param table_of index of the table [[boundary]] for each condition
/// @collective local
through_problem make_through_problem(const spec& job, const local_model& part, std::vector<std::size_t>& table_of);
/// @param solver_options borrowed
through_options through_options_of(const numerics::options& solver_options);
/// Name of each condition. The name is that of a face or label. If a name occurs several times, its occurrences are numbered
/// from the second occurrence on.
std::vector<std::string> names_of_openings(const spec& job, const through_problem& problem,
                                           const std::vector<std::size_t>& table_of);

}  // namespace osteon::physics
