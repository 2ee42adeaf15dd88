#include <osteon/job/import/read_scan.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/io/images/chunk_decoder.hpp>
#include <osteon/io/images/stored_image.hpp>
#include <osteon/io/npy.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/subprocess.hpp>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// Temporary file that passes the image from the reader to this process. The file has no name, so that the system removes the
// file at any exit of the process.
class scratch_file {
 public:
  scratch_file() {
    std::error_code unknown;
    folder_ = fs::temp_directory_path(unknown).string();
    if (unknown) folder_ = std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp";
    file_ = open(folder_.c_str(), O_TMPFILE | O_RDWR, 0600);  // the reader inherits the file descriptor
    if (file_ >= 0) return;
    std::string name = (fs::path(folder_) / "osteon-import-XXXXXX").string();  // for file systems without O_TMPFILE
    file_ = mkstemp(name.data());
    if (file_ < 0)
      fault_ = fmt::format("cannot create a temporary file in '{}': {}; set TMPDIR to a folder with free space", folder_,
                           std::strerror(errno));
    else
      unlink(name.c_str());
  }
  ~scratch_file() {
    if (file_ >= 0) close(file_);
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  const std::string& folder() const { return folder_; }
  /// Path of the file; empty if the file could not be created, which only images that need a copy require.
  std::string path() const { return file_ < 0 ? "" : fmt::format("/proc/self/fd/{}", file_); }
  const std::string& fault() const { return fault_; }

 private:
  std::string folder_, fault_;
  int file_ = -1;
};

std::string trimmed_end(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Codecs of the images that this program reads from their own files.
std::vector<std::string> codecs_read_in_place() {
  std::vector<std::string> codecs{"zlib", "gzip", "crc32c", "shuffle"};
  if (io::zarr::can_read_zstd()) codecs.emplace_back("zstd");
  return codecs;
}

}  // namespace

nlohmann::ordered_json run_image_program(const std::string& program, const std::vector<std::string>& arguments,
                                         const stop_query& is_to_stop,
                                         const std::function<void(const program_result&)>& check) {
  std::vector<std::string> call = python_command({"-m", "osteon.images." + program});
  call.insert(call.end(), arguments.begin(), arguments.end());
  const program_result reader = run_program(call, is_to_stop);
  if (check) check(reader);
  const std::string text = trimmed_end(reader.err);
  if (reader.exit_code == exit_code(error_kind::data)) throw data_error(text);
  require_python_packages(reader);
  auto facts = json_from_text<nlohmann::ordered_json>(reader.out);
  if (reader.exit_code != 0 || !facts.is_object())
    throw machine_error(
        fmt::format("the image reader '{} -m osteon.images.{}' failed with exit code {}: {}; run `./run setup`, or set "
                    "OSTEON_PYTHON to a Python with the osteon package",
                    call.front(), program, reader.exit_code, text));
  return facts;
}

nlohmann::ordered_json steps_of(const spec& job, image_role role) {
  using json = nlohmann::ordered_json;
  if (job.image.steps.empty()) return nullptr;
  json steps = json::array();
  for (const image_step_spec& s : job.image.steps) {
    json& step = steps.emplace_back(json{{"kind", s.kind.name()}});
    if (s.sigma_mm) step["sigma_mm"] = *s.sigma_mm;
    if (s.sigma_voxels) step["sigma_voxels"] = *s.sigma_voxels;
    const bool is_local = s.kind == image_filter::local_threshold;
    if (s.kind == image_filter::median || s.kind == image_filter::close || s.kind == image_filter::open || is_local)
      step["radius_voxels"] = s.radius_voxels;
    if (is_local) step["method"] = s.method.name();
    for (const auto& [key, value] : {std::pair{"weight", s.weight},
                                     {"contrast", s.contrast},
                                     {"low", s.low},
                                     {"high", s.high},
                                     {"epsilon", s.epsilon},
                                     {"cutoff", s.cutoff}})
      if (value) step[key] = *value;
    if (s.spacing_mm) step["spacing_mm"] = *s.spacing_mm;
    if (s.kind == image_filter::resample) step["interpolation"] = s.interpolation.name();
    if (!s.voxels.empty()) step["voxels"] = s.voxels;
    if (!s.ranges.empty()) step["ranges"] = s.ranges;
  }
  return {{"steps", steps},
          {"spacing_mm", job.image.spacing_mm ? json(*job.image.spacing_mm) : json(nullptr)},
          {"overlay", role == image_role::overlay}};
}

void apply_steps_to_shape(const spec& job, index3& shape, vector3& spacing_mm) {
  for (const image_step_spec& s : job.image.steps)
    for (int a = 0; a < 3; ++a) {
      const auto i = static_cast<std::size_t>(a);
      if (s.kind == image_filter::crop) {
        shape[a] = std::max<std::int64_t>(std::min(shape[a], s.voxels[i][1]) - s.voxels[i][0], 1);
      } else if (s.kind == image_filter::resample) {
        const double length = static_cast<double>(shape[a]) * spacing_mm[a];
        if (spacing_mm[a] > 0) shape[a] = std::max<std::int64_t>(std::llrint(length / (*s.spacing_mm)[i]), 1);
        spacing_mm[a] = (*s.spacing_mm)[i];
      }
    }
}

// The reader is a Python program, because maintained Python packages exist for the image formats.
scan read_scan(const std::string& path, const spec& job, image_role role, const stop_query& is_to_stop,
               const nlohmann::ordered_json& grid, const std::string& sha256) {
  const std::string during = fmt::format("reading '{}'", path);
  const scratch_file scratch;  // stays empty if the image is read from its own files
  const std::string file = scratch.path();
  std::vector<std::string> arguments{path, file};
  nlohmann::ordered_json changes = steps_of(job, role);
  if (job.image.accept_fill_value) changes["accept_fill_value"] = true;
  if (!sha256.empty()) changes["sha256"] = sha256;
  if (grid.contains("direction")) changes["direction"] = grid.at("direction");
  changes["in_place"] = codecs_read_in_place();
  arguments.push_back(json_to_text(changes));
  scan result;
  result.facts = run_image_program("read_image", arguments, is_to_stop, [&](const program_result& reader) {
    stop_if_requested(is_to_stop, job, during);
    if (!scratch.fault().empty() && reader.exit_code == exit_code(error_kind::machine)) throw machine_error(scratch.fault());
    const auto at =
        file.empty() ? std::string::npos : reader.err.find(file);  // the reader prints this name only if the disk is full
    if (at == std::string::npos || reader.exit_code == exit_code(error_kind::data)) return;
    throw machine_error(
        fmt::format("{}, in the temporary folder '{}'; set TMPDIR to a folder with enough space for the image",
                    trimmed_end(reader.err).replace(at, file.size(), "the image"), scratch.folder()));
  });
  const auto stored = result.facts.find("stored");
  result.image = stored == result.facts.end() ? io::open_npy(file) : io::open_stored_image(*stored);
  stop_if_requested(is_to_stop, job, during);
  return result;
}

nlohmann::ordered_json grid_of(const nlohmann::ordered_json& facts) {
  nlohmann::ordered_json grid = nlohmann::ordered_json::object();
  for (const char* key : {"direction", "spacing_mm", "origin_mm"})
    if (facts.contains(key) && !facts.at(key).is_null()) grid[key] = facts.at(key);
  return grid;
}

void require_same_grid(const nlohmann::ordered_json& of_scan, const nlohmann::ordered_json& facts, const std::string& path) {
  const nlohmann::ordered_json other = grid_of(facts);
  for (const auto& [key, expected] : of_scan.items()) {
    if (!other.contains(key)) continue;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // The tolerances exceed the rounding of headers. The tolerance of the origin is a tenth of a voxel.
      const double edge = of_scan.value("spacing_mm", std::vector<double>(3, 1.0)).at(i % 3);
      const double limit = key == "direction" ? 2e-3 : key == "origin_mm" ? 0.1 * edge : 1e-3 * edge;
      if (std::abs(other.at(key).at(i).get<double>() - expected.at(i).get<double>()) > limit)
        throw data_error(
            fmt::format("'{}' is not aligned with the scan: {} is {}, but {} in the scan; create this image from the same "
                        "scan with the same program, or save it as .npy if only the header is wrong",
                        path, key, json_to_text(other.at(key)), json_to_text(expected)));
    }
  }
}

}  // namespace osteon::job
