#include <gtest/gtest.h>
#include <malloc.h>
#include <netcdf.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <osteon/base/xxh3.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/io/chunked/chunk_index.hpp>
#include <osteon/io/chunked/shared_file.hpp>
#include <osteon/io/files/model_file.hpp>

#include "io/sample.hpp"

namespace large_file_test {

using namespace osteon;

/// Peak resident memory since the last reset, in bytes.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
std::int64_t peak() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

voxel::model_header solid_header(index3 n) {
  voxel::model_header h = sample::header({1, 1, 1});
  h.shape = n;
  h.active_per_plane.assign(static_cast<std::size_t>(n.z), n.y * n.x);
  return h;
}

// Oracle: the value of each element is a function of the position. The variable has 2^31 + 2^20 elements. Only its last
// chunk is written, so that the file is sparse. All ranks write and read at offsets beyond an int.
TEST(large_file, positions_beyond_an_int) {
  const index3 n{2049, 1024, 1024};
  voxel::model_header header = solid_header(n);
  const std::string path = sample::shared_path("sparse.nc");
  io::access how;
  how.mode = io::access_mode::parallel;
  const auto team = io::file_team::make(MPI_COMM_WORLD, path, how, io::direction::write);
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  io::plane_variable v = io::make_plane_variable("material", NC_UBYTE, false, 1, n);
  ASSERT_EQ(v.chunk_planes, 2);
  ASSERT_GT(v.planes * v.bytes_per_plane(), std::int64_t{1} << 31);
  std::int64_t address = 0;
  comm::collectively(MPI_COMM_WORLD, [&] {
    if (rank != 0) return;
    int id = -1;
    io::check_netcdf(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &id), "create the sample");
    io::netcdf_file defined(id);
    io::define_plane_variable(io::define_layout(id, header, io::model_schema, false, {}), v, {io::compression::none});
    defined.close();
    io::chunk_index index(path, 0);
    address = index.place_all(v);
    index.close();
  });
  MPI_Bcast(&address, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  io::shared_file file(path, team, how);
  std::vector<std::uint8_t> last(std::size_t{1} << 20);
  for (std::size_t i = 0; i < last.size(); ++i) last[i] = static_cast<std::uint8_t>(1 + i % 2);
  const bool mine = rank == ranks - 1;  // the other ranks do not write
  const io::extent part_of_last{address + 2048 * v.bytes_per_plane(), std::as_bytes(std::span(last))};
  file.write(std::span(&part_of_last, mine ? 1 : 0));
  file.close();
  if (rank == 0) {
    std::string digests(static_cast<std::size_t>(v.chunks()) * io::digest_length, '0');
    digests.replace(digests.size() - io::digest_length, io::digest_length, xxh3_of(std::as_bytes(std::span(last))));
    io::finish_file(path, header, false, std::span(&v, 1), std::span(&digests, 1));
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_GT(status.st_size, std::int64_t{1} << 31);
    EXPECT_LT(status.st_blocks * 512, 64 << 20);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const box3 part{{2048, 0, 0}, {mine ? 2049 : 2048, 1024, 1024}};
  EXPECT_EQ(io::read_model_planes(MPI_COMM_WORLD, path, header, part, how),
            mine ? std::vector<material_number>(last.begin(), last.end()) : std::vector<material_number>{});
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::filesystem::remove(path);
}

// Oracle: the peak memory reported by the kernel. A rank stores its planes, then its brick with two bytes per voxel, a piece
// of the file, and the cache of HDF5. No rank stores the model of 2^27 voxels, in any mode. A single rank stores only its
// planes.
TEST(large_file, no_rank_holds_the_model) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps memory that was freed";
#endif
  const index3 n{128, 1024, 1024};
  const voxel::model_header header = solid_header(n);
  const std::string path = sample::shared_path("memory.nc");
  const int ranks = comm::size(MPI_COMM_WORLD);
  comm::collectively(MPI_COMM_WORLD, [&] {
    if (comm::rank(MPI_COMM_WORLD) != 0) return;
    std::vector<material_number> voxels(static_cast<std::size_t>(n.volume()), 1);
    io::write_model(path, header, {voxels.data(), n});
  });
  for (const auto mode : {io::access_mode::parallel, io::access_mode::serial, io::access_mode::aggregated}) {
    io::access how;
    how.mode = mode;
    how.bytes_per_call = 8 << 20;
    malloc_trim(0);
    reset_peak();
    const std::int64_t before = peak();
    const auto brick = io::read_model_brick(MPI_COMM_WORLD, path, header, how);
    const std::int64_t grown = peak() - before;
    EXPECT_EQ(static_cast<std::int64_t>(brick.material.size()), brick.where.owned.volume());
    const std::int64_t voxels = (ranks > 1 ? 2 : 1) * n.volume() / ranks;
    EXPECT_LT(grown, std::int64_t{sizeof(material_number)} * voxels + (32 << 20)) << io::name_of(mode);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(path);
}

}  // namespace large_file_test
