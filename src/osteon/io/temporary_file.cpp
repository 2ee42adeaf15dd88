#include <osteon/io/temporary_file.hpp>

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/io/file_descriptor.hpp>

namespace osteon::io {
namespace fs = std::filesystem;
namespace {

struct descriptor : file_descriptor {
  descriptor(const std::string& name, int flags) : file_descriptor(name, flags) {
    if (*this < 0)
      throw machine_error(
          fmt::format("cannot open '{}': {}; check the folder and its permissions", name, std::strerror(errno)));
  }
};

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
  return name.data();
}

fs::path directory_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

/// True if a process does not exist or is a zombie.
bool is_dead(long pid) {
  if (::kill(static_cast<pid_t>(pid), 0) != 0) return errno == ESRCH;
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(stat, line);
  const auto name_end = line.rfind(") ");
  return name_end != std::string::npos && (line[name_end + 2] == 'Z' || line[name_end + 2] == 'X');
}

/// True if the file belongs to a terminated process of this host. A file of another host must be unchanged for a day.
bool is_orphan(const fs::path& file, const std::string& suffix) {
  const auto dot = suffix.rfind('.');
  if (dot == std::string::npos) return false;
  long pid = 0;
  const char* end = suffix.data() + suffix.size();
  const auto [last, status] = std::from_chars(suffix.data() + dot + 1, end, pid);
  if (status != std::errc() || last != end || pid <= 0) return false;
  if (suffix.substr(0, dot) == host_name()) return pid == ::getpid() || is_dead(pid);
  std::error_code failure;
  const auto written = fs::last_write_time(file, failure);
  return !failure && fs::file_time_type::clock::now() - written > std::chrono::hours(24);
}

constexpr std::int64_t no_limit = -1;

std::int64_t size_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX));
}

void check_limit(const std::string& name, std::int64_t needed) {
  const std::int64_t limit = size_limit();
  if (limit != no_limit && needed > limit)
    throw machine_error(
        fmt::format("'{}': the required size ({} bytes) exceeds the file size limit of this process ({} bytes); raise the "
                    "limit (ulimit -f) or write fewer fields",
                    name, needed, limit));
}

}  // namespace

void remove_orphans(const std::string& path) {
  const std::string prefix = fs::path(path).filename().string() + ".tmp.";
  std::error_code failure;
  for (fs::directory_iterator entry(directory_of(path), failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (name.starts_with(prefix) && is_orphan(entry->path(), name.substr(prefix.size()))) fs::remove(entry->path(), ignored);
  }
}

temporary_file::temporary_file(const std::string& path)
    : path_(path), name_(fmt::format("{}.tmp.{}.{}", path, host_name(), ::getpid())) {
  std::error_code ignored;
  if (const auto status = fs::status(path, ignored); fs::exists(status) && !fs::is_regular_file(status))
    throw usage_error(fmt::format("'{}' is not a regular file and cannot be replaced; choose another name", path));
  remove_orphans(path);
  descriptor created(name_, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR);
}

temporary_file::~temporary_file() {
  if (!committed_) ::unlink(name_.c_str());
}

void temporary_file::commit() {
  sync_file(name_);
  if (::rename(name_.c_str(), path_.c_str()) != 0)
    throw machine_error(fmt::format("cannot rename '{}' to '{}': {}", name_, path_, std::strerror(errno)));
  committed_ = true;
  sync_file(directory_of(path_).string());
}

void write_file(const std::string& path, const std::function<void(std::ostream& to)>& write) {
  temporary_file temporary(path);
  std::ofstream to(temporary.name(), std::ios::binary);
  write(to);
  to.close();
  if (!to)
    throw machine_error(
        fmt::format("cannot write '{}': {}; use a writable folder with free space", path, std::strerror(errno)));
  temporary.commit();
}

void check_size_limit(const std::string& name, std::int64_t bytes) { check_limit(name, size_of_file(name) + bytes); }

void reserve_space(const std::string& name, std::int64_t bytes) { reserve_range(name, size_of_file(name), bytes); }

void reserve_range(const std::string& name, std::int64_t begin, std::int64_t bytes) {
  check_limit(name, begin + bytes);
  descriptor file(name, O_RDWR);
  if (::fallocate(file, FALLOC_FL_KEEP_SIZE, begin, bytes) == 0) return;
  int cause = errno;
  if (cause == EOPNOTSUPP || cause == ENOSYS) {  // NFS before 4.2: compare with the free space
    struct statvfs system{};
    if (::fstatvfs(file, &system) != 0) return;
    if (static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize) >= static_cast<double>(bytes)) return;
    cause = ENOSPC;
  }
  throw machine_error(fmt::format(
      "cannot write '{}': {} (size {} bytes, {} more bytes required); free space on the file system or use another "
      "folder",
      name, std::strerror(cause), begin, bytes));
}

void release_reserve(const std::string& name) {
  descriptor file(name, O_RDWR);
  struct stat status{};
  // Truncation to the current size releases blocks beyond the end of the file on ext4 and XFS.
  if (::fstat(file, &status) != 0 || ::ftruncate(file, status.st_size) != 0)
    throw machine_error(fmt::format("cannot truncate '{}': {}", name, std::strerror(errno)));
}

void sync_file(const std::string& name) {
  descriptor file(name, O_RDONLY);
  if (::fsync(file) != 0 && errno != EINVAL)  // EINVAL: the file system cannot sync directories
    throw machine_error(fmt::format("cannot sync '{}' to disk: {}", name, std::strerror(errno)));
}

std::int64_t size_of_file(const std::string& name) {
  struct stat status{};
  if (::stat(name.c_str(), &status) != 0)
    throw machine_error(fmt::format("cannot find '{}': {}", name, std::strerror(errno)));
  return status.st_size;
}

}  // namespace osteon::io
