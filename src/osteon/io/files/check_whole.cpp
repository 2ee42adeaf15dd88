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

// Name of a temporary_file until it is complete: <name>.tmp.<host>.<pid>.
void refuse_unfinished(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const auto mark = name.rfind(".tmp.");
  const auto dot = name.rfind('.');
  if (mark == std::string::npos || dot < mark + 5 || dot + 1 == name.size()) return;
  if (!std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(),
                   [](unsigned char c) { return std::isdigit(c) != 0; }))
    return;
  throw data_error(fmt::format("'{}' is the unfinished file of a running or interrupted run; the complete file is '{}'",
                               path, name.substr(0, mark)));
}

// True if an HDF5 file has the length declared in its first bytes. A file with a truncated seal does not.
bool ends_where_it_says(const std::string& path) {
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

// Size and last bytes, which hold the seal: a digest of all others.
struct file_end {
  std::int64_t size = 0;
  std::array<char, 64> bytes{};
};

file_end end_of(const std::string& path) {
  file_end end;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  end.size = static_cast<std::int64_t>(file.tellg());
  const std::int64_t length = std::min(end.size, std::ssize(end.bytes));
  file.seekg(end.size - length).read(end.bytes.data(), length);
  return end;
}

// Members of a file's team read parts of it: parts of two files of one name, in two working directories, would be mixed.
void require_same_file(MPI_Comm members, const std::string& path, const std::string& what) {
  file_end mine, first;
  comm::collectively(members, [&] { first = mine = end_of(path); });
  MPI_Bcast(&first.size, 1, MPI_INT64_T, 0, members);
  MPI_Bcast(first.bytes.data(), static_cast<int>(first.bytes.size()), MPI_CHAR, 0, members);
  comm::collectively(members, [&] {
    if (mine.size == first.size && mine.bytes == first.bytes) return;
    throw data_error(
        fmt::format("rank {} reads another {} '{}' than rank 0 ({} bytes and {}, with other digests): the ranks of one MPI "
                    "world compute one job; start separate jobs by a launcher each, or without one",
                    comm::rank(members), what, path, mine.size, first.size));
  });
}

std::string check_copy(const std::string& path, const std::string& what) {
  if (!ends_where_it_says(path)) throw data_error(seal_fault(seal_state::none, path, what));
  const verification found = verify_apart(path);
  if (!found.faults.empty())
    throw data_error(fmt::format(
        "the {} '{}' has no seal, as copies by other programs, and is damaged: {}; `osteon verify` lists all faults", what,
        path, to_text(found.faults.front())));
  return fmt::format(
      "the {} '{}' has no seal: another program has written it; its values match their digests; `osteon verify --seal` adds "
      "a seal",
      what, path);
}

}  // namespace

std::string check_whole(const std::string& path, const std::string& what) {
  refuse_unfinished(path);
  const seal_state seal = read_seal(path);
  if (seal == seal_state::wrong) throw data_error(seal_fault(seal, path, what));
  return seal == seal_state::good ? std::string() : check_copy(path, what);
}

std::string check_whole(MPI_Comm members, const std::string& path, const std::string& what) {
  comm::collectively(members, [&] { refuse_unfinished(path); });
  require_same_file(members, path, what);
  const seal_state seal = read_seal(members, path);
  std::string warning;
  comm::collectively(members, [&] {
    if (seal == seal_state::wrong) throw data_error(seal_fault(seal, path, what));
    if (seal == seal_state::none && comm::rank(members) == 0) warning = check_copy(path, what);
  });
  std::int64_t size = std::ssize(warning);
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, members);
  comm::collectively(members, [&] { warning.resize(static_cast<std::size_t>(size)); });
  MPI_Bcast(warning.data(), static_cast<int>(size), MPI_CHAR, 0, members);
  return warning;
}

}  // namespace osteon::io
