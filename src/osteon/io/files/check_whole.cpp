#include <osteon/io/files/check_whole.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/chunked/seal.hpp>
#include <osteon/io/files/verify.hpp>

namespace osteon::io {

namespace {

// Reject names of incomplete files: <name>.tmp.<host>.<pid> (temporary_file).
void reject_unfinished(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const auto mark = name.rfind(".tmp.");
  const auto dot = name.rfind('.');
  if (mark == std::string::npos || dot < mark + 5 || dot + 1 == name.size()) return;
  if (!std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(),
                   [](unsigned char c) { return std::isdigit(c) != 0; }))
    return;
  throw data_error(fmt::format("'{}' is an incomplete file of a running or interrupted job; use the complete file '{}'",
                               path, name.substr(0, mark)));
}

// True if an HDF5 file has the length declared in its first bytes. The length differs if the seal is truncated.
bool has_declared_length(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<unsigned char, 48> head{};
  file.read(reinterpret_cast<char*>(head.data()), std::ssize(head));
  constexpr std::array<unsigned char, 8> magic{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  if (!file || !std::equal(magic.begin(), magic.end(), head.begin())) return false;
  const bool old = head[8] < 2;
  if (head[8] > 3 || head[old ? 13 : 9] != 8) return false;  // addresses of 8 bytes
  std::uint64_t end = 0;
  for (int i = 7; i >= 0; --i) end = end << 8U | head[static_cast<std::size_t>((old ? 40 : 28) + i)];
  std::error_code failed;
  return end == std::filesystem::file_size(path, failed) && !failed;
}

// Size and last bytes of a file. The last bytes contain the seal, which is a digest of all other bytes.
struct file_end {
  std::int64_t size = 0;
  std::array<char, 64> bytes{};
};

file_end read_end(const std::string& path) {
  file_end end;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  end.size = static_cast<std::int64_t>(file.tellg());
  const std::int64_t length = std::min(end.size, std::ssize(end.bytes));
  file.seekg(end.size - length).read(end.bytes.data(), length);
  return end;
}

// Check that all members read the same file. Members in different working directories would mix parts of different files.
void require_same_file(MPI_Comm members, const std::string& path, const std::string& kind) {
  file_end mine, first;
  comm::collectively(members, [&] { first = mine = read_end(path); });
  MPI_Bcast(&first.size, 1, MPI_INT64_T, 0, members);
  MPI_Bcast(first.bytes.data(), static_cast<int>(first.bytes.size()), MPI_CHAR, 0, members);
  comm::collectively(members, [&] {
    if (mine.size == first.size && mine.bytes == first.bytes) return;
    throw data_error(fmt::format(
        "rank {} reads a different {} '{}' than rank 0 ({} bytes and {} bytes, or different digests); the ranks of "
        "one MPI program must run the same job: start each job by a separate launcher, or without launcher",
        comm::rank(members), kind, path, mine.size, first.size));
  });
}

std::string check_copy(const std::string& path, const std::string& kind) {
  if (!has_declared_length(path)) throw data_error(seal_fault(seal_state::none, path, kind));
  const verification found = verify_apart(path);
  if (!found.faults.empty())
    throw data_error(
        fmt::format("the {} '{}' has no seal (copied or written by another program) and is damaged: {}; `osteon verify` "
                    "lists all faults",
                    kind, path, to_text(found.faults.front())));
  return fmt::format(
      "the {} '{}' has no seal (copied or written by another program); its values match their digests; `osteon verify "
      "--seal` "
      "adds a seal",
      kind, path);
}

}  // namespace

std::string check_whole(const std::string& path, const std::string& kind) {
  reject_unfinished(path);
  const seal_state seal = read_seal(path);
  if (seal == seal_state::wrong) throw data_error(seal_fault(seal, path, kind));
  return seal == seal_state::good ? std::string() : check_copy(path, kind);
}

std::string check_whole(MPI_Comm members, const std::string& path, const std::string& kind) {
  comm::collectively(members, [&] { reject_unfinished(path); });
  require_same_file(members, path, kind);
  const seal_state seal = read_seal(members, path);
  std::string warning;
  comm::collectively(members, [&] {
    if (seal == seal_state::wrong) throw data_error(seal_fault(seal, path, kind));
    if (seal == seal_state::none && comm::rank(members) == 0) warning = check_copy(path, kind);
  });
  std::int64_t size = std::ssize(warning);
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, members);
  comm::collectively(members, [&] { warning.resize(static_cast<std::size_t>(size)); });
  MPI_Bcast(warning.data(), static_cast<int>(size), MPI_CHAR, 0, members);
  return warning;
}

}  // namespace osteon::io
