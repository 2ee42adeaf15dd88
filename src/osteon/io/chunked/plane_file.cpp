#include <osteon/io/chunked/plane_file.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <numeric>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/neighbours.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/chunked/encode_chunks.hpp>
#include <osteon/io/chunked/part_reader.hpp>
#include <osteon/io/chunked/seal.hpp>

namespace osteon::io {
namespace {

constexpr std::int64_t largest_piece = std::int64_t{8} << 20;  // bytes of a piece of a rank, which fits into the cache
constexpr std::int64_t most_alone = std::int64_t{128} << 20;   // bytes of all ranks between two agreements on failures
constexpr std::int64_t metadata_reserve = 1 << 20;  // attributes, coordinates and the chunk index (about 0.1 MiB measured)
constexpr std::int64_t most_shipped = std::int64_t{64} << 20;  // bytes sent to a writer in a round, before compression

file_team all_ranks(MPI_Comm comm) {
  file_team team;
  team.ranks.resize(static_cast<std::size_t>(comm::size(comm)));
  std::iota(team.ranks.begin(), team.ranks.end(), 0);
  return team;
}

}  // namespace

plane_exchange exchange_of(MPI_Comm comm, const plane_file_plan& plan, const plane_variable& v) {
  const file_team packers = all_ranks(comm);
  access pieces = plan.options;
  pieces.bytes_per_call = std::min(pieces.bytes_per_call, largest_piece * std::ssize(packers.ranks));
  return plane_exchange(comm, packers, pieces, v.on_nodes ? plan.node_planes : plan.cell_planes, v.planes, v.chunk_planes,
                        v.bytes_per_plane());
}

void count_write_messages(MPI_Comm comm, const plane_file_plan& plan, const plane_variable& v) {
  const plane_exchange exchange = exchange_of(comm, plan, v);
  const index3 points = plan.header.shape + (v.on_nodes ? index3{1, 1, 1} : index3{});
  const std::int64_t point_bytes = v.bytes_per_plane() / (points.y * points.x);
  const piece_gather gather(comm, exchange, *plan.boxes, v.on_nodes, point_bytes);
  for (std::int64_t round = 0; round < exchange.rounds(); ++round)
    comm::neighbours(comm, 0, gather.plan_of(round)).count_messages(static_cast<std::size_t>(point_bytes));
}

plane_file::plane_file(MPI_Comm comm, const std::string& path, plane_file_plan plan,
                       const std::function<void(std::span<const plane_variable>)>& describe)
    : comm_(comm),
      plan_(std::move(plan)),
      team_(file_team::make(comm, path, plan_.options, direction::write)),
      packers_(all_ranks(comm)),
      address_(plan_.variables.size(), -1),
      digests_(plan_.variables.size()),
      written_(plan_.variables.size()) {
  if (team_.mode != access_mode::parallel)
    plan_.options.bytes_per_call = std::min(plan_.options.bytes_per_call, most_shipped * std::ssize(team_.ranks));
  for (const plane_variable& v : plan_.variables) index_reserve_ += 256 * v.chunks();
  comm::collectively(comm_, [&] {
    check_hints(plan_.options);
    check_storage(plan_.stored);
    if (comm::rank(comm_) == 0) {
      temporary_ = std::make_unique<temporary_file>(path);
      name_ = temporary_->name();
      reserve_space(name_, metadata_reserve);
    }
  });
  name_ = comm::broadcast(comm_, name_);
  comm::outcome opened;  // members open the file collectively; the other ranks receive errors afterwards
  if (team_.member()) opened = comm::outcome_of([&] { file_ = std::make_unique<shared_file>(name_, team_, plan_.options); });
  comm::throw_first_error(comm_, opened);
  comm::collectively(comm_, [&] {
    if (comm::rank(comm_) == 0) define(describe);
  });
  MPI_Bcast(address_.data(), static_cast<int>(address_.size()), MPI_INT64_T, 0, comm_);
}

/// Define the metadata of the file on rank 0.
void plane_file::define(const std::function<void(std::span<const plane_variable>)>& describe) {
  int id = -1;
  check_netcdf(nc_create(netcdf_path(name_), NC_NETCDF4 | NC_CLOBBER, &id), fmt::format("create '{}'", name_));
  netcdf_file file(id, netcdf_file::use::writing);
  reserve_space(name_, metadata_reserve + index_reserve_);  // the creation of the file released the reserve
  const layout at = define_layout(id, plan_.header, plan_.schema, plan_.with_nodes, plan_.attributes);
  for (plane_variable& v : plan_.variables) define_plane_variable(at, v, plan_.stored);
  describe(plan_.variables);
  check_netcdf(nc_enddef(id), fmt::format("create '{}'", name_));
  file.close();
  reserve_space(name_, metadata_reserve + index_reserve_);
  index_ = std::make_unique<chunk_index>(name_, plan_.options.alignment_bytes);
  if (plan_.stored.method != compression::none) return;
  for (std::size_t i = 0; i < address_.size(); ++i) address_[i] = index_->place_all(plan_.variables[i]);
}

/// Reserve space at the end of the file for `values` bytes of values and for the metadata.
///
/// Space is allocated only for data written by libraries, which may hang or ignore a full disk. For plain writes, only the
/// limits are checked, because allocation costs as much as writing, and a failed plain write returns an error.
void plane_file::reserve(std::int64_t values) {
  const std::int64_t metadata = metadata_reserve + index_reserve_;
  comm::collectively(comm_, [&] {
    if (!team_.member()) return;
    check_size_limit(name_, values + metadata);
    if (comm::rank(comm_) == 0 && (values == 0 || !writes_plainly(team_, plan_.options)))
      reserve_space(name_, values + metadata);
  });
}

/// Record the chunks written by this rank and their addresses.
std::vector<extent> plane_file::record(std::size_t index, std::span<const stored_chunk> chunks,
                                       std::span<const std::span<const std::byte>> bytes) {
  std::vector<extent> extents;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    chunks_.push_back({index, chunks[i]});
    extents.push_back({chunks[i].address, bytes[i]});
  }
  return extents;
}

/// Perform a round: encode a piece of each rank, assign addresses, send chunks to the writers and write them.
void plane_file::put(std::size_t index, plane_range part, std::span<const std::byte> values) {
  const plane_variable& v = plan_.variables[index];
  encoded_piece piece;
  comm::collectively(comm_, [&] {
    piece = encode_chunks(v, plan_.stored, part, values);
    digests_[index] += piece.value_digests;
  });
  if (plan_.stored.method == compression::none) {
    for (stored_chunk& c : piece.chunks) c.address = address_[index] + c.first_plane * v.bytes_per_plane();
  } else {
    std::int64_t bytes = 0;
    for (const stored_chunk& c : piece.chunks) bytes += c.bytes;
    comm::all_reduce(comm_, &bytes, 1, MPI_SUM);
    reserve(bytes);
    place_chunks(comm_, piece.chunks, [&](std::span<stored_chunk> all) {
      for (stored_chunk& c : all) c.address = index_->place_chunk(v, c.first_plane, c.bytes);
    });
  }
  const chunks_to_write mine = ship_chunks(comm_, team_, plan_.options.bytes_per_message, piece);
  std::vector<extent> extents;
  comm::collectively(comm_, [&] { extents = record(index, mine.chunks, mine.bytes); });
  comm::outcome written;
  if (team_.member()) written = comm::outcome_of([&] { file_->write(extents); });
  comm::throw_first_error(comm_, written);
}

/// Write an uncompressed piece of this rank without communication. @collective local
void plane_file::put_locally(std::size_t index, plane_range part, std::span<const std::byte> values) {
  const plane_variable& v = plan_.variables[index];
  encoded_piece piece = encode_chunks(v, plan_.stored, part, values);
  digests_[index] += piece.value_digests;
  for (stored_chunk& c : piece.chunks) c.address = address_[index] + c.first_plane * v.bytes_per_plane();
  file_->write(record(index, piece.chunks, piece.bytes));
}

void plane_file::write(std::size_t index, const plane_source<std::byte>& make, std::span<const std::byte> made) {
  const plane_variable& v = plan_.variables[index];
  comm::collectively(comm_, [&] {
    if (written_[index]) throw usage_error(fmt::format("field '{}' was already written; write each field once", v.name));
  });
  if (plan_.stored.method == compression::none)
    comm::collectively(comm_, [&] {
      const std::int64_t all = v.planes * v.bytes_per_plane();
      if (team_.member()) check_size_limit(name_, address_[index] + all - size_of_file(name_));
      if (comm::rank(comm_) == 0 && !writes_plainly(team_, plan_.options)) reserve_range(name_, address_[index], all);
    });
  const plane_exchange exchange = exchange_of(comm_, plan_, v);
  const index3 points = plan_.header.shape + (v.on_nodes ? index3{1, 1, 1} : index3{});
  const piece_gather gather(comm_, exchange, *plan_.boxes, v.on_nodes, v.bytes_per_plane() / (points.y * points.x));
  const bool rounds = v.type == NC_FLOAT && plan_.stored.significant_digits > 0;
  const bool apart = plan_.stored.method == compression::none && writes_plainly(team_, plan_.options) &&
                     team_.ranks.size() == packers_.ranks.size();
  const std::int64_t below = plan_.boxes->box_of(comm::rank(comm_)).begin.z;
  const std::int64_t rounds_alone = std::max<std::int64_t>(most_alone / largest_piece / std::ssize(packers_.ranks), 1);
  std::vector<std::byte> values;
  comm::outcome alone;  // outcome of rounds without communication
  for (std::int64_t round = 0; round < exchange.rounds(); ++round) {
    const plane_range part = exchange.piece(round);
    const auto bytes = static_cast<std::size_t>(part.size() * v.bytes_per_plane());
    const auto round_values = [&] {
      if (rounds)
        round_to_bits({reinterpret_cast<float*>(values.data()), values.size() / sizeof(float)},
                      bits_for_digits(plan_.stored.significant_digits));
    };
    if (apart && gather.is_alone(round)) {
      comm::attempt(alone, [&] {
        if (bytes == 0) return;  // this rank has no further pieces; `part` may be outside of its box
        const std::int64_t first = part.begin - below;
        if (!made.empty() && !rounds)
          return put_locally(index, part, made.subspan(static_cast<std::size_t>(first * v.bytes_per_plane()), bytes));
        values.resize(bytes);
        make(first, part.size(), values);
        round_values();
        put_locally(index, part, values);
      });
      if ((round + 1) % rounds_alone == 0) comm::throw_first_error(comm_, alone);
      continue;
    }
    comm::throw_first_error(comm_, alone);
    comm::collectively(comm_, [&] { values.resize(bytes); });
    gather.gather(round, make, values);
    round_values();
    put(index, part, values);
  }
  comm::throw_first_error(comm_, alone);
  written_[index] = true;
}

/// Compare the file with the data written by this rank, because a file system may lose a write without an error.
void plane_file::read_back() const {
  part_reader file(name_, error_kind::machine);
  for (const written_chunk& w : chunks_)
    if (file.digest(w.chunk.address, w.chunk.bytes) != w.digest())
      throw machine_error(fmt::format("field '{}' of '{}' differs from the written data, from plane {} on; check the disk",
                                      plan_.variables[w.variable].name, name_, w.chunk.first_plane));
}

/// Gather the written chunks of all ranks on rank 0, sorted by address. @collective on comm_
std::vector<plane_file::written_chunk> plane_file::collect_chunks() const {
  static_assert(std::is_trivially_copyable_v<written_chunk>);
  constexpr int bytes = static_cast<int>(sizeof(written_chunk));
  const int mine = static_cast<int>(chunks_.size()) * bytes;
  std::vector<int> counts(packers_.ranks.size());
  MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_);
  const std::vector<int> starts = comm::offsets_of(counts);
  std::vector<written_chunk> all;
  comm::collectively(comm_, [&] {
    if (comm::rank(comm_) == 0) all.resize(static_cast<std::size_t>((starts.back() + counts.back()) / bytes));
  });
  MPI_Gatherv(chunks_.data(), mine, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE, 0, comm_);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.chunk.address < b.chunk.address; });
  return all;
}

/// Check that the HDF5 index contains the addresses of all chunks.
void plane_file::check_places(std::span<const written_chunk> all) const {
  chunk_places places(name_);
  for (const auto& [index, chunk] : all) {
    const plane_variable& v = plan_.variables[index];
    const chunk_places::place found = places.of(v, chunk.first_plane);
    if (found.address != chunk.address || (found.bytes != chunk.bytes && found.bytes != 0))
      throw machine_error(fmt::format("HDF5 index of '{}': missing address of field '{}', plane {}; use another folder",
                                      name_, v.name, chunk.first_plane));
  }
}

/// Gather the digests of each variable on rank 0, in the order of the chunks. @collective on comm_
std::vector<std::string> plane_file::collect_digests() const {
  std::vector<std::string> all(digests_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int mine = static_cast<int>(digests_[i].size());
    std::vector<int> counts(packers_.ranks.size());
    MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_);
    const std::vector<int> starts = comm::offsets_of(counts);
    if (comm::rank(comm_) == 0) all[i].resize(static_cast<std::size_t>(plan_.variables[i].chunks()) * digest_length);
    MPI_Gatherv(digests_[i].data(), mine, MPI_CHAR, all[i].data(), counts.data(), starts.data(), MPI_CHAR, 0, comm_);
  }
  return all;
}

file_report plane_file::close() {
  comm::collectively(comm_, [&] {
    for (std::size_t i = 0; i < written_.size(); ++i)
      if (!written_[i])
        throw usage_error(
            fmt::format("field '{}' was not written; write all fields before close()", plan_.variables[i].name));
  });
  reserve(0);
  comm::outcome closed;
  if (team_.member()) closed = comm::outcome_of([&] { file_->close(); });
  comm::throw_first_error(comm_, closed);
  comm::collectively(comm_, [&] {
    if (index_) index_->close();
  });
  const std::vector<std::string> all = collect_digests();
  const std::vector<written_chunk> chunks = collect_chunks();
  const bool first = comm::rank(comm_) == 0;
  comm::collectively(comm_, [&] {
    if (!first) return;
    reserve_space(name_, metadata_reserve + index_reserve_);
    finish_file(name_, plan_.header, plan_.with_nodes, plan_.variables, all);
    if (plan_.options.read_back) check_places(chunks);
  });
  // The chunks are complete. After writes by several hosts or by a library, cached data are flushed now. Otherwise commit()
  // flushes the cached data later, when the disk has written most of the data.
  comm::collectively(comm_, [&] {
    if (!team_.member()) return;
    if (!writes_plainly(team_, plan_.options)) sync_file(name_);
    if (plan_.options.read_back) read_back();
  });
  comm::collectively(comm_, [&] {
    if (!first) return;
    std::vector<file_part> parts;
    for (const written_chunk& w : chunks) parts.push_back({w.chunk.address, w.chunk.bytes, w.digest()});
    append_seal(name_, parts);
  });

  file_report report{0, 0, 0, team_.mode, team_.system.name};
  for (const plane_variable& v : plan_.variables) report.values += v.planes * v.bytes_per_plane();
  comm::collectively(comm_, [&] {
    if (!first) return;
    release_reserve(name_);
    report.bytes = size_of_file(name_);
    temporary_->commit();
  });
  MPI_Bcast(&report.bytes, 1, MPI_INT64_T, 0, comm_);
  return report;
}

}  // namespace osteon::io
