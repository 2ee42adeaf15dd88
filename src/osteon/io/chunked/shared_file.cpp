#include <osteon/io/chunked/shared_file.hpp>

#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/io/file_descriptor.hpp>

namespace osteon::io {
namespace {

void check_mpi(int status, const char* action, const std::string& name) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw machine_error(fmt::format("cannot {} '{}' by MPI-IO: {}", action, name, text.data()));
}

/// Split extents into extents of at most `most_bytes` bytes, for MPI counts of type int.
std::vector<extent> split(std::span<const extent> parts, std::int64_t most_bytes) {
  std::vector<extent> all;
  for (const extent& e : parts)
    for (std::int64_t at = 0; at < std::ssize(e.bytes); at += most_bytes)
      all.push_back(
          {e.address + at, e.bytes.subspan(static_cast<std::size_t>(at),
                                           static_cast<std::size_t>(std::min(most_bytes, std::ssize(e.bytes) - at)))});
  return all;
}

void write_plainly(int descriptor, const extent& e, const std::string& name) {
  if (!write_at(descriptor, e.bytes.data(), std::ssize(e.bytes), e.address))
    throw machine_error(fmt::format("cannot write '{}': {}; free space on the file system or use another folder", name,
                                    std::strerror(errno)));
}

/// Lock for one writer at a time. The kernel serialises writes to a file. Without the lock, waiting processes spin and use
/// 50 % more CPU time. With the lock, waiting processes sleep.
class write_lock {
 public:
  explicit write_lock(int descriptor) : descriptor_(descriptor) {
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0)
      if (errno != EINTR) descriptor_ = -1;  // without lock support, writing is slower, but correct
  }
  write_lock(const write_lock&) = delete;
  write_lock& operator=(const write_lock&) = delete;
  ~write_lock() {
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_UN);
  }

 private:
  int descriptor_;
};

/// Start flushing to disk, concurrently with the computation of the next values and with reading back.
void start_flush([[maybe_unused]] int descriptor, [[maybe_unused]] const extent& e) {
#ifdef SYNC_FILE_RANGE_WRITE
  ::sync_file_range(descriptor, e.address, std::ssize(e.bytes), SYNC_FILE_RANGE_WRITE);  // fsync reports a failure
#endif
}

}  // namespace

bool writes_plainly(const file_team& team, const access& options) {
  return team.mode == access_mode::serial || (team.system.kind == file_system_kind::local && options.hints.empty());
}

shared_file::shared_file(const std::string& name, const file_team& team, const access& options)
    : name_(name), most_bytes_(options.bytes_per_message) {
  if (writes_plainly(team, options)) {
    serialised_ = team.ranks.size() > 1;
    flushes_early_ = team.system.kind == file_system_kind::local;
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw machine_error(fmt::format("cannot open '{}': {}", name, std::strerror(errno)));
    return;
  }
  collective_ = team.system.kind == file_system_kind::parallel || !options.hints.empty();
  // Striping is set at the creation of a file. Therefore the file must not exist.
  const bool striped =
      std::any_of(options.hints.begin(), options.hints.end(), [](const auto& h) { return h.first.starts_with("striping"); });
  if (striped && comm::rank(team.comm.get()) == 0) ::unlink(name.c_str());
  if (striped) MPI_Barrier(team.comm.get());
  MPI_Info info = make_info(options, team);
  const int status = MPI_File_open(team.comm.get(), name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file_);
  MPI_Info_free(&info);
  check_mpi(status, "open", name);
}

shared_file::~shared_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
}

void shared_file::write(std::span<const extent> parts) {
  if (descriptor_ >= 0) {
    if (parts.empty()) return;
    {
      const write_lock mine(serialised_ ? descriptor_ : -1);
      for (const extent& e : parts) write_plainly(descriptor_, e, name_);
    }
    if (flushes_early_)
      for (const extent& e : parts) start_flush(descriptor_, e);
  } else if (collective_) {
    write_collectively(parts);
  } else {
    for (const extent& e : split(parts, most_bytes_))
      check_mpi(
          MPI_File_write_at(file_, e.address, e.bytes.data(), static_cast<int>(e.bytes.size()), MPI_BYTE, MPI_STATUS_IGNORE),
          "write", name_);
  }
}

void shared_file::write_collectively(std::span<const extent> parts) {
  const std::vector<extent> all = split(parts, most_bytes_);
  std::vector<int> lengths;
  std::vector<MPI_Aint> places, memory;
  for (const extent& e : all) {
    lengths.push_back(static_cast<int>(e.bytes.size()));
    places.push_back(e.address);
    memory.push_back(reinterpret_cast<MPI_Aint>(e.bytes.data()));
  }
  const int count = static_cast<int>(all.size());
  MPI_Datatype in_file = MPI_BYTE, in_memory = MPI_BYTE;
  if (count > 0) {
    MPI_Type_create_hindexed(count, lengths.data(), places.data(), MPI_BYTE, &in_file);
    MPI_Type_create_hindexed(count, lengths.data(), memory.data(), MPI_BYTE, &in_memory);
    MPI_Type_commit(&in_file);
    MPI_Type_commit(&in_memory);
  }
  int status = MPI_File_set_view(file_, 0, MPI_BYTE, in_file, "native", MPI_INFO_NULL);
  const int written = MPI_File_write_at_all(file_, 0, MPI_BOTTOM, count > 0 ? 1 : 0, in_memory, MPI_STATUS_IGNORE);
  if (count > 0) {
    MPI_Type_free(&in_file);
    MPI_Type_free(&in_memory);
  }
  if (status == MPI_SUCCESS) status = written;
  check_mpi(status, "write", name_);
}

void shared_file::close() {
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0)
    throw machine_error(fmt::format("cannot close '{}': {}", name_, std::strerror(errno)));
  if (file_ != MPI_FILE_NULL) check_mpi(MPI_File_close(&file_), "close", name_);
}

}  // namespace osteon::io
