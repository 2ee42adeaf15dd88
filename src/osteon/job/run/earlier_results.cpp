#include <osteon/job/run/earlier_results.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <regex>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// Names that results have, also those of one cluster of several. Files of the user that lie among them stay.
bool is_result(const std::string& name) {
  static const std::regex ours(
      R"(results(\.[0-9]+)?\.(nc|xdmf)|results\.vtkhdf\.series|steps|summary\.json|manifest\.json|scene\.json|)"
      R"(sets\.nrrd|picture(_labelled)?\.png|report\.html|)"
      R"(frame_([0-9]+_)?[0-9]{6,}\.png|connectivity_(6|26))");
  return std::regex_match(name, ours);
}

bool is_of_source(const spec& job, const std::string& name) {
  for (const std::string& file : source_of(job).further_results())
    if (fs::path(file).filename().string() == name) return true;
  return false;
}

bool is_worth_keeping(const fs::path& folder) {
  std::error_code failed;
  bool has_results = false;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    has_results |= name.starts_with("results.") && name.ends_with(".nc");
  }
  if (!has_results) return false;
  std::ifstream file(folder / "summary.json");
  const auto summary = nlohmann::json::parse(file, nullptr, false);
  return !summary.is_object() || summary.value("status", "") != "not converged";
}

fs::path first_free(const std::string& stem) {
  std::error_code ignored;
  for (int n = 1;; ++n)
    if (fs::path path = fmt::format("{}.{}", stem, n); !fs::exists(fs::symlink_status(path, ignored))) return path;
}

}  // namespace

earlier_results::earlier_results(const spec& job, log_sink& log) {
  const fs::path folder(output_paths(job).directory);
  if (!is_worth_keeping(folder)) return;
  home_ = folder.string();
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename().string(); is_result(name) || is_of_source(job, name))
      old.push_back(entry.path());

  // Beside the folder. Inside it, where it is the working directory, a file system of its own, or in a place that is not
  // ours.
  const fs::path plain = folder.has_filename() ? folder : folder.parent_path();
  const bool has_name = plain.has_filename() && plain.filename() != "." && plain.filename() != "..";
  std::vector<fs::path> places;
  if (has_name) places.push_back(first_free(plain.string()));
  places.push_back(first_free((folder / "earlier").string()));
  std::error_code failed;
  for (const fs::path& place : places) {
    failed.clear();
    if (!fs::create_directory(place, failed)) continue;
    place_ = place.string();
    for (const fs::path& from : old) {
      const fs::path to = place / from.filename();
      fs::rename(from, to, failed);
      if (failed) break;
      moved_.emplace_back(from.string(), to.string());
    }
    if (!failed) {
      log.note(fmt::format("the results of an earlier job are kept in '{}' (--force would replace them)", place_));
      return;
    }
    put_back();
  }
  throw machine_error(
      fmt::format("cannot keep the results of an earlier job in '{}': {}; choose another directory by --output, or --force "
                  "to replace them",
                  folder.string(), failed.message()));
}

void earlier_results::put_back() noexcept {
  std::error_code ignored;
  if (!moved_.empty()) {  // what this job has left, frames for example, is of no use without its results
    std::vector<fs::path> left;
    for (fs::directory_iterator entry(home_, ignored), end; !ignored && entry != end; entry.increment(ignored))
      if (is_result(entry->path().filename().string())) left.push_back(entry->path());
    for (const fs::path& path : left) fs::remove_all(path, ignored);
  }
  for (const auto& [from, to] : moved_) fs::rename(to, from, ignored);
  if (!place_.empty()) fs::remove(place_, ignored);  // if it is empty
  moved_.clear();
  place_.clear();
}

}  // namespace osteon::job
