#pragma once
/// @file
/// The shape of parts of an image: cortical and trabecular bone, for example.
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/morphometry/local_thickness.hpp>
#include <vector>

namespace osteon::job {

/// Thickness of a phase. @param phase 1 or 0, shape of where.owned @collective on where.comm
morphometry::thickness_statistics thickness_of(const grid::block& where, const std::vector<float>& phase,
                                               const vector3& spacing_mm);

/// That as an answer; null: the phase has no voxel.
nlohmann::ordered_json to_json(const morphometry::thickness_statistics& s);

/// What [[compartment]] asks for, by name: docs/morphometry.md. Nothing depends on the number of ranks.
/// @param solid 1 or 0, shape of part.where.owned
/// @throws data_error on all ranks if a compartment is all of the image, or two share voxels, of which none is total
/// @collective on part.where.comm @cost memory: 4 bytes a voxel of the rank's box for each label image, and 40 for a while
nlohmann::ordered_json measure_compartments(const spec& job, const local_model& part, const std::vector<float>& solid);

}  // namespace osteon::job
