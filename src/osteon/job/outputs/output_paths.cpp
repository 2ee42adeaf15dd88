#include <osteon/job/outputs/output_paths.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/json_text.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

std::string to_text(const json& document) {
  // Paths may contain invalid UTF-8, but a document must consist of valid UTF-8.
  return json_to_text(document, 2) + "\n";
}

output_paths::output_paths(const spec& job) {
  // Other programs treat a path with a leading dash as an option.
  const bool is_dashed = job.output_directory.starts_with('-');
  const std::filesystem::path base((is_dashed ? "./" : "") + job.output_directory);
  directory = base.string();
  model = (base / "model.nc").string();
  results = (base / "results.nc").string();
  vtkhdf = (base / "results.vtkhdf").string();
  xdmf = (base / "results.xdmf").string();
  picture = (base / "picture.png").string();
  cut = (base / "cut.png").string();
  summary = (base / "summary.json").string();
  manifest = (base / "manifest.json").string();
  report = (base / "report.html").string();
}

namespace fs = std::filesystem;

bool create_second_name(const std::string& results, const std::string& name, log_sink& log) {
  std::error_code failed;
  fs::remove(name, failed);  // this file is from an earlier job
  if (!failed) fs::create_hard_link(results, name, failed);
  if (!failed) return true;
  log.note(fmt::format(
      "no '{}': the file system does not support hard links ({}); for ParaView and PyVista, copy '{}' to this name", name,
      failed.message(), results));
  return false;
}

}  // namespace osteon::job
