#include <osteon/io/result_file.hpp>

#include <fmt/format.h>
#include <netcdf.h>
#include <netcdf_par.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/digest.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/grid/redistribute.hpp>
#include <osteon/io/chunk_align.hpp>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/temporary_file.hpp>

namespace osteon::io {
namespace {

constexpr std::int64_t metadata_reserve = 1 << 20;  // attributes, coordinates and the chunk index (~ 0.1 MiB measured)

std::int64_t largest_growth(const plane_variable& v, std::int64_t planes) {
  // deflate stores what it cannot shrink: 5 bytes per 16 KiB and a little; then index and checksum of each chunk
  const std::int64_t raw = planes * v.bytes_per_plane();
  return raw + raw / 1024 + 256 * (planes / v.chunk_planes + 1);
}

std::string broadcast_text(MPI_Comm comm, std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
  return text;
}

}  // namespace

struct result_writer::state {
  comm::communicator comm;
  grid::block where;
  voxel::model_header header;
  std::vector<field_info> fields;
  std::vector<std::int64_t> cell_first, node_first;  ///< planes that ranks write, shape (ranks + 1)
  std::unique_ptr<temporary_file> temporary;         ///< rank 0
  std::string name;                                  ///< of the temporary file
  std::int64_t bytes_per_call = 0, index_reserve = 0;
  netcdf_file file{-1};
  std::vector<plane_variable> variables;  ///< [0] is the material, then the fields
  std::vector<std::string> digests;       ///< of this rank's chunks, by variable
  std::vector<bool> written;

  void reserve(std::int64_t bytes) {
    const std::int64_t all = bytes + metadata_reserve + index_reserve;
    comm::together(comm.get(), [&] {
      if (comm.rank() == 0)
        reserve_space(name, all);
      else
        check_size_limit(name, all);
    });
  }
  std::size_t index_of(const std::string& field, centring where_is) const;
  void write(std::size_t index, std::span<const std::byte> values);
  void put(const plane_variable& v, std::int64_t begin, std::int64_t end, std::span<const std::byte> values,
           std::string& digest);
  void read_back();
};

std::size_t result_writer::state::index_of(const std::string& field, centring where_is) const {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == field && fields[i].where == where_is) return i + 1;
  throw usage_error(fmt::format("the results file has no {} field '{}'; name it when the file is created",
                                where_is == centring::cell ? "cell" : "node", field));
}

/// One collective call; a rank without planes calls with none.
void result_writer::state::put(const plane_variable& v, std::int64_t begin, std::int64_t end,
                               std::span<const std::byte> values, std::string& digest) {
  std::int64_t planes = end - begin;
  MPI_Allreduce(MPI_IN_PLACE, &planes, 1, MPI_INT64_T, MPI_SUM, comm.get());
  if (planes == 0) return;
  reserve(largest_growth(v, planes) + 256 * comm.size());

  const std::size_t plane = static_cast<std::size_t>(v.bytes_per_plane());
  comm::together(comm.get(), [&] {
    for (std::int64_t z = begin; z < end; z += v.chunk_planes)
      digest += sha256_of(values.subspan(static_cast<std::size_t>(z - begin) * plane,
                                         static_cast<std::size_t>(std::min(v.chunk_planes, end - z)) * plane));
  });
  std::vector<std::size_t> start(1 + v.plane_shape.size(), 0), count(1, static_cast<std::size_t>(end - begin));
  count.insert(count.end(), v.plane_shape.begin(), v.plane_shape.end());
  start[0] = end > begin ? static_cast<std::size_t>(begin) : 0;
  const std::byte none{};
  const int status = nc_put_vara(v.group, v.id, start.data(), count.data(), values.empty() ? &none : values.data());
  comm::together(comm.get(), [&] { check_netcdf(status, fmt::format("write '{}' to '{}'", v.name, name)); });
}

void result_writer::state::write(std::size_t index, std::span<const std::byte> values) {
  const plane_variable& v = variables[index];
  comm::together(comm.get(), [&] {
    if (written[index]) throw usage_error(fmt::format("the field '{}' is written twice", v.name));
  });
  const auto& first = v.group == variables[0].group ? cell_first : node_first;
  const aligned_planes part = align_to_chunks(comm.get(), first, v.chunk_planes, v.bytes_per_plane(), values);

  const std::int64_t share = std::max<std::int64_t>(bytes_per_call / comm.size(), 1);
  const std::int64_t step = std::max<std::int64_t>(share / v.bytes_per_plane() / v.chunk_planes, 1) * v.chunk_planes;
  std::int64_t calls = (part.body_end - part.body_begin + step - 1) / step;
  MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_INT64_T, MPI_MAX, comm.get());
  const std::size_t plane = static_cast<std::size_t>(v.bytes_per_plane());
  for (std::int64_t i = 0; i < calls; ++i) {
    const std::int64_t begin = std::min(part.body_begin + i * step, part.body_end),
                       end = std::min(begin + step, part.body_end);
    put(v, begin, end,
        part.body.subspan(static_cast<std::size_t>(begin - part.body_begin) * plane,
                          static_cast<std::size_t>(end - begin) * plane),
        digests[index]);
  }
  put(v, part.tail_begin, part.tail_end, part.tail, digests[index]);
  written[index] = true;
}

/// MPI-IO may lose a write without saying so: compare what lies in the file with the digests of what was written.
void result_writer::state::read_back() {
  int id = -1;
  check_netcdf(nc_open(name.c_str(), NC_NOWRITE, &id), fmt::format("read '{}' back", name));
  netcdf_file opened(id);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const plane_variable& v = variables[i];
    const auto& first = v.group == variables[0].group ? cell_first : node_first;
    const std::int64_t k = v.chunk_planes, begin = first[static_cast<std::size_t>(comm.rank())];
    int group = -1, variable = -1;
    const std::string path = fmt::format("/VTKHDF/{}", v.group == variables[0].group ? "CellData" : "PointData");
    check_netcdf(nc_inq_grp_full_ncid(id, path.c_str(), &group), fmt::format("read '{}' back", v.name));
    check_netcdf(nc_inq_varid(group, v.name.c_str(), &variable), fmt::format("read '{}' back", v.name));
    std::vector<std::byte> values(static_cast<std::size_t>(std::min(k, v.planes) * v.bytes_per_plane()));
    std::int64_t z = (begin + k - 1) / k * k;
    for (std::size_t at = 0; at < digests[i].size(); at += digest_length, z += k) {
      std::vector<std::size_t> start(1 + v.plane_shape.size(), 0),
          count(1, static_cast<std::size_t>(std::min(k, v.planes - z)));
      start[0] = static_cast<std::size_t>(z);
      count.insert(count.end(), v.plane_shape.begin(), v.plane_shape.end());
      check_netcdf(nc_get_vara(group, variable, start.data(), count.data(), values.data()),
                   fmt::format("read '{}' back", v.name));
      if (sha256_of(std::span(values).first(count[0] * static_cast<std::size_t>(v.bytes_per_plane()))) !=
          digests[i].substr(at, digest_length))
        throw machine_error(fmt::format("'{}' of '{}' reads back differently from plane {} on; the file system lost a write",
                                        v.name, name, z));
    }
  }
}

result_writer::result_writer(std::unique_ptr<state> s) : state_(std::move(s)) {}
result_writer::result_writer(result_writer&&) noexcept = default;
result_writer& result_writer::operator=(result_writer&&) noexcept = default;
result_writer::~result_writer() = default;

result_writer result_writer::create(const std::string& path, const grid::block& where, const voxel::model_header& header,
                                    std::span<const field_info> fields,
                                    const std::vector<std::pair<std::string, std::string>>& attributes,
                                    std::int64_t bytes_per_call) {
  auto s = std::make_unique<state>();
  s->comm = comm::communicator::duplicate(where.comm);
  s->where = where;
  s->header = header;
  s->fields.assign(fields.begin(), fields.end());
  s->bytes_per_call = bytes_per_call;
  MPI_Comm comm = s->comm.get();
  const int ranks = s->comm.size();
  for (std::int64_t r = 0; r <= ranks; ++r)  // bricks are written as equally many planes a rank, perhaps none
    s->cell_first.push_back(where.is_planes() && r < ranks ? where.boxes->box_of(static_cast<int>(r)).begin.z
                                                           : header.shape.z * r / ranks);
  s->node_first = s->cell_first;
  s->node_first.back() = header.shape.z + 1;  // the last rank also has the topmost plane
  comm::together(comm, [&] {
    int most_components = 3;
    for (const field_info& f : fields) {
      if (f.components != 1 && f.components != 3 && f.components != 6)
        throw usage_error(fmt::format("the field '{}' has {} components; 1, 3 or 6 can be written", f.name, f.components));
      most_components = std::max(most_components, f.components);
    }
    check_geometry(header.shape, header.spacing_mm, header.origin_mm, most_components);
    if (where.domain != header.shape || where.boxes->ranks() != comm::size(comm))
      throw usage_error("the blocks are not those of the model on these ranks; build them with grid::make_block");
    if (comm::rank(comm) == 0) {
      s->temporary = std::make_unique<temporary_file>(path);
      s->name = s->temporary->name();
      reserve_space(s->name, metadata_reserve);
    }
  });
  s->name = broadcast_text(comm, s->name);
  int id = -1;
  int status = nc_create_par(s->name.c_str(), NC_NETCDF4 | NC_CLOBBER, comm, MPI_INFO_NULL, &id);
  if (status == NC_NOERR) s->file = netcdf_file(id);
  comm::together(comm, [&] { check_netcdf(status, fmt::format("create '{}'", s->name)); });
  s->reserve(0);  // creating the file gave the reserve back
  comm::together(comm, [&] {
    const layout at = define_layout(id, header, result_schema, true, attributes);
    s->variables.push_back(define_plane_variable(at, "material", NC_UBYTE, false, 1, header.shape));
    define_material_attributes(s->variables[0], header.materials);
    for (const field_info& f : fields) {
      s->variables.push_back(
          define_plane_variable(at, f.name, NC_FLOAT, f.where == centring::node, f.components, header.shape));
      const plane_variable& v = s->variables.back();
      put_text(v.group, v.id, "long_name", f.long_name);
      put_text(v.group, v.id, "units", f.units);
      if (f.components > 1) put_text(v.group, v.id, "components", f.components == 3 ? "x y z" : "xx yy zz xy yz xz");
    }
  });
  for (const plane_variable& v : s->variables) s->index_reserve += 256 * v.chunks();
  s->digests.resize(s->variables.size());
  s->written.resize(s->variables.size());
  s->reserve(0);
  status = nc_enddef(id);
  for (const plane_variable& v : s->variables)
    if (status == NC_NOERR) status = nc_var_par_access(v.group, v.id, NC_COLLECTIVE);
  comm::together(comm, [&] { check_netcdf(status, fmt::format("create '{}'", s->name)); });
  return result_writer(std::move(s));
}

namespace {
void check_size(MPI_Comm comm, const std::string& name, std::size_t given, std::int64_t expected) {
  comm::together(comm, [&] {
    if (static_cast<std::int64_t>(given) != expected)
      throw usage_error(
          fmt::format("'{}' has {} values on rank {}; its block needs {}", name, given, comm::rank(comm), expected));
  });
}
}  // namespace

void result_writer::write_material(std::span<const std::uint8_t> material) {
  state& s = *state_;
  check_size(s.comm.get(), "material", material.size(), s.where.owned.volume());
  if (s.where.is_planes()) return s.write(0, std::as_bytes(material));
  const auto planes = grid::box_tree::of_planes(s.where.domain, s.cell_first);
  const auto moved = grid::redistribute<std::uint8_t>(s.comm.get(), *s.where.boxes, planes, material);
  s.write(0, std::as_bytes(std::span(moved)));
}

void result_writer::write_cells(const std::string& name, std::span<const float> values) {
  state& s = *state_;
  std::size_t index = 0;
  comm::together(s.comm.get(), [&] { index = s.index_of(name, centring::cell); });
  const int components = s.fields[index - 1].components;
  check_size(s.comm.get(), name, values.size(), s.where.owned.volume() * components);
  if (s.where.is_planes()) return s.write(index, std::as_bytes(values));
  const auto planes = grid::box_tree::of_planes(s.where.domain, s.cell_first);
  const auto moved = grid::redistribute<float>(s.comm.get(), *s.where.boxes, planes, values, components);
  s.write(index, std::as_bytes(std::span(moved)));
}

void result_writer::write_nodes(const std::string& name, std::span<const float> values) {
  state& s = *state_;
  MPI_Comm comm = s.comm.get();
  std::size_t index = 0;
  comm::together(comm, [&] { index = s.index_of(name, centring::node); });
  const std::int64_t plane = s.variables[index].bytes_per_plane() / 4, cells = s.where.owned.shape().z;
  const int components = s.fields[index - 1].components;
  check_size(comm, name, values.size(), (s.where.owned.shape() + index3{1, 1, 1}).volume() * components);
  if (!s.where.is_planes()) {
    const auto planes = grid::box_tree::of_planes(s.where.domain + index3{1, 1, 1}, s.node_first);
    const auto moved = grid::redistribute_nodes(comm, *s.where.boxes, planes, values, components);
    return s.write(index, std::as_bytes(std::span(moved)));
  }

  // The plane between two ranks is written by the upper one; nodes that only the lower one has come from there.
  const int rank = s.comm.rank(), last = s.comm.size() - 1;
  const int up = rank < last ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  std::vector<float> shared, merged;
  comm::together(comm, [&] { shared.resize(rank > 0 ? static_cast<std::size_t>(plane) : 0); });
  MPI_Sendrecv(values.data() + cells * plane, static_cast<int>(plane), MPI_FLOAT, up, 0, shared.data(),
               static_cast<int>(shared.size()), MPI_FLOAT, down, 0, comm, MPI_STATUS_IGNORE);
  const std::int64_t planes = rank == last ? cells + 1 : cells;
  const auto own = values.first(static_cast<std::size_t>(planes * plane));
  bool merge = false;
  for (std::size_t i = 0; i < shared.size(); ++i) merge = merge || (std::isnan(own[i]) && !std::isnan(shared[i]));
  comm::together(comm, [&] {
    if (!merge) return;
    merged.assign(own.begin(), own.end());
    for (std::size_t i = 0; i < shared.size(); ++i)
      if (std::isnan(merged[i])) merged[i] = shared[i];
  });
  s.write(index, std::as_bytes(merge ? std::span<const float>(merged) : own));
}

std::int64_t result_writer::close() {
  state& s = *state_;
  MPI_Comm comm = s.comm.get();
  comm::together(comm, [&] {
    for (std::size_t i = 0; i < s.variables.size(); ++i)
      if (!s.written[i])
        throw usage_error(fmt::format("the field '{}' was never written; write it before close()", s.variables[i].name));
  });
  s.reserve(0);
  comm::together(comm, [&] { s.file.close(); });
  comm::together(comm, [&] {
    sync_file(s.name);
    s.read_back();
  });

  std::vector<std::string> all(s.variables.size());
  const int ranks = s.comm.size();
  for (std::size_t i = 0; i < all.size(); ++i) {  // chunks ascend with the ranks
    const int mine = static_cast<int>(s.digests[i].size());
    std::vector<int> counts(static_cast<std::size_t>(ranks)), starts(static_cast<std::size_t>(ranks));
    MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
    for (std::size_t r = 1; r < counts.size(); ++r) starts[r] = starts[r - 1] + counts[r - 1];
    if (s.comm.rank() == 0) all[i].resize(static_cast<std::size_t>(s.variables[i].chunks()) * digest_length);
    MPI_Gatherv(s.digests[i].data(), mine, MPI_CHAR, all[i].data(), counts.data(), starts.data(), MPI_CHAR, 0, comm);
  }
  std::int64_t bytes = 0;
  comm::together(comm, [&] {
    if (s.comm.rank() != 0) return;
    reserve_space(s.name, metadata_reserve + s.index_reserve);
    finish_file(s.name, s.header, true, s.variables, all);
    release_reserve(s.name);
    bytes = size_of_file(s.name);
    s.temporary->commit();
  });
  MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, comm);
  state_.reset();
  return bytes;
}

}  // namespace osteon::io
