#pragma once
/// @file
/// Valid but improbable values of keys. Examples are percentages instead of fractions, moduli in Pa or GPa, and strains
/// beyond linear elasticity. The file also detects spellings of earlier versions. `osteon check`, `osteon run` and the
/// Python package print warnings about such values.
#include <array>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/material.hpp>
#include <osteon/voxel/model.hpp>
#include <utility>

namespace osteon::job {

/// Return warnings about the keys of a job. `where` contains the key.
std::vector<problem> doubts(const spec& job);

/// Return warnings that depend on the size of the image (z, y, x), for example about displacements that are large relative
/// to the size.
std::vector<problem> doubts_of_size(const spec& job, const vector3& spacing_mm, index3 shape);

/// Return warnings about moduli from a density law or from an image of moduli. @param materials materials of the model;
/// materials[0] is empty space
std::vector<problem> doubts_of_moduli(const spec& job, const voxel::material_table& materials);

/// Return warnings about the fraction of solid voxels. The warnings are for no solid voxels, for only solid voxels, and for
/// a large part that segment.keep has removed.
/// @param provenance_json provenance of a model
std::vector<problem> doubts_of_segmentation(const spec& job, const std::string& provenance_json, index3 shape);

/// Return warnings about the fraction of solid voxels in a sample. @param low, high range of the grey values
/// @param of_what description of the sampled voxels, for example "of the 500 sampled voxels"
std::vector<problem> doubts_of_share(const spec& job, double share, double low, double high, const std::string& of_what);

/// Return all warnings about an imported model. The warnings are about size, moduli and segmentation.
std::vector<problem> doubts_of_model(const spec& job, const voxel::model_header& header);

/// Format a warning as one line of the form `key: text`.
std::string line_of(const problem& doubt);

/// Print the warnings about the keys of a job. Each line begins with the name of the job file.
void warn_of_doubts(const spec& job, log_sink& log);

}  // namespace osteon::job
