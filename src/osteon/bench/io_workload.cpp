#include <osteon/bench/io_workload.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/grid/block_nodes.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/io/voxfe/elements.hpp>

namespace osteon::bench {

namespace vx = osteon::io::voxfe;

io_workload::io_workload(MPI_Comm comm, const voxel::image& image, std::string folder)
    : comm_(comm), folder_(std::move(folder)) {
  make_model(image);
  where_ = grid::make_block(comm, header_.shape, header_.active_per_plane);
  material_ = io::read_model_planes(file("model.nc"), header_, where_);
  make_field();
}

std::string io_workload::file(const std::string& name) const { return (std::filesystem::path(folder_) / name).string(); }

std::vector<io_method> io_workload::methods() {
  std::vector<io_method> all;
  const auto add = [&](const char* operation, const char* name, const std::string& target, std::function<void()> run) {
    all.push_back({operation, name, std::move(run), file(target)});
  };
  add("read model", "text, scanf, root scatters", "model.txt", [&] { read_text_by_scanf(); });
  add("read model", "text, serial", "model.txt", [&] { vx::read_model(comm_, script_, reading_, vx::text_access::serial); });
  add("read model", "text, parallel", "model.txt",
      [&] { vx::read_model(comm_, script_, reading_, vx::text_access::parallel); });
  add("read model", "netCDF, deflate", "model.nc", [&] { read_netcdf("model.nc"); });
  add("write result", "text, printf, one after the other", "printf.txt", [&] { write_text_by_printf(); });
  add("write result", "text, serial", "serial.txt", [&] { write_text(vx::text_access::serial, "serial.txt"); });
  add("write result", "text, parallel", "parallel.txt", [&] { write_text(vx::text_access::parallel, "parallel.txt"); });
  add("write result", "raw MPI-IO", "raw.bin", [&] { write_raw("raw.bin", false); });
  add("write result", "raw MPI-IO, synced", "synced.bin", [&] { write_raw("synced.bin", true); });
  add("write result", "netCDF, deflate", "deflate.nc", [&] { write_netcdf("deflate.nc"); });
  add("read model", "netCDF, none", "model_none.nc", [&] { read_netcdf("model_none.nc"); });
  add("read model", "raw MPI-IO", "model.raw", [&] { read_raw(); });
  add("write result", "netCDF, none", "none.nc", [&] { write_netcdf("none.nc", {io::compression::none}); });
  try {
    io::check_storage({io::compression::zstd});
    add("write result", "netCDF, zstd", "zstd.nc", [&] { write_netcdf("zstd.nc", {io::compression::zstd}); });
  } catch (const usage_error&) {  // HDF5 has no zstd filter
  }
  return all;
}

nlohmann::ordered_json io_workload::facts() const {
  return {{"shape", {header_.shape.z, header_.shape.y, header_.shape.x}},
          {"elements", script_.elements},
          {"nodes", all_nodes_},
          {"raw_bytes", raw_bytes_}};
}

void io_workload::make_model(const voxel::image& image) {
  comm::collectively(comm_, [&] {
    if (comm::rank(comm_) != 0) return;
    if (image.type != voxel::scalar::u1) throw usage_error("the image must be of type uint8 (material numbers)");
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(image.bytes.data());
    const std::vector<material_number> numbers(bytes, bytes + image.shape.volume());
    const material_number* const voxels = numbers.data();
    voxel::model_header header;
    header.shape = image.shape;
    header.spacing_mm = {0.02, 0.02, 0.02};
    header.materials.assign(256, {"grey", 1000, 0.3, 0});
    const std::int64_t plane = image.shape.y * image.shape.x;
    for (std::int64_t z = 0; z < image.shape.z; ++z)
      header.active_per_plane.push_back(plane -
                                        std::count(voxels + z * plane, voxels + (z + 1) * plane, material_number{0}));
    header.provenance_json = "{}";
    io::write_model(file("model.nc"), header, {voxels, image.shape});
    io::write_model(file("model_none.nc"), header, {voxels, image.shape}, {io::compression::none});
    vx::script s = vx::script_of(header, file("script"));
    std::vector<int> ids;
    for (const vx::material_row& m : s.materials) ids.push_back(m.id);
    std::ofstream model(file("model.txt"));
    model << s.elements << '\n';
    for (std::int64_t z = 0, number = 1; z < image.shape.z; ++z) {
      std::string text;
      number += vx::append_elements(text, {voxels + z * plane, {1, image.shape.y, image.shape.x}}, z, number, ids);
      model << text;
    }
    std::ofstream(file("model.raw"), std::ios::binary).write(reinterpret_cast<const char*>(bytes), image.shape.volume());
    std::ofstream(file("materials.txt")) << vx::canonical_materials(s);
    std::ofstream(file("constraints.txt")) << "";
    std::ofstream(file("script")) << vx::canonical_script(s);
  });
  header_ = io::read_model_header(comm_, file("model.nc"));
  script_ = vx::read_script(file("script"));
  script_.elements = 0;
  for (const std::int64_t n : header_.active_per_plane) script_.elements += n;
  reading_.index_base = 1;
  script_.results.with_places = true;
}

// Smooth displacement with noise in its last digits, as in the results of a solver.
void io_workload::make_field() {
  const index3 n = header_.shape, mine = where_.owned.shape();
  const voxel::run_set cells = voxel::active_cells({material_.data(), mine}), nodes = voxel::corner_nodes(cells);
  dense_.assign(static_cast<std::size_t>(3 * (mine + index3{1, 1, 1}).volume()), std::nanf(""));
  vx::node_rows rows;
  rows.components = 3;
  for (const voxel::run& r : nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const index3 at = where_.owned.begin + index3{r.z, r.y, r.x + i};
      const double z = static_cast<double>(at.z) / static_cast<double>(n.z),
                   y = static_cast<double>(at.y) / static_cast<double>(n.y),
                   x = static_cast<double>(at.x) / static_cast<double>(n.x);
      const double u[3] = {1e-3 * (x - 0.5) * z + 1e-7 * std::sin(9001 * x + 77 * y * z),
                           1e-3 * (y - 0.5) * z + 1e-7 * std::cos(7001 * y + 31 * x),
                           -1e-2 * z - 1e-6 * std::sin(5003 * x * y + z)};
      rows.id.push_back(grid::node_id(n, at));
      float* const to = dense_.data() + 3 * ((r.z * (mine.y + 1) + r.y) * (mine.x + 1) + r.x + i);
      for (int c = 0; c < 3; ++c) {
        to[c] = static_cast<float>(u[c]);
        rows.value.push_back(u[c]);
      }
    }
  rows_ = vx::settle(where_, std::move(rows));
  all_nodes_ = std::ssize(rows_.id);
  comm::all_reduce(comm_, &all_nodes_, 1, MPI_SUM);
  raw_bytes_ = n.volume() + 12 * (n + index3{1, 1, 1}).volume();
}

template <class F>
void io_workload::waiting(F call) {
  const double before = cpu_seconds();
  call();
  waited_ += cpu_seconds() - before;
}

// As in PARA-BMU, the first rank reads all records, and sends the planes to the other ranks.
void io_workload::read_text_by_scanf() {
  const index3 n = header_.shape;
  const std::int64_t plane = n.y * n.x;
  std::vector<material_number> mine(static_cast<std::size_t>(where_.owned.volume()));
  if (comm::rank(comm_) == 0) {
    std::FILE* text = std::fopen(file("model.txt").c_str(), "r");
    if (!text) throw machine_error("cannot read the text file of the model");
    std::vector<material_number> whole(static_cast<std::size_t>(n.volume()));
    long count = 0, id = 0, x = 0, y = 0, z = 0;
    int material = 0;
    if (std::fscanf(text, "%ld", &count) != 1) throw data_error("text file of the model: missing number of elements");
    while (std::fscanf(text, "%ld %d %ld %ld %ld", &id, &material, &x, &y, &z) == 5)
      whole[static_cast<std::size_t>(((z - 1) * n.y + y - 1) * n.x + x - 1)] = static_cast<material_number>(material);
    std::fclose(text);
    for (int r = 1; r < comm::size(comm_); ++r) {
      const box3 box = where_.boxes->box_of(r);
      MPI_Send(whole.data() + box.begin.z * plane, static_cast<int>(box.volume()), MPI_UINT16_T, r, 0, comm_);
    }
    std::copy_n(whole.begin(), mine.size(), mine.begin());
  } else {
    waiting([&] { MPI_Recv(mine.data(), static_cast<int>(mine.size()), MPI_UINT16_T, 0, 0, comm_, MPI_STATUS_IGNORE); });
  }
  if (mine != material_) throw data_error("text file of the model: materials differ from the image");
}

// As in PARA-BMU, each rank appends its nodes, and sends the number of nodes to the next rank.
void io_workload::write_text_by_printf() {
  const int rank = comm::rank(comm_);
  long number = 0;
  if (rank > 0) waiting([&] { MPI_Recv(&number, 1, MPI_LONG, rank - 1, 0, comm_, MPI_STATUS_IGNORE); });
  std::FILE* text = std::fopen(file("printf.txt").c_str(), rank == 0 ? "w" : "a");
  if (!text) throw machine_error("cannot write the text file of the result");
  const long nx = header_.shape.x + 1, ny = header_.shape.y + 1, nz = header_.shape.z + 1;
  if (rank == 0)
    std::fprintf(text, "nNodes: %ld\nNodes: %ld  %ld  %ld\nMaterials: m\n", static_cast<long>(all_nodes_), nx, ny, nz);
  for (std::size_t i = 0; i < rows_.id.size(); ++i, ++number) {
    const long id = rows_.id[i];
    const double* u = rows_.value.data() + 3 * i;
    std::fprintf(text, "%ld   %ld   %ld   %ld   %.9e   %.9e   %.9e  \n", id, id % nx, id / nx % ny, id / nx / ny, u[0], u[1],
                 u[2]);
  }
  std::fclose(text);
  if (rank + 1 < comm::size(comm_)) MPI_Send(&number, 1, MPI_LONG, rank + 1, 0, comm_);
}

void io_workload::write_text(vx::text_access access, const char* name) {
  vx::write_displacement(comm_, script_, file(name), access, rows_);
}

void io_workload::read_netcdf(const char* name) {
  const voxel::model_header header = io::read_model_header(comm_, file(name));
  const grid::block where = grid::make_block(comm_, header.shape, header.active_per_plane);
  if (io::read_model_planes(file(name), header, where) != material_)
    throw data_error("netCDF model: materials differ from the image");
}

void io_workload::write_netcdf(const char* name, const io::storage& stored) {
  const io::field_info info[] = {{"displacement", "displacement", "mm", io::centring::node, 3}};
  auto writer = io::result_writer::create(file(name), where_, header_, info, {}, {}, stored);
  writer.write_material(material_);
  writer.write_nodes("displacement", dense_);
  writer.close();
}

// Read the voxels as raw bytes, and do not check the file.
void io_workload::read_raw() {
  std::vector<std::uint8_t> mine(material_.size());
  const std::int64_t before = where_.owned.begin.z;
  MPI_File raw = MPI_FILE_NULL;
  if (MPI_File_open(comm_, file("model.raw").c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &raw) != MPI_SUCCESS)
    throw machine_error("cannot read by MPI-IO");
  MPI_File_read_at_all(raw, before * header_.shape.y * header_.shape.x, mine.data(), static_cast<int>(mine.size()),
                       MPI_UINT8_T, MPI_STATUS_IGNORE);
  MPI_File_close(&raw);
  if (!std::equal(mine.begin(), mine.end(), material_.begin()))
    throw data_error("raw model: materials differ from the image");
}

// Write the content of a result as raw bytes. The materials precede the dense floats.
void io_workload::write_raw(const char* name, bool sync) {
  const index3 n = header_.shape + index3{1, 1, 1};
  const std::int64_t plane = 3 * n.y * n.x, first = where_.owned.begin.z, cells = header_.shape.y * header_.shape.x;
  const std::int64_t planes = where_.owned.shape().z + (where_.above == MPI_PROC_NULL ? 1 : 0);
  MPI_File raw = MPI_FILE_NULL;
  if (MPI_File_open(comm_, file(name).c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &raw) != MPI_SUCCESS)
    throw machine_error("cannot write by MPI-IO");
  MPI_File_set_size(raw, 0);
  const std::vector<std::uint8_t> bytes(material_.begin(), material_.end());
  MPI_File_write_at_all(raw, first * cells, bytes.data(), static_cast<int>(bytes.size()), MPI_UINT8_T, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(raw, header_.shape.volume() + first * plane * 4, dense_.data(), static_cast<int>(planes * plane),
                        MPI_FLOAT, MPI_STATUS_IGNORE);
  if (sync) MPI_File_sync(raw);
  MPI_File_close(&raw);
}

}  // namespace osteon::bench
