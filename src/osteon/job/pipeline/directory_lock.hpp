#pragma once
/// @file
/// Lock of an output directory: one job at a time.
#include <string>

namespace osteon::job {

/// Locks an output directory (created if missing) until destruction or the end of the process.
///
/// The process that the user started and the first of its ranks each hold a part of the lock. The directory therefore
/// remains locked while one of the two processes runs. A job starts only if both parts are free. On file systems without
/// locks (some network file systems) the object has no effect.
class directory_lock {
 public:
  enum class part { both, of_ranks };

  /// @param which of_ranks: the caller is a rank of a process that holds the other part
  /// @throws usage_error if another job writes to the directory, machine_error if the directory cannot be created
  explicit directory_lock(const std::string& directory, part which = part::both);
  ~directory_lock();
  directory_lock(const directory_lock&) = delete;
  directory_lock& operator=(const directory_lock&) = delete;

  /// Return true if other jobs are excluded, false on file systems without locks.
  bool is_held() const { return is_held_; }

  /// Release the part of the lock that the ranks use, before the ranks are started.
  void release_to_ranks();

  /// Call this function after a failure. If this object created the directory and the directory contains no useful files
  /// (results, a checkpoint, files of others), remove the directory and the created parent folders.
  /// @param even_a_model also remove a model made from the image
  void remove_without_results(bool even_a_model);

 private:
  bool take(const std::string& file);

  std::string directory_;
  std::string first_made_;  ///< the topmost created folder; empty: none was created
  part which_;
  int file_ = -1;
  bool is_held_ = false;
};

}  // namespace osteon::job
