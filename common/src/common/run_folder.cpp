#include <common/run_folder.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

namespace osteon {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view start_of_name = "osteon-mpi.", random_part = "XXXXXX";
constexpr const char *lock_name = "lock", *given = "OSTEON_GIVEN_TMPDIR";

// The function chooses the same folder as Open MPI.
std::string folder_for_temporaries() {
  for (const char* name : {"TMPDIR", "TEMP", "TMP"})
    if (const char* folder = std::getenv(name); folder && *folder) return folder;
  return "/tmp";
}

// The address of a Unix socket has at most 108 bytes. Open MPI appends up to this number of bytes to TMPDIR. The appended
// text is /ompi.HOST.USER/pid.NUMBER/pmix-NUMBER.
bool has_room_for_sockets(const std::string& folder) {
  constexpr std::size_t limit = 107, appended = 48;
  const std::size_t own = 1 + start_of_name.size() + random_part.size();
  return folder.size() + own + appended <= limit ||
         folder.size() + appended > limit;  // with `appended`, the behaviour is the same as without a folder
}

// In the host lists of batch systems, each line begins with a host.
bool names_several(const char* file) {
  std::ifstream lines(file);
  std::set<std::string> hosts;
  for (std::string line; std::getline(lines, line) && hosts.size() < 2;)
    if (const auto host = line.substr(0, line.find_first_of(" \t")); !host.empty()) hosts.insert(host);
  return hosts.size() > 1;
}

// A batch system passes TMPDIR to processes on other hosts. On these hosts, the folder does not exist.
bool is_on_several_hosts() {
  for (const char* name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES", "FLUX_JOB_NNODES"})
    if (const char* count = std::getenv(name); count && std::atoi(count) > 1) return true;
  for (const char* name : {"PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE"})
    if (const char* file = std::getenv(name); file && names_several(file)) return true;
  return false;
}

bool has_name_of_run(std::string_view name) {
  return name.size() == start_of_name.size() + random_part.size() && name.starts_with(start_of_name);
}

// True if the folder belongs to this user, and if no other user can write to the folder. For a link to such a folder, the
// result is false.
bool is_own(const fs::path& folder) {
  struct stat status{};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 077) == 0;
}

// Entries of a folder. The number of entries is limited. A TMPDIR with many entries must not delay a run.
std::vector<std::string> names_in(const fs::path& folder) {
  constexpr std::size_t most = 50'000;
  std::vector<std::string> names;
  DIR* stream = opendir(folder.c_str());
  if (!stream) return names;
  for (std::size_t seen = 0; seen < most; ++seen) {
    const dirent* entry = readdir(stream);
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(stream);
  return names;
}

// The lock is removed last. If the removal is interrupted, the lock still identifies the folder.
void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  for (const std::string& name : names_in(folder))
    if (name != lock_name) fs::remove_all(folder / name, ignored);
  unlink((folder / lock_name).c_str());
  rmdir(folder.c_str());
}

// Ranks may exist for some milliseconds longer than their launcher. These ranks can create the folder again, without a lock.
bool holds_files_of_mpi_only(const fs::path& folder) {
  const auto names = names_in(folder);
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("ompi.") || name.starts_with("prte.") || name.starts_with("pmix");
  });
}

// True if this process has acquired the lock. Between open and flock, another process may remove the file.
bool take(int lock) {
  struct stat status{};
  const bool taken = flock(lock, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
  return taken && fstat(lock, &status) == 0 && status.st_nlink > 0;
}

// Without locks, an unused folder cannot be distinguished from a used folder. In this case, the folder is not removed.
bool is_left(int lock) { return flock(lock, LOCK_EX | LOCK_NB) == 0; }

}  // namespace

int remove_left_run_folders(const std::string& parent) {
  int removed = 0;
  for (const std::string& name : names_in(parent)) {
    const fs::path folder = fs::path(parent) / name;
    if (!has_name_of_run(name) || !is_own(folder)) continue;
    const fs::path file = folder / lock_name;
    int lock = open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    // If another run has just created this folder, this run detects the missing lock and creates another folder.
    if (lock < 0 && errno == ENOENT && holds_files_of_mpi_only(folder))
      lock = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0) continue;
    if (is_left(lock)) {
      remove_folder(folder);
      ++removed;
    }
    close(lock);
  }
  return removed;
}

run_folder::run_folder() : owner_(getpid()) {
  const std::string parent = folder_for_temporaries();
  if (is_on_several_hosts()) return;
  remove_left_run_folders(parent);
  if (!has_room_for_sockets(parent)) return;
  for (int attempt = 0; attempt < 5 && path_.empty(); ++attempt)
    if (!make(parent)) return;
}

// Return false if no folder can be created. Return true with an empty path if another run has removed the folder as unused.
bool run_folder::make(const std::string& parent) {
  std::string path = parent + "/" + std::string(start_of_name) + std::string(random_part);
  if (!mkdtemp(path.data())) return false;
  lock_ = open((path + "/" + lock_name).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock_ >= 0 && take(lock_)) {
    path_ = path;
    return true;
  }
  const bool is_taken = lock_ >= 0 || errno == EEXIST || errno == ENOENT;
  if (lock_ >= 0) close(lock_);
  lock_ = -1;
  rmdir(path.c_str());
  return is_taken;
}

run_folder::~run_folder() {
  if (path_.empty()) return;
  if (owner_ == getpid()) remove_folder(path_);
  close(lock_);
}

tmpdir_of_run::tmpdir_of_run(const run_folder& folder) {
  if (folder.path().empty()) return;
  const char* before = std::getenv("TMPDIR");
  setenv(given, before ? before : "", 1);
  setenv("TMPDIR", folder.path().c_str(), 1);
}

tmpdir_of_run::~tmpdir_of_run() { restore_tmpdir(); }

void restore_tmpdir() {
  const char* before = std::getenv(given);
  if (!before) return;
  if (*before)
    setenv("TMPDIR", before, 1);
  else
    unsetenv("TMPDIR");
  unsetenv(given);
}

}  // namespace osteon
