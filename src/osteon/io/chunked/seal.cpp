#include <osteon/io/chunked/seal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/xxh3.hpp>
#include <osteon/base/xxh64.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/io/chunked/part_reader.hpp>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/temporary_file.hpp>
#include <vector>

namespace osteon::io {
namespace {

constexpr std::string_view magic = "\nosteon-seal-3\n", older_magic = "\nosteon-seal-2\n";
constexpr std::size_t number_length = 16;                     // hexadecimal digits
constexpr std::int64_t block_length = std::int64_t{4} << 20;  // size of parts that are not chunks
constexpr std::int64_t most_parts = std::int64_t{1} << 24;    // each variable has at most 2^20 planes

std::string as_number(std::int64_t value) { return fmt::format("{:016x}", value); }

/// Parse a hexadecimal number; negative if invalid.
std::int64_t number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const bool good = status == std::errc() && end == text.data() + text.size() && value <= INT64_MAX;
  return good ? static_cast<std::int64_t>(value) : -1;
}

std::string digest_of_text(const std::string& text) { return xxh3_of(std::as_bytes(std::span(text))); }

/// The seal at the end of a file. The digest of the seal is the digest of a text with the lengths of all parts, followed by
/// the digests of all parts.
struct ending {
  seal_state state = seal_state::none;  ///< good: the seal is valid, but the parts have not been read yet
  std::vector<std::int64_t> lengths;    ///< lengths of the parts, in order
  std::string table, digest;
  bool is_older = false;  ///< all digests are XXH64

  bool matches(const std::string& digests) const {
    const std::string all = table + digests;
    return (is_older ? xxh64_of(std::as_bytes(std::span(all))) : digest_of_text(all)) == digest;
  }
};

std::vector<std::int64_t> blocks_of(std::int64_t length) {
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(length / block_length), block_length);
  if (length % block_length > 0) blocks.push_back(length % block_length);
  return blocks;
}

std::string text_at(std::ifstream& file, const std::string& path, std::int64_t at, std::int64_t length) {
  std::string text(static_cast<std::size_t>(length), '\0');
  if (!file.seekg(at).read(text.data(), length))
    throw data_error(fmt::format("'{}': cannot read the data to the end of the file", path));
  return text;
}

ending read_ending(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  const auto size = static_cast<std::int64_t>(file.tellg());
  constexpr auto older_length = static_cast<std::int64_t>(older_magic.size() + digest_length),
                 length = static_cast<std::int64_t>(magic.size() + number_length + digest_length);
  ending e;
  if (size <= length) return e;
  const std::string last = text_at(file, path, size - length, length);
  if (const std::string older = last.substr(number_length); older.starts_with(older_magic)) {
    e.state = seal_state::good;
    e.is_older = true;
    e.lengths = blocks_of(size - older_length);
    e.digest = older.substr(older_magic.size());
  } else if (last.starts_with(magic)) {
    e.state = seal_state::wrong;
    const std::int64_t parts = number_in(last.substr(magic.size(), number_length)),
                       sealed = size - length - parts * static_cast<std::int64_t>(number_length);
    if (parts < 0 || parts > most_parts || sealed < parts) return e;
    e.table = text_at(file, path, sealed, size - length - sealed);
    e.digest = last.substr(magic.size() + number_length);
    std::int64_t left = sealed;
    for (std::size_t at = 0; at < e.table.size(); at += number_length) {
      const std::int64_t part = number_in(std::string_view(e.table).substr(at, number_length));
      if (part < 1 || part > left) return e;
      left -= part;
      e.lengths.push_back(part);
    }
    if (left == 0) e.state = seal_state::good;
  }
  return e;
}

/// Concatenated digests of the parts read by a member of a team. Members read approximately equal numbers of bytes.
std::string digests_of(const std::string& path, const ending& e, int member, int members) {
  part_reader file(path, error_kind::data);
  const std::int64_t all = std::accumulate(e.lengths.begin(), e.lengths.end(), std::int64_t{0}), share = all / members + 1;
  std::string digests;
  std::int64_t at = 0;
  for (const std::int64_t length : e.lengths) {
    if ((at + length / 2) / share == member) {
      const std::string digest = e.is_older ? file.older_digest(at, length) : file.digest(at, length);
      if (digest.empty()) throw data_error(fmt::format("'{}': cannot read the data to the end of the file", path));
      digests += digest;
    }
    at += length;
  }
  return digests;
}

/// Gather the digests of all parts, in order, on the first member. @collective on members
std::string gather_digests(MPI_Comm members, const std::string& path, const ending& e) {
  const int rank = comm::rank(members), size = comm::size(members);
  std::string mine, all;
  comm::collectively(members, [&] { mine = digests_of(path, e, rank, size); });
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(size));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, members);
  const std::vector<int> starts = comm::offsets_of(counts);
  comm::collectively(members, [&] {
    if (rank == 0) all.resize(e.lengths.size() * digest_length);
  });
  MPI_Gatherv(mine.data(), count, MPI_CHAR, all.data(), counts.data(), starts.data(), MPI_CHAR, 0, members);
  return all;
}

}  // namespace

void append_seal(const std::string& path, std::span<const file_part> known) {
  std::string table, digests;
  std::int64_t end = 0, parts = 0;  // size of the sealed data
  const auto add = [&](std::int64_t length, const std::string& digest) {
    if (digest.empty())
      throw machine_error(fmt::format("'{}': file is shorter than the data written; check the disk", path));
    table += as_number(length);
    digests += digest;
    end += length;
    ++parts;
  };
  part_reader file(path, error_kind::machine);
  const auto read_to = [&](std::int64_t address) {
    if (address < end) throw machine_error(fmt::format("'{}': overlapping parts; the file is damaged", path));
    while (end < address) {
      const std::int64_t length = std::min(block_length, address - end);
      add(length, file.digest(end, length));
    }
  };
  for (const file_part& part : known) {
    read_to(part.address);
    add(part.length, part.digest);
  }
  read_to(size_of_file(path));
  std::ofstream to(path, std::ios::binary | std::ios::app);
  to << table << magic << as_number(parts) << digest_of_text(table + digests);
  to.close();
  if (!to) throw machine_error(fmt::format("cannot write the seal of '{}': {}", path, std::strerror(errno)));
}

seal_state read_seal(const std::string& path) {
  const ending e = read_ending(path);
  if (e.state != seal_state::good) return e.state;
  return e.matches(digests_of(path, e, 0, 1)) ? seal_state::good : seal_state::wrong;
}

seal_state read_seal(MPI_Comm members, const std::string& path) {
  ending e;
  comm::collectively(members, [&] {
    if (comm::rank(members) == 0) e = read_ending(path);
  });
  std::int64_t known[3] = {static_cast<std::int64_t>(e.state), std::ssize(e.lengths), e.is_older};
  MPI_Bcast(known, 3, MPI_INT64_T, 0, members);
  e.state = static_cast<seal_state>(known[0]);
  e.is_older = known[2] != 0;
  if (e.state != seal_state::good) return e.state;
  comm::collectively(members, [&] { e.lengths.resize(static_cast<std::size_t>(known[1])); });
  MPI_Bcast(e.lengths.data(), static_cast<int>(known[1]), MPI_INT64_T, 0, members);
  const std::string digests = gather_digests(members, path, e);
  int good = comm::rank(members) == 0 && e.matches(digests);
  MPI_Bcast(&good, 1, MPI_INT, 0, members);
  return good ? seal_state::good : seal_state::wrong;
}

std::string seal_fault(seal_state found, const std::string& path, const std::string& kind) {
  if (found == seal_state::wrong)
    return fmt::format(
        "the {} '{}' is damaged: its bytes do not match its seal; locate the damage with `osteon verify`, and recreate the "
        "file",
        kind, path);
  return fmt::format(
      "'{}' is not a complete {} of osteon: no seal at its end (truncated, written by another program, or another kind of "
      "file); if another program copied a valid file, `osteon verify --seal` checks the copy and appends the seal; "
      "otherwise recreate the file",
      path, kind);
}

}  // namespace osteon::io
