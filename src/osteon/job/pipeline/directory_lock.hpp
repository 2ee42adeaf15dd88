#pragma once
/// @file
/// One job at a time in an output directory.
#include <string>

namespace osteon::job {

/// Holds an output directory (made if it does not exist) until it is destroyed or the process ends.
///
/// The process that a user starts and the first of its ranks each hold a part, so that the directory is held as long as
/// either lives; a job begins only where both parts are free. Where the file system has no locks (some network file
/// systems) it holds nothing.
class directory_lock {
 public:
  enum class part { both, of_ranks };

  /// @param which of_ranks: the caller is a rank of a process that holds the other part
  /// @throws usage_error if another job writes there, machine_error if the directory cannot be made
  explicit directory_lock(const std::string& directory, part which = part::both);
  ~directory_lock();
  directory_lock(const directory_lock&) = delete;
  directory_lock& operator=(const directory_lock&) = delete;

  /// True if other jobs are excluded; false on file systems without locks.
  bool is_held() const { return is_held_; }

  /// Let the ranks that are about to be started take their part.
  void leave_to_ranks();

  /// After a failure: if the directory was made by this object and holds nothing of use (results, a checkpoint, files of
  /// others), remove it, and the folders above it that were made.
  /// @param even_a_model a model that was made from the image is of no use either
  void remove_if_useless(bool even_a_model);

 private:
  bool take(const std::string& file);

  std::string directory_;
  std::string first_made_;  ///< the topmost folder that did not exist; empty: it was there
  part which_;
  int file_ = -1;
  bool is_held_ = false;
};

}  // namespace osteon::job
