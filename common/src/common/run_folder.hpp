#pragma once
/// @file
/// Folder for temporary files of MPI. Open MPI creates folders (`ompi.HOST.USER`) in TMPDIR. These folders remain if the
/// processes are killed. Therefore each run uses its own folder in place of TMPDIR, and removes this folder at the end of
/// the run. A later run of the same user removes the folder of a killed run.
#include <string>

namespace osteon {

/// The folder of a run, `osteon-mpi.XXXXXX` below TMPDIR. This process holds a lock on a file in the folder. A child process
/// that inherits `lock()` also holds the lock. The next run removes folders without a lock holder.
class run_folder {
 public:
  /// Remove the folders of earlier runs without a lock holder, and create a folder for this run. No error is thrown. path()
  /// is empty if no folder can be created, or if the path is too long for sockets. path() is also empty if the job uses
  /// several hosts, because the folder does not exist on the other hosts.
  run_folder();
  /// Remove the folder. In a child process of fork, the destructor has no effect.
  ~run_folder();
  run_folder(const run_folder&) = delete;
  run_folder& operator=(const run_folder&) = delete;

  const std::string& path() const { return path_; }
  int lock() const { return lock_; }  ///< descriptor, closed in children unless it is passed on; -1 without a folder

 private:
  bool make(const std::string& parent);
  std::string path_;
  int lock_ = -1, owner_ = 0;
};

/// Set TMPDIR to the folder of a run for processes started during the lifetime of this object. The previous value of TMPDIR
/// is passed on in OSTEON_GIVEN_TMPDIR and restored at the end.
class tmpdir_of_run {
 public:
  explicit tmpdir_of_run(const run_folder& folder);
  ~tmpdir_of_run();
  tmpdir_of_run(const tmpdir_of_run&) = delete;
  tmpdir_of_run& operator=(const tmpdir_of_run&) = delete;
};

/// Restore the TMPDIR of the user in a process that was started with the folder of a run. Call this function after MPI_Init.
void restore_tmpdir();

/// Remove abandoned folders of runs of this user below `parent`.
/// @return number of removed folders
int remove_left_run_folders(const std::string& parent);

}  // namespace osteon
