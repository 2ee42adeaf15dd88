#include <gtest/gtest.h>

#include <netcdf.h>

#include <filesystem>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/files/verify.hpp>
#include <random>

#include "grid/sample_bricks.hpp"
#include "io/sample.hpp"

namespace model_file_test {

using namespace osteon;

int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}
void write(const std::string& path, const voxel::model_header& header) {
  const auto voxels = sample::materials(header.shape, 0, header.shape.z);
  if (rank() == 0) io::write_model(path, header, {voxels.data(), header.shape});
  MPI_Barrier(MPI_COMM_WORLD);
}

// Oracle: the written values.
TEST(model_file, comes_back_as_it_was_written) {
  for (const index3 n : {index3{37, 300, 250}, index3{8, 1, 3}}) {
    const auto header = sample::header(n);
    const std::string path = sample::shared_path("model.nc");
    write(path, header);
    const auto read = io::read_model_header(MPI_COMM_WORLD, path);
    EXPECT_EQ(read.shape, n);
    EXPECT_EQ(read.spacing_mm, header.spacing_mm);
    EXPECT_EQ(read.origin_mm, header.origin_mm);
    EXPECT_EQ(read.active_per_plane, header.active_per_plane);
    EXPECT_EQ(read.source_sha256, header.source_sha256);
    EXPECT_EQ(read.provenance_json, header.provenance_json);
    ASSERT_EQ(read.materials.size(), 3u);
    EXPECT_EQ(read.materials[1].name, "trabecular bone");
    EXPECT_EQ(read.materials[2].youngs_modulus_MPa, 17000);
    const auto where = grid::make_block(MPI_COMM_WORLD, n, read.active_per_plane);
    EXPECT_EQ(io::read_model_planes(path, read, where), sample::materials(n, where.owned.begin.z, where.owned.end.z));
    const auto brick = io::read_model_brick(MPI_COMM_WORLD, path, read);
    EXPECT_EQ(brick.material, sample::materials(brick.where.owned));
    const auto expected = sample::bricks(n, sample::materials({{}, n}));
    EXPECT_EQ(brick.where.owned, expected.box_of(rank()));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) std::filesystem::remove(path);
  }
}

// Oracle: the written values. In the file, numbers above 255 need two bytes, and smaller numbers need one byte.
TEST(model_file, has_as_many_bytes_a_voxel_as_its_materials_need) {
  const index3 n{37, 300, 250};
  for (const int materials : {255, 256, 3000, 65535}) {
    auto header = sample::header(n);
    while (std::ssize(header.materials) <= materials)
      header.materials.push_back(
          {"m" + std::to_string(header.materials.size()), 1.0 * std::ssize(header.materials), 0.3, 0});
    const auto voxels_of = [&](const box3& part) {
      std::vector<material_number> voxels = sample::materials(part);
      for (std::size_t i = 0; i < voxels.size(); ++i)
        if (voxels[i] == 2) voxels[i] = static_cast<material_number>(materials);
      return voxels;
    };
    const std::string path = sample::shared_path("classes.nc");
    if (rank() == 0) {
      const auto voxels = voxels_of({{}, n});
      io::write_model(path, header, {voxels.data(), n});
      int file = -1, group = -1, id = -1, type = -1;
      ASSERT_EQ(nc_open(path.c_str(), NC_NOWRITE, &file), NC_NOERR);
      EXPECT_EQ(nc_inq_grp_full_ncid(file, "/VTKHDF/CellData", &group), NC_NOERR);
      EXPECT_EQ(nc_inq_varid(group, "material", &id), NC_NOERR);
      EXPECT_EQ(nc_inq_vartype(group, id, &type), NC_NOERR);
      EXPECT_EQ(type, materials <= 255 ? NC_UBYTE : NC_USHORT);
      nc_close(file);
      EXPECT_TRUE(io::verify_file(path).faults.empty());
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const auto read = io::read_model_header(MPI_COMM_WORLD, path);
    ASSERT_EQ(read.materials.size(), header.materials.size());
    EXPECT_EQ(read.materials.back().name, "m" + std::to_string(materials));
    EXPECT_EQ(read.materials.back().youngs_modulus_MPa, materials);
    const auto where = grid::make_block(MPI_COMM_WORLD, n, read.active_per_plane);
    for (const io::access_mode mode : {io::access_mode::serial, io::access_mode::parallel}) {
      io::access how;
      how.mode = mode;
      EXPECT_EQ(io::read_model_planes(path, read, where, how), voxels_of(where.owned));
    }
    const auto brick = io::read_model_brick(MPI_COMM_WORLD, path, read);
    EXPECT_EQ(brick.material, voxels_of(brick.where.owned));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) std::filesystem::remove(path);
  }
}

// Oracle: every flipped bit and every truncation causes a data_error.
TEST(model_file, is_never_read_silently_wrong) {
  const index3 n{9, 20, 20};
  const auto header = sample::header(n);
  const std::string path = sample::shared_path("damaged.nc");
  write(path, header);
  std::ifstream source(path, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(source), {}};
  MPI_Barrier(MPI_COMM_WORLD);  // all ranks read the undamaged bytes before rank 0 damages them
  std::mt19937 generator(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::string bad = good;
    if (trial % 3 == 0)
      bad.resize(generator() % bad.size());
    else
      bad[generator() % bad.size()] ^= static_cast<char>(1 << generator() % 8);
    if (rank() == 0) std::ofstream(path, std::ios::binary) << bad;
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_THROW(io::read_model_header(MPI_COMM_WORLD, path), data_error);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank() == 0) std::filesystem::remove(path);
}

// Oracle: the limits of docs/reference/format.md.
TEST(model_file, refuses_what_is_no_model) {
  auto header = sample::header({4, 4, 4});
  const auto voxels = sample::materials(header.shape, 0, 4);
  const auto write_it = [&] { io::write_model("/tmp/never.nc", header, {voxels.data(), header.shape}); };
  header.spacing_mm.y = 0;
  EXPECT_THROW(write_it(), data_error);
  header = sample::header({4, 4, 4});
  header.active_per_plane[1] += 1;
  EXPECT_THROW(write_it(), data_error);
  header = sample::header({4, 4, 4});
  header.materials.pop_back();
  EXPECT_THROW(write_it(), data_error);
  EXPECT_THROW(io::read_model_header(MPI_COMM_WORLD, "/nowhere/model.nc"), data_error);
}

}  // namespace model_file_test
