#include <osteon/job/pipeline/directory_lock.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <osteon/base/error.hpp>
#include <vector>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

constexpr const char* lock_name = ".lock";

// Locked bytes of the lock file. The file itself is empty.
constexpr off_t front_byte = 0, ranks_byte = 1;

// The locks are open file description locks. If other code in this process closes the file, such locks remain.
bool set_lock(int file, short type, off_t first, off_t bytes) {
  struct flock region{};
  region.l_type = type;
  region.l_whence = SEEK_SET;
  region.l_start = first;
  region.l_len = bytes;
  return fcntl(file, F_OFD_SETLK, &region) == 0;
}

// Return true if a path still leads to an open file. This check is necessary, because a process that created a folder
// removes the lock file at its end.
bool leads_to(const std::string& path, int file) {
  struct stat there{}, here{};
  return stat(path.c_str(), &there) == 0 && fstat(file, &here) == 0 && there.st_dev == here.st_dev &&
         there.st_ino == here.st_ino;
}

bool is_model(const std::string& name) {
  return name == "model.nc" || (name.starts_with("labels_") && name.ends_with(".nc"));
}

}  // namespace

directory_lock::directory_lock(const std::string& directory, part which) : directory_(directory), which_(which) {
  const std::string path = (fs::path(directory) / lock_name).string();
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::error_code failed;
    for (fs::path folder = fs::absolute(directory).lexically_normal();
         !fs::exists(folder, failed) && folder.has_relative_path(); folder = folder.parent_path())
      first_made_ = folder.string();
    fs::create_directories(directory, failed);
    if (failed)
      throw machine_error(fmt::format("cannot create the output directory '{}': {}; choose another directory with --output",
                                      directory, failed.message()));
    if (take(path)) return;
  }
}

bool directory_lock::take(const std::string& path) {
  // A symbolic link could cause a file in another folder to be created or locked.
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file_ < 0 && errno == ELOOP)
    throw usage_error(
        fmt::format("'{}' is a symbolic link; remove the link, or choose another directory with --output", path));
  if (file_ < 0) return errno != ENOENT;
  const bool held = which_ == part::both ? set_lock(file_, F_WRLCK, front_byte, 2) : set_lock(file_, F_WRLCK, ranks_byte, 1);
  if (!held && (errno == EAGAIN || errno == EACCES)) {
    close(file_);
    file_ = -1;
    throw usage_error(
        fmt::format("another job is writing to '{}'; wait until it has finished, or choose another directory with --output",
                    directory_));
  }
  is_held_ = held;
  if (leads_to(path, file_)) return true;
  close(file_);
  file_ = -1;
  return false;
}

directory_lock::~directory_lock() {
  if (file_ >= 0) close(file_);
}

void directory_lock::release_to_ranks() {
  if (file_ >= 0) set_lock(file_, F_UNLCK, ranks_byte, 1);
}

void directory_lock::remove_without_results(bool even_a_model) {
  if (first_made_.empty()) return;
  std::error_code failed;
  std::vector<fs::path> ours;
  for (fs::directory_iterator entry(directory_, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name == lock_name || (is_model(name) && even_a_model))
      ours.push_back(entry->path());
    else
      return;
  }
  if (failed) return;
  for (const fs::path& path : ours) fs::remove(path, failed);
  for (fs::path folder = fs::absolute(directory_).lexically_normal();; folder = folder.parent_path()) {
    if (!fs::remove(folder, failed) || folder == first_made_) return;
  }
}

}  // namespace osteon::job
