#include <osteon/io/plane_file.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <osteon/base/xxh64.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/io/create_file.hpp>
#include <osteon/io/seal.hpp>

namespace osteon::io {
namespace {

constexpr std::int64_t largest_piece = std::int64_t{64} << 20;  // that a rank of the team makes at a time
constexpr std::int64_t metadata_reserve = 1 << 20;  // attributes, coordinates and the chunk index (~ 0.1 MiB measured)

std::int64_t largest_growth(const plane_variable& v, std::int64_t planes) {
  // deflate stores what it cannot shrink: 5 bytes per 16 KiB and a little; then index and checksum of each chunk
  const std::int64_t raw = planes * v.bytes_per_plane();
  return raw + raw / 1024 + 256 * (planes / v.chunk_planes + 1);
}

}  // namespace

plane_file::plane_file(MPI_Comm comm, const std::string& path, plane_file_plan plan,
                       const std::function<void(std::span<const plane_variable>)>& describe)
    : comm_(comm), plan_(std::move(plan)), team_(file_team::make(comm, path, plan_.how, direction::write)) {
  comm::together(comm_, [&] {
    check_hints(plan_.how);
    if (team_.member()) check_storage(plan_.stored);
    if (comm::rank(comm_) == 0) {
      temporary_ = std::make_unique<temporary_file>(path);
      name_ = temporary_->name();
      reserve_space(name_, metadata_reserve);
    }
  });
  name_ = comm::broadcast(comm_, name_);
  int status = NC_NOERR, id = -1;
  if (team_.member()) status = create_file(name_, team_, plan_.how, id);
  if (id >= 0) file_ = netcdf_file(id);
  comm::together(comm_, [&] { check_netcdf(status, fmt::format("create '{}'", name_)); });
  reserve(0);  // creating the file gave the reserve back
  comm::together(comm_, [&] {
    if (!team_.member()) return;
    const layout at = define_layout(id, plan_.header, plan_.schema, plan_.with_nodes, plan_.attributes);
    for (plane_variable& v : plan_.variables) define_plane_variable(at, v, plan_.stored);
    describe(plan_.variables);
  });
  for (const plane_variable& v : plan_.variables) index_reserve_ += 256 * v.chunks();
  digests_.resize(plan_.variables.size());
  written_.resize(plan_.variables.size());
  reserve(0);
  if (team_.member()) status = end_definitions(id, team_, plan_.variables);
  comm::together(comm_, [&] { check_netcdf(status, fmt::format("create '{}'", name_)); });
}

void plane_file::reserve(std::int64_t bytes) {
  const std::int64_t all = bytes + metadata_reserve + index_reserve_;
  comm::together(comm_, [&] {
    if (comm::rank(comm_) == 0)
      reserve_space(name_, all);
    else if (team_.member())
      check_size_limit(name_, all);
  });
}

plane_exchange plane_file::exchange_of(const plane_variable& v) const {
  access pieces = plan_.how;
  pieces.bytes_per_call = std::min(pieces.bytes_per_call, largest_piece * static_cast<std::int64_t>(team_.ranks.size()));
  return plane_exchange(comm_, team_, pieces, v.on_nodes ? plan_.node_planes : plan_.cell_planes, v.planes, v.chunk_planes,
                        v.bytes_per_plane());
}

/// One collective call of the team; a member without planes calls with none.
void plane_file::put(const plane_variable& v, plane_range part, std::span<const std::byte> values, std::string& digest) {
  std::int64_t planes = part.size();
  MPI_Allreduce(MPI_IN_PLACE, &planes, 1, MPI_INT64_T, MPI_SUM, comm_);
  reserve(largest_growth(v, planes) + 256 * comm::size(comm_));

  const std::size_t plane = static_cast<std::size_t>(v.bytes_per_plane());
  comm::together(comm_, [&] {
    for (std::int64_t z = part.begin; z < part.end; z += v.chunk_planes)
      digest += xxh64_of(values.subspan(static_cast<std::size_t>(z - part.begin) * plane,
                                        static_cast<std::size_t>(std::min(v.chunk_planes, part.end - z)) * plane));
  });
  std::vector<std::size_t> start(1 + v.plane_shape.size(), 0), count(1, static_cast<std::size_t>(part.size()));
  count.insert(count.end(), v.plane_shape.begin(), v.plane_shape.end());
  start[0] = part.size() > 0 ? static_cast<std::size_t>(part.begin) : 0;
  const std::byte none{};
  int status = NC_NOERR;
  if (team_.member())
    status = nc_put_vara(v.group, v.id, start.data(), count.data(), values.empty() ? &none : values.data());
  comm::together(comm_, [&] { check_netcdf(status, fmt::format("write '{}' to '{}'", v.name, name_)); });
}

void plane_file::write(std::size_t index, const plane_source<std::byte>& make) {
  const plane_variable& v = plan_.variables[index];
  comm::together(comm_, [&] {
    if (written_[index]) throw usage_error(fmt::format("the field '{}' is written twice", v.name));
  });
  const plane_exchange exchange = exchange_of(v);
  const index3 points = plan_.header.shape + (v.on_nodes ? index3{1, 1, 1} : index3{});
  const piece_gather gather(comm_, exchange, *plan_.boxes, v.on_nodes, v.bytes_per_plane() / (points.y * points.x));
  const bool rounds = v.type == NC_FLOAT && plan_.stored.significant_digits > 0;
  std::vector<std::byte> values;
  for (std::int64_t round = 0; round < exchange.rounds(); ++round) {
    const plane_range part = exchange.piece(round);
    comm::together(comm_, [&] { values.resize(static_cast<std::size_t>(part.size() * v.bytes_per_plane())); });
    gather.gather(round, make, values);
    if (rounds)
      round_to_bits({reinterpret_cast<float*>(values.data()), values.size() / sizeof(float)},
                    bits_for_digits(plan_.stored.significant_digits));
    put(v, part, values, digests_[index]);
  }
  written_[index] = true;
}

/// MPI-IO may lose a write without saying so: compare what lies in the file with the digests of what was written.
void plane_file::read_back() {
  int id = -1;
  check_netcdf(nc_open(name_.c_str(), NC_NOWRITE, &id), fmt::format("read '{}' back", name_));
  netcdf_file opened(id);
  for (std::size_t i = 0; i < plan_.variables.size(); ++i) {
    const plane_variable& v = plan_.variables[i];
    const std::int64_t k = v.chunk_planes;
    int group = -1, variable = -1;
    const std::string path = fmt::format("/VTKHDF/{}", v.on_nodes ? "PointData" : "CellData");
    check_netcdf(nc_inq_grp_full_ncid(id, path.c_str(), &group), fmt::format("read '{}' back", v.name));
    check_netcdf(nc_inq_varid(group, v.name.c_str(), &variable), fmt::format("read '{}' back", v.name));
    std::vector<std::byte> values(static_cast<std::size_t>(std::min(k, v.planes) * v.bytes_per_plane()));
    std::int64_t z = exchange_of(v).handled().begin;
    for (std::size_t at = 0; at < digests_[i].size(); at += digest_length, z += k) {
      std::vector<std::size_t> start(1 + v.plane_shape.size(), 0),
          count(1, static_cast<std::size_t>(std::min(k, v.planes - z)));
      start[0] = static_cast<std::size_t>(z);
      count.insert(count.end(), v.plane_shape.begin(), v.plane_shape.end());
      check_netcdf(nc_get_vara(group, variable, start.data(), count.data(), values.data()),
                   fmt::format("read '{}' back", v.name));
      if (xxh64_of(std::span(values).first(count[0] * static_cast<std::size_t>(v.bytes_per_plane()))) !=
          digests_[i].substr(at, digest_length))
        throw machine_error(fmt::format("'{}' of '{}' reads back differently from plane {} on; the file system lost a write",
                                        v.name, name_, z));
    }
  }
}

/// By variable, on the first rank; chunks ascend with the members of the team. @collective on team_.comm
std::vector<std::string> plane_file::collect_digests() const {
  const MPI_Comm members = team_.comm.get();
  std::vector<std::string> all(digests_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int mine = static_cast<int>(digests_[i].size());
    std::vector<int> counts(team_.ranks.size()), starts(team_.ranks.size());
    MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, members);
    for (std::size_t r = 1; r < counts.size(); ++r) starts[r] = starts[r - 1] + counts[r - 1];
    if (comm::rank(members) == 0) all[i].resize(static_cast<std::size_t>(plan_.variables[i].chunks()) * digest_length);
    MPI_Gatherv(digests_[i].data(), mine, MPI_CHAR, all[i].data(), counts.data(), starts.data(), MPI_CHAR, 0, members);
  }
  return all;
}

file_report plane_file::close() {
  comm::together(comm_, [&] {
    for (std::size_t i = 0; i < written_.size(); ++i)
      if (!written_[i])
        throw usage_error(fmt::format("the field '{}' was never written; write it before close()", plan_.variables[i].name));
  });
  reserve(0);
  comm::together(comm_, [&] {
    if (team_.member()) file_.close();
  });
  comm::together(comm_, [&] {
    if (!team_.member()) return;
    sync_file(name_);
    if (plan_.how.read_back) read_back();
  });
  std::vector<std::string> all;
  if (team_.member()) all = collect_digests();
  const bool first = comm::rank(comm_) == 0;
  comm::together(comm_, [&] {
    if (!first) return;
    reserve_space(name_, metadata_reserve + index_reserve_);
    finish_file(name_, plan_.header, plan_.with_nodes, plan_.variables, all);
  });
  comm::outcome sealed;  // a collective of the team alone: the others learn of its errors afterwards
  if (team_.member()) sealed = comm::outcome_of([&] { append_seal(team_.comm.get(), name_); });
  comm::agree(comm_, sealed);

  file_report report{0, 0, 0, team_.mode, team_.system.name};
  for (const plane_variable& v : plan_.variables) report.values += v.planes * v.bytes_per_plane();
  comm::together(comm_, [&] {
    if (!first) return;
    release_reserve(name_);
    report.bytes = size_of_file(name_);
    temporary_->commit();
  });
  MPI_Bcast(&report.bytes, 1, MPI_INT64_T, 0, comm_);
  return report;
}

}  // namespace osteon::io
