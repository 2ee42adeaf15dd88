#pragma once
/// @file
/// Images as users have them.
#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// An image, in a temporary file from which its planes are read, and what its file says about it.
struct scan {
  voxel::image_planes image;
  /// format, spacing_mm, origin_mm, direction, unit, calibration, sha256; after steps: these, and file_spacing_mm
  nlohmann::ordered_json facts;
};

/// Whether an image is the scan, or is laid over it: of the job's steps the latter takes those that move voxels only.
enum class image_role { scan, overlay };

/// Read an image file or folder by the Python readers, and carry out the job's steps ([[image.step]]).
/// @throws data_error if it is no image that they know, machine_error if they cannot be run, interrupted_error
/// @collective local
/// @param grid of an overlay: `grid_of` the scan; the overlay's axes are reversed where they point against those of the scan
/// @param sha256 of the image, if it is one file whose digest is known; empty: the reader computes it
scan read_scan(const std::string& path, const spec& job, image_role role, const stop_query& is_to_stop = {},
               const nlohmann::ordered_json& grid = {}, const std::string& sha256 = {});

/// What a program of osteon.images prints of an image, an object. Its exit code is looked at here.
/// @param program read_image, look_at_image or sample_image @param words its arguments
/// @param check called when it ends, before its exit code is looked at; it may throw
/// @throws data_error with its text if it is no image that they know, machine_error if it fails @collective local
nlohmann::ordered_json facts_by(const std::string& program, const std::vector<std::string>& words,
                                const stop_query& is_to_stop = {},
                                const std::function<void(const program_result&)>& check = {});

/// The steps of a job as the readers take them; null: there are none.
nlohmann::ordered_json steps_of(const spec& job, image_role role);

/// Shape and spacing that an image has after the job's steps. @param spacing 0 where it is not known
void take_steps(const spec& job, index3& shape, vector3& spacing_mm);

/// What a scan's file states of where its voxels lie; kept in the provenance of the model.
nlohmann::ordered_json grid_of(const nlohmann::ordered_json& facts);

/// Refuse an image that is laid over a scan (labels, moduli) but lies elsewhere. Equal shapes are not enough: converters
/// flip axes. Only what both files state is compared.
/// @param of_scan grid_of the scan
/// @throws data_error @collective local
void require_same_grid(const nlohmann::ordered_json& of_scan, const nlohmann::ordered_json& facts, const std::string& path);

}  // namespace osteon::job
