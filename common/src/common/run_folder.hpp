#pragma once
/// @file
/// The folder for temporary files of MPI: Open MPI makes folders (`ompi.HOST.USER`) in TMPDIR, which remain there when its
/// processes are killed. Each run uses a folder of its own in place of TMPDIR and removes it; of a run that was killed, a
/// later run of the same user removes it.
#include <string>

namespace osteon {

/// The folder of a run, `osteon-mpi.XXXXXX` below TMPDIR. This process holds a lock on a file in it; a child process that
/// inherits `lock()` also holds the lock. The next run removes folders without a lock holder.
class run_folder {
 public:
  /// Remove the folders of earlier runs without a holder, and make one. No error is thrown: path() is empty where none can
  /// be made, where the path is too long for the sockets in it, or where the job is on several hosts, on which it does not
  /// exist.
  run_folder();
  /// Remove it. Nothing happens in a child process of fork.
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

/// Set TMPDIR to the folder of a run, for the processes that are started meanwhile. The value before goes along in
/// OSTEON_GIVEN_TMPDIR and is restored at the end.
class tmpdir_of_run {
 public:
  explicit tmpdir_of_run(const run_folder& folder);
  ~tmpdir_of_run();
  tmpdir_of_run(const tmpdir_of_run&) = delete;
  tmpdir_of_run& operator=(const tmpdir_of_run&) = delete;
};

/// Restore the TMPDIR of the user in a process that was started with that of a run. To be called after MPI_Init.
void restore_tmpdir();

/// Remove the folders below `parent` that runs of this user have left there.
/// @return how many
int remove_left_run_folders(const std::string& parent);

}  // namespace osteon
