#pragma once
/// @file
/// Valid but improbable values of keys: percent written as a fraction, moduli in Pa or GPa, strains beyond linear
/// elasticity; and spellings of earlier versions. `osteon check`, `osteon run` and Python print them as warnings.
#include <array>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/material.hpp>
#include <osteon/voxel/model.hpp>
#include <utility>

namespace osteon::job {

/// Doubts about the keys of a job. @return `where` is the key
std::vector<problem> doubts(const spec& job);

/// Doubts that depend on the size of the image, z, y, x: displacements as strains, voxels of a metre.
std::vector<problem> doubts_of_size(const spec& job, const vector3& spacing_mm, index3 shape);

/// Doubts about moduli from a density law or an image of moduli. @param materials of the model, [0] is empty space
std::vector<problem> doubts_of_moduli(const spec& job, const voxel::material_table& materials);

/// Doubts about the share of solid voxels: none, all, or a large part removed by segment.keep.
/// @param provenance_json of a model; without a segmentation there are no doubts
std::vector<problem> doubts_of_segmentation(const spec& job, const std::string& provenance_json, index3 shape);

/// The same for a sample: the share of its solid voxels, and the range of its grey values.
std::vector<problem> doubts_of_share(const spec& job, double share, double low, double high, const std::string& of_what);

/// All doubts about an imported model: its size, its moduli, its segmentation.
std::vector<problem> doubts_of_model(const spec& job, const voxel::model_header& header);

/// A doubt as one line, `key: text`.
std::string line_of(const problem& doubt);

/// Print the doubts about the keys of a job, each preceded by the name of its file.
void warn_of_doubts(const spec& job, log_sink& log);

}  // namespace osteon::job
