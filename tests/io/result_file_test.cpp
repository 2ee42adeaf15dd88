#include <gtest/gtest.h>
#include <netcdf.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/netcdf.hpp>

#include "grid/sample_bricks.hpp"
#include "io/sample.hpp"

namespace result_file_test {

using namespace osteon;

int group_of(int file, const char* name) {
  int id = -1;
  EXPECT_EQ(nc_inq_grp_full_ncid(file, name, &id), NC_NOERR) << name;
  return id;
}

template <class T>
std::vector<T> values_of(int file, const char* group_name, const char* name, std::size_t count) {
  const int group = group_of(file, group_name);
  int id = -1;
  std::vector<T> values(count);
  EXPECT_EQ(nc_inq_varid(group, name, &id), NC_NOERR) << name;
  EXPECT_EQ(nc_get_var(group, id, values.data()), NC_NOERR) << name;
  return values;
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

int temporary_files(const std::string& path) {
  int count = 0;
  const std::string prefix = std::filesystem::path(path).filename().string() + ".tmp.";
  for (const auto& entry : std::filesystem::directory_iterator("/tmp"))
    count += entry.path().filename().string().starts_with(prefix);
  return count;
}

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Oracle: the functions of the position in sample.hpp. Chunks of several planes extend across thin slabs.
TEST(result_file, contains_the_values_of_any_number_of_ranks) {
  const index3 n{23, 200, 170};
  const auto header = sample::header(n);
  const auto planes = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
  const auto bricks = grid::make_block(MPI_COMM_WORLD, sample::bricks(n, sample::materials({{}, n})));
  const std::string path = sample::shared_path("result.vtkhdf");
  struct variant {
    const grid::block& where;
    std::int64_t bytes_per_call;
  };
  for (const auto& [where, bytes_per_call] :
       {variant{planes, 1}, variant{planes, std::int64_t{256} << 20}, variant{bricks, 1 << 20}}) {
    io::access how;
    how.bytes_per_call = bytes_per_call;
    const std::int64_t bytes = sample::write(path, where, header, how);
    if (planes.owned.begin.z == 0) {
      EXPECT_EQ(bytes, static_cast<std::int64_t>(std::filesystem::file_size(path)));
      EXPECT_EQ(temporary_files(path), 0);
      int file = -1, complete = 0;
      ASSERT_EQ(nc_open(path.c_str(), NC_NOWRITE, &file), NC_NOERR);
      EXPECT_EQ(nc_get_att_int(file, NC_GLOBAL, "complete", &complete), NC_NOERR);
      EXPECT_EQ(complete, 1);
      const auto material =
          values_of<std::uint8_t>(file, "/VTKHDF/CellData", "material", static_cast<std::size_t>(n.volume()));
      const auto expected = sample::materials(n, 0, n.z);
      EXPECT_TRUE(std::equal(material.begin(), material.end(), expected.begin(), expected.end()));
      const auto sed = values_of<float>(file, "/VTKHDF/CellData", "sed", static_cast<std::size_t>(n.volume()));
      const auto strain = values_of<float>(file, "/VTKHDF/CellData", "strain", static_cast<std::size_t>(6 * n.volume()));
      const index3 m = n + index3{1, 1, 1};
      const auto u = values_of<float>(file, "/VTKHDF/PointData", "displacement", static_cast<std::size_t>(m.volume() * 3));
      std::int64_t wrong = 0;
      std::size_t i = 0, j = 0;
      for (std::int64_t z = 0; z < n.z; ++z)
        for (std::int64_t y = 0; y < n.y; ++y)
          for (std::int64_t x = 0; x < n.x; ++x, ++i) {
            wrong += !same_bits(sed[i], sample::cell_at(z, y, x));
            for (int c = 0; c < 6; ++c)
              wrong += !same_bits(strain[6 * i + static_cast<std::size_t>(c)], sample::tensor_at(z, y, x, c));
          }
      for (std::int64_t z = 0; z < m.z; ++z)
        for (std::int64_t y = 0; y < m.y; ++y)
          for (std::int64_t x = 0; x < m.x; ++x)
            for (int c = 0; c < 3; ++c) wrong += !same_bits(u[j++], sample::node_at(z, y, x, c));
      EXPECT_EQ(wrong, 0);
      nc_close(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (planes.owned.begin.z == 0) std::filesystem::remove(path);
}

// Oracle: the contract of plane_source. Each plane of the block is made once. The number of planes in memory never exceeds
// one piece of the writer and the planes requested by other pieces. The test runs by planes and by bricks, in every mode.
TEST(result_file, makes_values_when_they_are_due) {
  const index3 n{40, 64, 64};
  const auto header = sample::header(n);
  const std::string path = sample::shared_path("due.vtkhdf");
  const std::vector<io::field_info> fields{{"sed", "strain energy density", "MPa", io::centring::cell, 1}};
  const int ranks = comm::size(MPI_COMM_WORLD);
  for (const auto& where : {grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane),
                            grid::make_block(MPI_COMM_WORLD, sample::bricks(n, sample::materials({{}, n})))})
    for (const auto mode : {io::access_mode::serial, io::access_mode::aggregated, io::access_mode::parallel}) {
      io::access how;
      how.mode = mode;
      how.bytes_per_call = 4 * n.y * n.x;  // with this size, a piece is one chunk
      io::storage plain;
      plain.method = io::compression::none;
      auto writer = io::result_writer::create(path, where, header, fields, {}, how, plain);
      const index3 shape = where.owned.shape();
      std::vector<int> made(static_cast<std::size_t>(shape.z));
      std::int64_t most = 0;
      writer.write_material(sample::materials(where.owned));
      writer.write_cells("sed", [&](std::int64_t first, std::int64_t planes, std::span<float> values) {
        EXPECT_EQ(static_cast<std::int64_t>(values.size()), planes * shape.y * shape.x);
        most = std::max(most, planes);
        for (std::int64_t z = first; z < first + planes; ++z) ++made[static_cast<std::size_t>(z)];
        std::fill(values.begin(), values.end(), 1.0F);
      });
      writer.close();
      EXPECT_EQ(made, std::vector<int>(made.size(), 1));
      EXPECT_LE(most, io::planes_per_chunk(n.z, 4 * n.y * n.x)) << ranks;
    }
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(path);
}

// Oracle: the previous bytes.
TEST(result_file, without_close_leaves_the_older_file) {
  const index3 n{9, 12, 10};
  const auto header = sample::header(n);
  const auto where = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
  const std::string path = sample::shared_path("old.vtkhdf");
  const bool first = where.owned.begin.z == 0;
  if (first) write_text(path, "older");
  sample::write(path, where, header, {}, false);
  MPI_Barrier(MPI_COMM_WORLD);
  if (first) {
    EXPECT_EQ(read_text(path), "older");
    EXPECT_EQ(temporary_files(path), 0);
    std::filesystem::remove(path);
  }
}

// Oracle: every rank throws machine_error, and the previous bytes remain.
TEST(result_file, a_limit_on_the_file_size_is_an_error_on_every_rank) {
  const index3 n{23, 200, 170};
  const auto header = sample::header(n);
  const auto where = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
  const std::string path = sample::shared_path("limit.vtkhdf");
  const bool first = where.owned.begin.z == 0;
  if (first) write_text(path, "older");
  MPI_Barrier(MPI_COMM_WORLD);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto previous = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{3 << 20, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string text;
  try {
    sample::write(path, where, header);
  } catch (const machine_error& e) {
    text = e.what();
  }
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, previous);
  EXPECT_NE(text.find("ulimit -f"), std::string::npos) << text;
  MPI_Barrier(MPI_COMM_WORLD);
  if (first) {
    EXPECT_EQ(read_text(path), "older");
    EXPECT_EQ(temporary_files(path), 0);
    std::filesystem::remove(path);
  }
}

}  // namespace result_file_test
