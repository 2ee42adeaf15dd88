#pragma once
/// @file
/// Image files, read by the Python package osteon.images.
#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// An image in its own files or in a temporary file, and the metadata of the original file.
struct scan {
  voxel::image_planes image;
  /// Keys: format, spacing_mm, origin_mm, direction, unit, calibration, sha256; after image steps also file_spacing_mm.
  nlohmann::ordered_json facts;
};

/// Role of an image: the scan, or an overlay. Only steps that move voxels (crop, resample) apply to overlays.
enum class image_role { scan, overlay };

/// Read an image file or folder by the Python readers, and apply the steps of the job ([[image.step]]). Images of .npy, raw,
/// Zarr and HDF5 without steps are not copied: the result reads their files.
/// @throws data_error if the format is unknown, machine_error if the readers cannot run, interrupted_error
/// @collective local
/// @param grid for an overlay: `grid_of` of the scan. Axes of the overlay that are opposite to the axes of the scan are
/// reversed.
/// @param sha256 known digest of an image that is one file; empty: the reader computes the digest
scan read_scan(const std::string& path, const spec& job, image_role role, const stop_query& is_to_stop = {},
               const nlohmann::ordered_json& grid = {}, const std::string& sha256 = {});

/// Run a program of osteon.images and return the JSON object that it prints.
/// @param program read_image, look_at_image or sample_image @param arguments command-line arguments of the program
/// @param check called when the program ends, before its exit code is examined; it may throw
/// @throws data_error with the text of the program if the format is unknown, machine_error if the program fails @collective
/// local
nlohmann::ordered_json run_image_program(const std::string& program, const std::vector<std::string>& arguments,
                                         const stop_query& is_to_stop = {},
                                         const std::function<void(const program_result&)>& check = {});

/// Return the steps of a job in the format of the readers; null if there are none.
nlohmann::ordered_json steps_of(const spec& job, image_role role);

/// Apply the steps of a job to the shape and spacing of an image. @param spacing 0 where unknown
void apply_steps_to_shape(const spec& job, index3& shape, vector3& spacing_mm);

/// Return direction, spacing and origin from the file of a scan, for the provenance of the model.
nlohmann::ordered_json grid_of(const nlohmann::ordered_json& facts);

/// Reject an overlay (labels, moduli) if its position differs from the position of the scan. Equal shapes are not
/// sufficient: converters flip axes. The function compares only data that both files contain.
/// @param of_scan grid_of the scan
/// @throws data_error @collective local
void require_same_grid(const nlohmann::ordered_json& of_scan, const nlohmann::ordered_json& facts, const std::string& path);

}  // namespace osteon::job
