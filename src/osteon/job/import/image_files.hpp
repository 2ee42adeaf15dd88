#pragma once
/// @file
/// The files that an image consists of, for its digest.
#include <string>
#include <vector>

namespace osteon::job {

/// Return true if a folder is an array or group of Zarr, whose chunks are files in folders of its own.
bool is_zarr(const std::string& folder);

/// The other files of an image: voxels that a MetaImage or NRRD header names, one by one, in a list or by a pattern; the
/// two halves of a raw image; further parts of an OME-TIFF; the description beside an exported array. Those that exist, in
/// a fixed order. Damaged headers name none: the reader reports the damage.
/// @collective local
std::vector<std::string> other_files_of(const std::string& path);

}  // namespace osteon::job
