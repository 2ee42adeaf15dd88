#include <osteon/job/adapters/read_job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// File name extensions of images. A user may name such an image instead of a job file. A pattern of file names also means an
// image.
bool is_image_name(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* ending :
       {".tif", ".tiff", ".nrrd", ".nhdr", ".nii", ".nii.gz", ".mha", ".mhd", ".aim",  ".isq", ".inv3", ".npy",
        ".npz", ".raw",  ".vol",  ".vgi",  ".dcm", ".png",    ".bmp", ".h5",  ".hdf5", ".he5", ".mgz",  ".mgh"})
    if (name.ends_with(ending)) return true;
  return false;
}

}  // namespace

spec read_job(const std::string& path, const reader_options& options, std::vector<problem>& problems,
              const std::vector<std::string>& changes) {
  std::error_code failed;
  if (const bool is_folder = fs::is_directory(path, failed); is_folder || is_image_name(path)) {
    problems.push_back({path, fmt::format("is {}, not a job file; create a job file with `osteon new '{}'`",
                                          is_folder ? "a folder" : "an image", path)});
    spec nothing;
    nothing.file = path;
    return nothing;
  }
  for (const job_reader* reader : all_readers())
    if (reader->matches(path)) return reader->read(path, options, changes, problems);
  if (options.any())
    problems.push_back(
        {path, "--units, --index-base and --io text-serial apply to VOX-FE scripts only; remove these options"});
  return read_spec(path, problems, changes);
}

spec read_job(const std::string& path, const reader_options& options, const std::vector<std::string>& changes) {
  std::vector<problem> problems;
  spec job = read_job(path, options, problems, changes);
  if (!problems.empty()) throw usage_error(join(problems));
  return job;
}

}  // namespace osteon::job
