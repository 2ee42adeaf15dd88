#include <osteon/job/outputs/output_paths.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

std::string to_text(const json& document) {
  // Paths need not be valid UTF-8; a document must.
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

output_paths::output_paths(const spec& job) {
  const std::filesystem::path base(job.output_directory);
  directory = base.string();
  model = (base / "model.nc").string();
  results = (base / "results.nc").string();
  xdmf = (base / "results.xdmf").string();
  picture = (base / "picture.png").string();
  cut = (base / "cut.png").string();
  summary = (base / "summary.json").string();
  manifest = (base / "manifest.json").string();
  report = (base / "report.html").string();
}

}  // namespace osteon::job
