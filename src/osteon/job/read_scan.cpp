#include <osteon/job/read_scan.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <osteon/base/error.hpp>
#include <osteon/io/npy.hpp>
#include <osteon/job/external.hpp>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// A folder of our own for the image on its way from the reader to us; gone when import is over.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (fs::temp_directory_path() / "osteon-import-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw machine_error(fmt::format("cannot make a temporary folder in '{}'; set TMPDIR to one with space",
                                      fs::temp_directory_path().string()));
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  std::string file(const char* name) const { return (fs::path(path_) / name).string(); }

 private:
  std::string path_;
};

}  // namespace

// The readers of the many image formats are Python packages, which are better kept than anything we would write.
scan read_scan(const std::string& path) {
  const scratch_folder scratch;
  const std::string file = scratch.file("image.npy");
  const program_result reader = run_program({python_interpreter(), "-m", "osteon.read_image", path, file});
  std::string text = reader.err;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (reader.exit_code == exit_code(error_kind::data)) throw data_error(text);
  if (reader.exit_code != 0)
    throw machine_error(fmt::format(
        "the image reader '{} -m osteon.read_image' failed with exit code {}: {}; run `./run setup`, or set OSTEON_PYTHON "
        "to a Python that has the osteon package",
        python_interpreter(), reader.exit_code, text));
  nlohmann::ordered_json facts = nlohmann::ordered_json::parse(reader.out, nullptr, false);
  if (facts.is_discarded())
    throw machine_error("the image reader did not describe the image that it read; its output is no JSON");
  return {io::read_npy(file), std::move(facts)};
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
      // A digit more than headers keep; of the origin a tenth of a voxel.
      const double edge = of_scan.value("spacing_mm", std::vector<double>(3, 1.0)).at(i % 3);
      const double limit = key == "direction" ? 2e-3 : key == "origin_mm" ? 0.1 * edge : 1e-3 * edge;
      if (std::abs(other.at(key).at(i).get<double>() - expected.at(i).get<double>()) > limit)
        throw data_error(
            fmt::format("'{}' does not lie on the scan: its {} is {}, that of the scan {}; make it of the same scan by the "
                        "same program, or save it as .npy if only its header is wrong",
                        path, key, other.at(key).dump(), expected.dump()));
    }
  }
}

}  // namespace osteon::job
