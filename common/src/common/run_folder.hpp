#pragma once
/// @file
/// Folder for temporary files of MPI. Open MPI creates folders (`ompi.HOST.USER`) in TMPDIR. These folders remain if the
/// processes are killed. Each run therefore uses a folder of its own as TMPDIR, and removes this folder at the end. If a run
/// is killed, the next run of the same user removes the folder of the killed run.
#include <string>

namespace osteon {

/// The folder of a run. Its name is `osteon-mpi.XXXXXX`, and its parent is TMPDIR. This process owns a lock on a file in the
/// folder. A child process that inherits `lock()` also owns the lock. The next run removes folders without a lock owner.
class run_folder {
 public:
  /// Create a folder for this run, and remove the folders of earlier runs without a lock owner. The constructor throws no
  /// errors. If no folder can be created, or if the path is too long for sockets, path() is empty. If the job uses several
  /// hosts, path() is also empty, because the folder does not exist on the other hosts.
  run_folder();
  /// Remove the folder. In a child process of fork, the destructor has no effect.
  ~run_folder();
  run_folder(const run_folder&) = delete;
  run_folder& operator=(const run_folder&) = delete;

  const std::string& path() const { return path_; }
  int lock() const {
    return lock_;
  }  ///< descriptor of the lock; closed in child processes unless the caller passes the
     ///< descriptor on; -1 without a folder

 private:
  bool make(const std::string& parent);
  std::string path_;
  int lock_ = -1, owner_ = 0;
};

/// Sets TMPDIR to the folder of a run during the lifetime of this object. Processes that start during this time inherit
/// TMPDIR. OSTEON_GIVEN_TMPDIR contains the previous value of TMPDIR. The destructor restores this value.
class tmpdir_of_run {
 public:
  explicit tmpdir_of_run(const run_folder& folder);
  ~tmpdir_of_run();
  tmpdir_of_run(const tmpdir_of_run&) = delete;
  tmpdir_of_run& operator=(const tmpdir_of_run&) = delete;
};

/// Restore the TMPDIR of the user in a process that inherited the folder of a run as TMPDIR. Call this function after
/// MPI_Init.
void restore_tmpdir();

/// Remove the abandoned folders of this user's runs below `parent`.
/// @return number of removed folders
int remove_left_run_folders(const std::string& parent);

}  // namespace osteon
