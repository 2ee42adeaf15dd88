#pragma once
/// @file
/// Labelled solid voxels of a flow job. The labels select the solid voxels for reported forces, or are openings and walls
/// inside the image.
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// The label image of a flow job, and the labels that the job uses. The labels of flow.force_labels are first. If the job
/// uses no labels, the list is empty.
std::vector<wanted_labels> labels_of_flow(const spec& job);

/// A label as a key of summary.json.
std::string name_of_label(double label);

/// Add labelled voxels to a problem. Remove the voxels of openings from the fluid, because labels and fluid may belong to
/// different images. @param table_of index of the table [[boundary]] for each condition
/// @throws data_error if the labels cannot be read @collective on part.where.comm
void add_solid_labels(const spec& job, const local_model& part, const std::vector<std::size_t>& table_of,
                      through_problem& problem);

}  // namespace osteon::physics
