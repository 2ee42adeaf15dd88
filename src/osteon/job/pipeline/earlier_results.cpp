#include <osteon/job/pipeline/earlier_results.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/base/text_pattern.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/output_paths.hpp>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// Return true if a file name is a name of results. Such names include the results of one of several clusters. Files of the
// user remain in the folder.
bool is_result(const std::string& name) {
  static const text_pattern result_name(
      R"(results(\.[0-9]+)?\.(nc|vtkhdf|xdmf)|results\.vtkhdf\.series|steps|summary\.json|manifest\.json|scene\.json|sets\.nrrd|)"
      R"(picture(_labelled)?\.png|report\.html|)"
      R"(frame_([0-9]+_)?[0-9]{6,}\.png|connectivity_(6|26))");
  return !result_name.match(name).empty();
}

bool is_of_source(const spec& job, const std::string& name) {
  for (const std::string& file : source_of(job).further_results())
    if (fs::path(file).filename().string() == name) return true;
  return false;
}

bool contains_results(const fs::path& folder) {
  std::error_code failed;
  bool has_results = false;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    has_results |= name.starts_with("results.") && name.ends_with(".nc");
  }
  if (!has_results) return false;
  const auto summary = json_from_file<nlohmann::json>((folder / "summary.json").string());
  return !summary.is_object() || summary.value("status", "") != "not converged";
}

fs::path first_free(const std::string& stem) {
  std::error_code ignored;
  for (int n = 1;; ++n)
    if (fs::path path = fmt::format("{}.{}", stem, n); !fs::exists(fs::symlink_status(path, ignored))) return path;
}

}  // namespace

earlier_results::earlier_results(const spec& job, log_sink& log) : log_(&log) {
  const fs::path folder(output_paths(job).directory);
  if (!contains_results(folder)) return;
  home_ = folder;
  std::vector<fs::path> old;
  for (const auto& found : fs::directory_iterator(folder))
    if (const std::string name = found.path().filename().string(); is_result(name) || is_of_source(job, name))
      old.push_back(found.path());

  // The new folder is next to the folder. If the folder is the working directory or a mount point, or if the parent folder
  // is not writable, the new folder is inside the folder.
  const fs::path plain = folder.has_filename() ? folder : folder.parent_path();
  const bool has_name = plain.has_filename() && plain.filename() != "." && plain.filename() != "..";
  std::vector<fs::path> places;
  if (has_name) places.push_back(first_free(plain.string()));
  places.push_back(first_free((folder / "earlier").string()));
  std::error_code failed;
  std::string left_behind;
  for (const fs::path& place : places) {
    failed.clear();
    if (!fs::create_directory(place, failed)) continue;
    place_ = place;
    if (move_to(place, old, failed)) {
      log.note(fmt::format("moved the results of an earlier job to '{}' (replace results with --force)", place_.string()));
      return;
    }
    if (const std::size_t lost = undo(); lost > 0) {
      left_behind =
          fmt::format("; {} of {} files could not be restored and remain in '{}'", lost, old.size(), place.string());
      break;
    }
  }
  throw machine_error(
      fmt::format("cannot move the results of an earlier job in '{}': {}{}; choose another directory with --output, or "
                  "replace the results with --force",
                  folder.string(), failed.message(), left_behind));
}

// All second names are created in the new folder before any first name is removed. Folders, and files on file systems
// without hard links, are renamed first, because a rename can fail.
bool earlier_results::move_to(const fs::path& place, const std::vector<fs::path>& old, std::error_code& failed) {
  for (const fs::path& from : old) {
    entry it{from, place / from.filename()};
    std::error_code unlinked;
    if (!fs::is_directory(fs::symlink_status(from, unlinked))) {
      fs::create_hard_link(from, it.to, unlinked);
      it.has_both_names = !unlinked;
    }
    moved_.push_back(std::move(it));
  }
  for (const bool linked : {false, true}) {
    for (entry& it : moved_) {
      if (it.has_both_names != linked) continue;
      if (linked)
        fs::remove(it.from, failed);
      else
        fs::rename(it.from, it.to, failed);
      if (failed) return false;
      it.is_moved = true;
    }
  }
  return true;
}

/// Restore the first name of every file. @return number of files that remain in the new folder
std::size_t earlier_results::undo() noexcept {
  std::size_t lost = 0;
  for (const entry& it : moved_) {
    std::error_code failed, ignored;
    if (it.is_moved)
      fs::rename(it.to, it.from, failed);
    else if (it.has_both_names && fs::exists(fs::symlink_status(it.from, ignored)))
      fs::remove(it.to, ignored);
    lost += failed ? 1 : 0;
  }
  moved_.clear();
  std::error_code ignored;
  if (lost == 0 && !place_.empty()) fs::remove(place_, ignored);
  return lost;
}

void earlier_results::restore() noexcept {
  if (moved_.empty()) return;
  // Remaining files of this job, for example frames, are useless without the results of the job. All earlier files are in
  // the other folder.
  std::error_code ignored;
  std::vector<fs::path> left;
  for (fs::directory_iterator found(home_, ignored), end; !ignored && found != end; found.increment(ignored))
    if (is_result(found->path().filename().string())) left.push_back(found->path());
  for (const fs::path& path : left) fs::remove_all(path, ignored);
  const fs::path place = place_;
  const std::size_t all = moved_.size(), lost = undo();
  if (lost == 0 || !log_) return;
  try {
    log_->warn(fmt::format("{} of {} files of the earlier job could not be restored and remain in '{}'", lost, all,
                           place.string()));
  } catch (...) {  // a destructor cannot report the failure in another way
  }
}

}  // namespace osteon::job
