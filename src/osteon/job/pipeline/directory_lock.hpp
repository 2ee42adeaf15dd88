#pragma once
/// @file
/// Lock of an output directory. Only one job at a time may use the directory.
#include <string>

namespace osteon::job {

/// Locks an output directory until destruction of the object, or until the end of the process. A missing directory is
/// created.
///
/// The lock has two parts. The process that the user has started owns one part, and the first rank of this process owns the
/// other part. The directory therefore remains locked while one of the two processes is running. A job starts only if both
/// parts are free. On file systems without locks (some network file systems), the object has no effect.
class directory_lock {
 public:
  enum class part { both, of_ranks };

  /// @param which of_ranks: the caller is a rank, and the parent process owns the other part
  /// @throws usage_error if another job writes to the directory; machine_error if the directory cannot be created
  explicit directory_lock(const std::string& directory, part which = part::both);
  ~directory_lock();
  directory_lock(const directory_lock&) = delete;
  directory_lock& operator=(const directory_lock&) = delete;

  /// Return true if other jobs are excluded. On file systems without locks, the result is false.
  bool is_held() const { return is_held_; }

  /// Release the part of the lock that the ranks use. Call this function before the ranks are started.
  void release_to_ranks();

  /// Clean up after a failure. If this object has created the directory, and if the directory contains no useful files,
  /// remove the directory and the created parent folders. Useful files are results, a checkpoint, and files of others.
  /// @param even_a_model true: also remove a model that was made from the image
  void remove_without_results(bool even_a_model);

 private:
  bool take(const std::string& file);

  std::string directory_;
  std::string first_made_;  ///< the topmost folder that the object has created; empty: no folder
  part which_;
  int file_ = -1;
  bool is_held_ = false;
};

}  // namespace osteon::job
