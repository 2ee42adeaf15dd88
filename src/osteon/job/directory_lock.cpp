#include <osteon/job/directory_lock.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <osteon/base/error.hpp>

namespace osteon::job {

directory_lock::directory_lock(const std::string& directory) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    throw machine_error(
        fmt::format("cannot make the output directory '{}': {}; choose another by --output", directory, failed.message()));
  file_ = open((std::filesystem::path(directory) / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) return;
  if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file_);
    throw usage_error(
        fmt::format("another job is writing to '{}'; wait for it, or choose another directory by --output", directory));
  }
}

directory_lock::~directory_lock() {
  if (file_ >= 0) close(file_);
}

}  // namespace osteon::job
