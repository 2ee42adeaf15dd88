#pragma once
/// @file
/// Moves the results of an earlier job from the output folder to a folder next to the output folder.
#include <filesystem>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <string>
#include <system_error>
#include <vector>

namespace osteon::job {

/// Moves the results of an earlier job from NAME.out to NAME.out.1, or to NAME.out.2 and so on if NAME.out.1 exists. Each
/// folder then describes one job. If the new job fails before it has results, the object restores the earlier results. Only
/// one process has this object.
///
/// No operation of this class deletes the last name of a file. If a rename fails, each earlier file is still in the folder
/// or in NAME.out.1.
class earlier_results {
 public:
  earlier_results() = default;
  /// Results that are marked as not converged are not kept.
  /// @throws machine_error if the results cannot be moved; the results then remain in the folder
  earlier_results(const spec& job, log_sink& log);
  earlier_results(earlier_results&& other) noexcept { *this = std::move(other); }
  earlier_results& operator=(earlier_results&& other) noexcept {
    std::swap(moved_, other.moved_);
    std::swap(place_, other.place_);
    std::swap(home_, other.home_);
    std::swap(log_, other.log_);
    return *this;
  }
  ~earlier_results() { restore(); }

  /// Leave the earlier results in their new folder, because this job has results or a checkpoint.
  void keep_moved() {
    moved_.clear();
    place_.clear();
  }

 private:
  /// A file or folder of the earlier job. A second name in the new folder (a hard link) is created before the first name is
  /// removed.
  struct entry {
    std::filesystem::path from, to;
    bool has_both_names = false, is_moved = false;
  };

  bool move_to(const std::filesystem::path& place, const std::vector<std::filesystem::path>& old, std::error_code& failed);
  std::size_t undo() noexcept;
  void restore() noexcept;

  std::filesystem::path place_, home_;  ///< present path and original path
  std::vector<entry> moved_;
  log_sink* log_ = nullptr;
};

}  // namespace osteon::job
