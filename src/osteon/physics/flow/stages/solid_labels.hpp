#pragma once
/// @file
/// Solid voxels that a flow job tells apart: by a label for their share of the force, or as openings and walls inside the
/// image.
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// The image that holds the labels of a flow job, and the labels that it speaks of: first those of flow.force_labels. None:
/// nothing is asked for.
std::vector<wanted_labels> labels_of_flow(const spec& job);

/// A label as a key of summary.json.
std::string name_of_label(double label);

/// Give a problem its labelled voxels, and take those of openings from the fluid: the labels may be of another image than
/// that which says what is fluid. @param table_of [[boundary]] of each of its conditions
/// @throws data_error if the labels cannot be read @collective on part.where.comm
void add_solid_labels(const spec& job, const local_model& part, const std::vector<std::size_t>& table_of,
                      through_problem& problem);

}  // namespace osteon::physics
