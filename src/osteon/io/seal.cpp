#include <osteon/io/seal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/base/xxh64.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/temporary_file.hpp>
#include <span>

namespace osteon::io {
namespace {

constexpr std::string_view magic = "\nosteon-seal-2\n";
constexpr std::int64_t seal_length = static_cast<std::int64_t>(magic.size() + digest_length);
constexpr std::int64_t block_length = std::int64_t{4} << 20;

std::string seal_text(const std::string& digests) {
  return std::string(magic) + xxh64_of(std::as_bytes(std::span(digests)));
}

std::string joined(const std::vector<std::string>& digests) {
  std::string all;
  for (const std::string& d : digests) all += d;
  return all;
}

// The digests of all blocks in order, on the first member.
std::string gather_digests(MPI_Comm members, const std::string& path, std::int64_t length) {
  const int rank = comm::rank(members), size = comm::size(members);
  std::string mine;
  comm::together(members, [&] { mine = joined(block_digests(path, length, rank, size)); });
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(size)), starts(static_cast<std::size_t>(size));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, members);
  std::string dealt;
  comm::together(members, [&] {
    for (std::size_t m = 1; m < starts.size(); ++m) starts[m] = starts[m - 1] + counts[m - 1];
    if (rank == 0) dealt.resize(static_cast<std::size_t>(starts.back() + counts.back()));
  });
  MPI_Gatherv(mine.data(), count, MPI_CHAR, dealt.data(), counts.data(), starts.data(), MPI_CHAR, 0, members);
  std::string all;
  for (std::size_t block = 0; all.size() < dealt.size(); ++block) {
    const std::size_t member = block % counts.size(), place = block / counts.size();
    all += dealt.substr(static_cast<std::size_t>(starts[member]) + place * digest_length, digest_length);
  }
  return all;
}

void write_at_end(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << text;
  file.close();
  if (!file) throw machine_error(fmt::format("cannot write the seal of '{}': {}", path, std::strerror(errno)));
}

struct ending {
  std::int64_t length = 0;  ///< of what the seal covers; negative: there is none
  std::string text;
};

ending read_ending(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  ending e{static_cast<std::int64_t>(file.tellg()) - seal_length, std::string(static_cast<std::size_t>(seal_length), '\0')};
  if (e.length > 0) file.seekg(e.length).read(e.text.data(), seal_length);
  if (!file || e.length <= 0 || !e.text.starts_with(magic)) e.length = -1;
  return e;
}

}  // namespace

std::vector<std::string> block_digests(const std::string& path, std::int64_t length, int member, int members) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::vector<std::string> digests;
  std::vector<char> block(static_cast<std::size_t>(std::min(block_length, length)));
  for (std::int64_t at = member * block_length; at < length; at += members * block_length) {
    const std::int64_t part = std::min(block_length, length - at);
    if (!file.seekg(at).read(block.data(), part)) throw data_error(fmt::format("cannot read '{}' to its end", path));
    digests.push_back(xxh64_of(std::as_bytes(std::span(block).first(static_cast<std::size_t>(part)))));
  }
  return digests;
}

void append_seal(const std::string& path) {
  write_at_end(path, seal_text(joined(block_digests(path, size_of_file(path), 0, 1))));
}

void append_seal(MPI_Comm members, const std::string& path) {
  std::int64_t length = 0;
  comm::together(members, [&] {
    if (comm::rank(members) == 0) length = size_of_file(path);
  });
  MPI_Bcast(&length, 1, MPI_INT64_T, 0, members);
  const std::string digests = gather_digests(members, path, length);
  comm::together(members, [&] {
    if (comm::rank(members) == 0) write_at_end(path, seal_text(digests));
  });
}

seal_state read_seal(const std::string& path) {
  const ending e = read_ending(path);
  if (e.length < 0) return seal_state::none;
  return seal_text(joined(block_digests(path, e.length, 0, 1))) == e.text ? seal_state::good : seal_state::wrong;
}

seal_state read_seal(MPI_Comm members, const std::string& path) {
  ending e;
  comm::together(members, [&] {
    if (comm::rank(members) == 0) e = read_ending(path);
  });
  MPI_Bcast(&e.length, 1, MPI_INT64_T, 0, members);
  if (e.length < 0) return seal_state::none;
  const std::string digests = gather_digests(members, path, e.length);
  int good = comm::rank(members) == 0 && seal_text(digests) == e.text;
  MPI_Bcast(&good, 1, MPI_INT, 0, members);
  return good ? seal_state::good : seal_state::wrong;
}

std::string seal_fault(seal_state found, const std::string& path, const std::string& what) {
  if (found == seal_state::wrong)
    return fmt::format(
        "the {} '{}' is damaged: its bytes do not match its seal; `osteon verify` says where, then make it again", what,
        path);
  return fmt::format(
      "'{}' is no complete {} of osteon: it does not end with a seal (truncated, changed or copied by another program, or "
      "another kind of file); `osteon verify --seal` checks a copy and seals it, otherwise make it again",
      path, what);
}

}  // namespace osteon::io
