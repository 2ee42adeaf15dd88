#pragma once
/// @file
/// Image files of a job: paths, accompanying files, fingerprints and faults.
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Path of a file named by a job; relative paths are relative to the job file.
std::string absolute_path(const spec& job, const std::string& name);

/// Path of the image of a job.
std::string image_path(const spec& job);

/// An image file and the key that names it.
struct named_file {
  std::string key, path;
};
/// All image files of a job; the scan is the first.
std::vector<named_file> image_files_of(const spec& job);

/// Return true if a job has one image in one regular file. The image digest is then the SHA-256 of this file.
bool is_one_file(const spec& job);

/// Return the faults of the image files of a job that can be detected without reading them completely; `where` is the key.
std::vector<problem> check_image_files(const spec& job);

/// Fingerprint of an image: digests of its files; names, sizes and times of the files of a folder.
/// @param poll called periodically while files are read; it may throw @collective local
std::string fingerprint(const std::string& path, const std::function<void()>& poll);

}  // namespace osteon::job
