#include <fmt/format.h>
#include <netcdf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <osteon/base/container_limits.hpp>
#include <osteon/base/xxh3.hpp>
#include <osteon/base/xxh64.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/io/chunked/plane_exchange.hpp>
#include <osteon/io/files/check_whole.hpp>
#include <osteon/io/files/model_checks.hpp>
#include <osteon/io/files/model_conditions.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/files/model_header_bytes.hpp>
#include <osteon/io/files/open_model.hpp>

namespace osteon::io {
namespace {

voxel::model_header read_header(const std::string& path) {
  const model_reader file(path);
  voxel::model_header header;
  const auto extent = [&](const char* name) {
    return static_cast<std::int64_t>(std::min<std::size_t>(file.length(file.id(), name), INT64_MAX));
  };
  header.shape = {extent("z"), extent("y"), extent("x")};
  const int vtk = file.group("/VTKHDF"), group = file.group("/model");
  header.spacing_mm = file.triple_xyz(vtk, "Spacing");
  header.origin_mm = file.triple_xyz(vtk, "Origin");
  check_geometry(header.shape, header.spacing_mm, header.origin_mm);
  const std::size_t materials = file.length(group, "material"), planes = static_cast<std::size_t>(header.shape.z);
  if (materials < 1 || materials > most_materials + 1)
    throw data_error(fmt::format("'{}': number of materials ({}): must be 1 to {}", path, materials, most_materials + 1));
  std::string names(materials * largest_name, '\0');
  std::vector<double> modulus(materials), poisson(materials), conductivity(materials);
  std::vector<long long> active(planes);
  file.check(nc_get_var_text(group, file.variable(group, "name", NC_CHAR, {materials, largest_name}), names.data()), "name");
  const auto read = [&](const char* name, std::vector<double>& values) {
    file.check(nc_get_var_double(group, file.variable(group, name, NC_DOUBLE, {materials}), values.data()), name);
  };
  read("youngs_modulus", modulus);
  read("poisson_ratio", poisson);
  read("conductivity", conductivity);
  file.check(nc_get_var_longlong(group, file.variable(group, "active_per_plane", NC_INT64, {planes}), active.data()),
             "active_per_plane");
  for (std::size_t i = 0; i < materials; ++i) {
    const std::string name = names.substr(i * largest_name, largest_name);
    header.materials.push_back({name.substr(0, name.find('\0')), modulus[i], poisson[i], conductivity[i]});
  }
  header.active_per_plane.assign(active.begin(), active.end());
  header.source = file.text(file.id(), "source");
  header.source_sha256 = file.text(file.id(), "source_sha256");
  header.provenance_json = file.text(file.id(), "provenance");
  header.conditions = read_conditions(file, group, header.shape);
  check_header(header);
  return header;
}

/// Reads and checks chunks of the voxels of a model.
class voxel_reader {
 public:
  voxel_reader(const std::string& path, const voxel::model_header& header)
      : path_(path), file_(path), n_(header.shape), k_(make_material_variable(header).chunk_planes) {
    const auto z = static_cast<std::size_t>(n_.z), y = static_cast<std::size_t>(n_.y), x = static_cast<std::size_t>(n_.x);
    const std::size_t chunks = static_cast<std::size_t>((n_.z + k_ - 1) / k_);
    cells_ = file_.group("/VTKHDF/CellData");
    integrity_ = file_.group("/integrity");
    has_bytes_ = material_type(header.materials) == NC_UBYTE;
    id_ = file_.variable(cells_, "material", material_type(header.materials), {z, y, x});
    digest_id_ = file_.variable(integrity_, "material", NC_CHAR, {chunks, digest_length});
    new_digests_ = has_new_digests(integrity_, digest_id_);
    if (const std::string missing = missing_filter(cells_, id_); !missing.empty())
      throw data_error(fmt::format("'{}': cannot read the voxels: {}", path, missing));
    int kind = NC_CONTIGUOUS;
    std::array<std::size_t, 3> stored{};
    file_.check(nc_inq_var_chunking(cells_, id_, &kind, stored.data()), "material");
    // HDF5 decompresses complete chunks. Programs that copy a file may select other chunk shapes than osteon.
    if (kind == NC_CHUNKED && stored != std::array{static_cast<std::size_t>(k_), y, x} &&
        (has_bytes_ ? 1.0 : 2.0) * static_cast<double>(stored[0]) * static_cast<double>(stored[1]) *
                static_cast<double>(stored[2]) >
            largest_chunk)
      throw data_error(
          fmt::format("'{}': chunks of {} x {} x {} voxels exceed the limit of {:.0f} bytes; import the image again", path,
                      stored[0], stored[1], stored[2], largest_chunk));
  }

  std::int64_t chunk_planes() const { return k_; }

  /// Read the chunk that begins at z.
  void read(std::int64_t z) {
    const std::int64_t planes = std::min(k_, n_.z - z);
    const auto voxels = static_cast<std::size_t>(planes * n_.y * n_.x);
    has_bytes_ ? bytes_.resize(voxels) : numbers_.resize(voxels);
    const std::span<std::byte> values =
        has_bytes_ ? std::as_writable_bytes(std::span(bytes_)) : std::as_writable_bytes(std::span(numbers_));
    const std::size_t start[3] = {static_cast<std::size_t>(z), 0, 0};
    const std::size_t count[3] = {static_cast<std::size_t>(planes), static_cast<std::size_t>(n_.y),
                                  static_cast<std::size_t>(n_.x)};
    file_.check(nc_get_vara(cells_, id_, start, count, values.data()), "material");
    std::string digest(digest_length, '\0');
    const std::size_t row[2] = {static_cast<std::size_t>(z / k_), 0}, length[2] = {1, digest_length};
    file_.check(nc_get_vara_text(integrity_, digest_id_, row, length, digest.data()), "digests");
    if ((new_digests_ ? xxh3_of(values) : xxh64_of(values)) != digest)
      throw data_error(
          fmt::format("'{}': planes {} to {} are damaged (wrong digest); import the image again", path_, z, z + planes - 1));
  }

  /// Voxels [begin, end) of the chunk that was read.
  void copy(std::int64_t begin, std::int64_t end, material_number* to) const {
    if (has_bytes_)
      std::copy(bytes_.begin() + begin, bytes_.begin() + end, to);
    else
      std::copy(numbers_.begin() + begin, numbers_.begin() + end, to);
  }

 private:
  static constexpr double largest_chunk = 268435456.0;
  std::string path_;
  model_reader file_;
  index3 n_;
  std::int64_t k_;
  int cells_ = -1, integrity_ = -1, id_ = -1, digest_id_ = -1;
  std::vector<std::uint8_t> bytes_;       // values of a file of bytes
  std::vector<material_number> numbers_;  // values of a file of 16-bit integers
  bool new_digests_ = true, has_bytes_ = true;
};

void check_memory(const std::string& path, std::int64_t bytes) {
  const double of_host = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double memory = limits_of_container().memory_bytes.value_or(of_host);
  if (static_cast<double>(bytes) > memory)
    throw data_error(fmt::format(
        "model '{}': the part of a rank ({} bytes) exceeds the memory of this host or container ({:.0f} bytes); use "
        "more ranks on more hosts",
        path, bytes, memory));
}

/// Planes of each rank. The range of a rank without planes is empty and begins at the end of the previous range.
std::vector<plane_range> gather_ranges(MPI_Comm comm, const box3& part) {
  const std::int64_t mine[2] = {part.begin.z, part.empty() ? part.begin.z : part.end.z};
  std::vector<std::int64_t> all(2 * static_cast<std::size_t>(comm::size(comm)));
  MPI_Allgather(mine, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm);
  std::vector<plane_range> ranges;
  for (std::size_t r = 0; 2 * r < all.size(); ++r) {
    plane_range range{all[2 * r], all[2 * r + 1]};
    if (range.size() == 0) range.begin = range.end = ranges.empty() ? 0 : ranges.back().end;
    ranges.push_back(range);
  }
  return ranges;
}

/// Read the planes of this rank. A chunk with planes of two ranks is read by both ranks.
void read_own(const std::string& path, const voxel::model_header& header, const box3& part,
              std::span<material_number> result) {
  voxel_reader reader(path, header);
  const std::int64_t plane = header.shape.y * header.shape.x, k = reader.chunk_planes();
  const std::int64_t begin = part.begin.z, end = part.end.z;
  for (std::int64_t z = begin / k * k; z < end; z += k) {
    reader.read(z);
    const std::int64_t from = std::max(begin, z), to = std::min(end, z + k);
    reader.copy((from - z) * plane, (to - z) * plane, result.data() + (from - begin) * plane);
  }
}

/// Read pieces on the members of a team, and distribute their planes. @collective on comm
void read_for_others(MPI_Comm comm, const file_team& team, const access& options, const std::string& path,
                     const voxel::model_header& header, const box3& part, std::span<material_number> result) {
  const std::int64_t plane = header.shape.y * header.shape.x, k = make_material_variable(header).chunk_planes;
  access pieces = options;
  pieces.bytes_per_call =
      std::min(options.bytes_per_call, (std::int64_t{64} << 20) * static_cast<std::int64_t>(team.ranks.size()));
  const plane_exchange exchange(comm, team, pieces, gather_ranges(comm, part), header.shape.z, k,
                                static_cast<std::int64_t>(sizeof(material_number)) * plane);
  std::optional<voxel_reader> reader;
  comm::collectively(comm, [&] {
    if (team.member()) reader.emplace(path, header);
  });
  std::vector<material_number> piece;
  for (std::int64_t round = 0; round < exchange.rounds(); ++round) {
    const plane_range mine = exchange.piece(round);
    comm::collectively(comm, [&] {
      piece.resize(static_cast<std::size_t>(mine.size() * plane));
      for (std::int64_t z = mine.begin; z < mine.end; z += k) {
        reader->read(z);
        reader->copy(0, (std::min(z + k, mine.end) - z) * plane, piece.data() + (z - mine.begin) * plane);
      }
    });
    exchange.scatter(round, std::as_bytes(std::span(piece)), std::as_writable_bytes(result));
  }
}

}  // namespace

voxel::model_header read_model_header(const std::string& path, log_sink& log) {
  if (const std::string warning = check_whole(path, "model"); !warning.empty()) log.warn(warning);
  return read_header(path);
}

voxel::model_header read_model_header(MPI_Comm comm, const std::string& path, const access& options, log_sink& log) {
  voxel::model_header header;
  std::vector<char> bytes;
  std::int64_t size = 0;
  const file_team team = file_team::make(comm, path, options, direction::read);
  comm::outcome checked;
  if (team.member())
    checked = comm::outcome_of([&] {
      if (const std::string warning = check_whole(team.comm.get(), path, "model"); !warning.empty()) log.warn(warning);
    });
  comm::throw_first_error(comm, checked);
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    header = read_header(path);
    bytes = pack(header);
    size = std::ssize(bytes);
  });
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
  comm::collectively(comm, [&] { bytes.resize(static_cast<std::size_t>(size)); });
  MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
  comm::collectively(comm, [&] { header = unpack(bytes); });
  return header;
}

std::vector<material_number> read_model_planes(MPI_Comm comm, const std::string& path, const voxel::model_header& header,
                                               const box3& part, const access& options) {
  const file_team team = file_team::make(comm, path, options, direction::read);
  const bool reads_own = team.mode == access_mode::parallel || comm::size(comm) == 1;
  std::vector<material_number> result;
  comm::collectively(comm, [&] {
    check_memory(path, static_cast<std::int64_t>(sizeof(material_number)) * part.volume());
    result.resize(static_cast<std::size_t>(part.volume()));
    if (reads_own && !part.empty()) read_own(path, header, part, result);
  });
  if (!reads_own) read_for_others(comm, team, options, path, header, part, result);
  comm::collectively(comm, [&] { check_voxels(path, header, part.begin.z, result); });
  return result;
}

std::vector<material_number> read_model_planes(const std::string& path, const voxel::model_header& header,
                                               const grid::block& where, const access& options) {
  return read_model_planes(where.comm, path, header, where.owned, options);
}

}  // namespace osteon::io
