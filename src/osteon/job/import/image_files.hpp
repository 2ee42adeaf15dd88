#pragma once
/// @file
/// Image files of a job: paths, accompanying files, fingerprints and faults.
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Path of a file named by a job. A relative path is relative to the folder of the job file.
std::string absolute_path(const spec& job, const std::string& name);

/// Path of the image of a job.
std::string image_path(const spec& job);

/// An image file, and the key of the job that names this file.
struct named_file {
  std::string key, path;
};
/// All image files of a job; the scan is the first.
std::vector<named_file> image_files_of(const spec& job);

/// Return true if a job has one image in one regular file. In this case the image digest is the SHA-256 of the file.
bool is_one_file(const spec& job);

/// Return the faults of a job's image files that are detectable without reading the files completely. `where` is the key.
std::vector<problem> check_image_files(const spec& job);

/// Fingerprint of an image: the digests of its files, or, for a folder, the names, sizes and times of the files.
/// @param poll called periodically while files are read; it may throw @collective local
std::string fingerprint(const std::string& path, const std::function<void()>& poll);

}  // namespace osteon::job
