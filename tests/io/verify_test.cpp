#include <gtest/gtest.h>
#include <netcdf.h>

#include <filesystem>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/base/xxh3.hpp>
#include <osteon/base/xxh64.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/files/verify.hpp>

#include "io/sample.hpp"

namespace verify_test {

using namespace osteon;

int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}

struct open_file {
  int id = -1;
  explicit open_file(const std::string& path) { EXPECT_EQ(nc_open(path.c_str(), NC_WRITE, &id), NC_NOERR); }
  ~open_file() { EXPECT_EQ(nc_close(id), NC_NOERR); }
  int group(const char* name) const {
    int found = -1;
    EXPECT_EQ(nc_inq_grp_full_ncid(id, name, &found), NC_NOERR) << name;
    return found;
  }
};

std::vector<std::string> faults_of(const std::string& path) {
  std::vector<std::string> texts;
  for (const io::fault& f : io::verify_file(path).faults) texts.push_back(io::to_text(f));
  return texts;
}

std::string digests_of(const std::string& path, const char* name) {
  const open_file file(path);
  const int group = file.group("/integrity");
  int id = -1, dimension[2] = {-1, -1};
  std::size_t rows = 0;
  EXPECT_EQ(nc_inq_varid(group, name, &id), NC_NOERR);
  EXPECT_EQ(nc_inq_vardimid(group, id, dimension), NC_NOERR);
  EXPECT_EQ(nc_inq_dimlen(group, dimension[0], &rows), NC_NOERR);
  std::string text(16 * rows, '\0');
  EXPECT_EQ(nc_get_var_text(group, id, text.data()), NC_NOERR);
  return text;
}

// The digests of displacement according to docs/reference/format.md, from the function of the position alone.
std::string expected_digests(index3 n, std::int64_t planes_per_digest) {
  std::string all;
  for (std::int64_t low = 0; low <= n.z; low += planes_per_digest) {
    std::vector<float> values;
    for (std::int64_t z = low; z < std::min(low + planes_per_digest, n.z + 1); ++z)
      for (std::int64_t y = 0; y <= n.y; ++y)
        for (std::int64_t x = 0; x <= n.x; ++x)
          for (int c = 0; c < 3; ++c) values.push_back(sample::node_at(z, y, x, c));
    all += xxh3_of(std::as_bytes(std::span(values)));
  }
  return all;
}

// Oracle: digests that this test computes from the definition of the values, for every mode, decomposition and storage
// method.
TEST(verify, digests_do_not_depend_on_mode_ranks_or_storage) {
  const index3 n{37, 90, 80};
  const auto header = sample::header(n);
  const auto where = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
  const std::string path = sample::shared_path("modes.vtkhdf");
  const std::int64_t planes_per_digest = (2 << 20) / (91 * 81 * 12);  // a chunk of about 2 MiB
  const std::string expected = expected_digests(n, planes_per_digest);
  io::storage plain;
  plain.method = io::compression::none;
  for (const auto& [mode, ranks_per_writer, stored] : {std::tuple{io::access_mode::serial, 0, io::storage{}},
                                                       {io::access_mode::aggregated, 0, io::storage{}},
                                                       {io::access_mode::aggregated, 2, io::storage{}},
                                                       {io::access_mode::parallel, 0, io::storage{}},
                                                       {io::access_mode::parallel, 0, plain},
                                                       {io::access_mode::serial, 0, plain}}) {
    io::access how;
    how.mode = mode;
    how.ranks_per_writer = ranks_per_writer;
    how.bytes_per_call = 1 << 20;
    how.bytes_per_message = 100'003;
    sample::write(path, where, header, how, true, stored);
    if (rank() == 0) {
      EXPECT_EQ(io::read_seal(path), io::seal_state::good);
      EXPECT_EQ(faults_of(path), std::vector<std::string>{});
      EXPECT_EQ(digests_of(path, "displacement"), expected) << io::name_of(mode);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank() == 0) std::filesystem::remove(path);
}

// Oracle: the relative error is at most half a unit of the last kept digit, and NaN remains NaN. The digests are digests of
// the rounded values.
TEST(verify, rounded_fields_match_their_digests) {
  const index3 n{9, 40, 30};
  const auto header = sample::header(n);
  const auto where = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
  const std::string path = sample::shared_path("rounded.vtkhdf");
  io::storage stored;
  stored.significant_digits = 1;
  sample::write(path, where, header, {}, true, stored);
  if (rank() == 0) {
    EXPECT_EQ(faults_of(path), std::vector<std::string>{});
    const open_file file(path);
    const int group = file.group("/VTKHDF/CellData");
    int id = -1;
    std::vector<float> sed(static_cast<std::size_t>(n.volume()));
    EXPECT_EQ(nc_inq_varid(group, "sed", &id), NC_NOERR);
    EXPECT_EQ(nc_get_var_float(group, id, sed.data()), NC_NOERR);
    std::size_t i = 0, changed = 0;
    for (std::int64_t z = 0; z < n.z; ++z)
      for (std::int64_t y = 0; y < n.y; ++y)
        for (std::int64_t x = 0; x < n.x; ++x, ++i) {
          const float exact = sample::cell_at(z, y, x);
          if (std::isnan(exact)) {
            EXPECT_TRUE(std::isnan(sed[i]));
            continue;
          }
          EXPECT_LE(std::abs(sed[i] - exact), 0.5e-1F * std::abs(exact));
          changed += sed[i] != exact;
        }
    EXPECT_GT(changed, 0u);
    std::filesystem::remove(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Oracle: the changed values. netCDF writes these values with matching checksums, as a repaired index or a faulty program
// would do.
TEST(verify, names_the_field_and_the_planes_that_changed) {
  const index3 n{40, 200, 170};  // material: one chunk; sed: 15 planes per chunk; displacement: 5
  const auto header = sample::header(n);
  const auto where = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
  const std::string path = sample::shared_path("changed.vtkhdf"), model = sample::shared_path("changed.nc");
  sample::write(path, where, header);
  if (rank() == 0) {
    {
      const open_file file(path);
      const int cells = file.group("/VTKHDF/CellData"), vtk = file.group("/VTKHDF");
      int id = -1;
      EXPECT_EQ(nc_inq_varid(cells, "sed", &id), NC_NOERR);
      const float wrong = -1;
      for (const std::size_t z : {16, 31}) {
        const std::size_t at[3] = {z, 100, 100};
        EXPECT_EQ(nc_put_var1_float(cells, id, at, &wrong), NC_NOERR);
      }
      const double spacing[3] = {0.1, 0.2, 0.4};
      EXPECT_EQ(nc_put_att_double(vtk, NC_GLOBAL, "Spacing", NC_DOUBLE, 3, spacing), NC_NOERR);
    }
    const auto found = faults_of(path);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NE(found[0].find("metadata"), std::string::npos) << found[0];
    EXPECT_EQ(found[1], "CellData/sed, planes 15 to 39: does not match its digests");
    EXPECT_EQ(io::read_seal(path), io::seal_state::none);  // HDF5 truncates unknown content

    const auto voxels = sample::materials(n, 0, n.z);
    io::write_model(model, header, {voxels.data(), n});
    EXPECT_EQ(faults_of(model), std::vector<std::string>{});
    {
      const open_file file(model);
      const int table = file.group("/model");
      int id = -1;
      EXPECT_EQ(nc_inq_varid(table, "youngs_modulus", &id), NC_NOERR);
      const std::size_t second = 1;
      const double wrong = 10000;
      EXPECT_EQ(nc_put_var1_double(table, id, &second, &wrong), NC_NOERR);
    }
    ASSERT_EQ(faults_of(model).size(), 1u);
    EXPECT_THROW(io::read_model_header(model), data_error);
    EXPECT_THROW(io::verify_file("/nowhere/model.nc"), data_error);
    std::filesystem::remove(path);
    std::filesystem::remove(model);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Flips a bit of the last values that were written to the only file whose name has this prefix.
void spoil(const std::string& prefix) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(prefix).parent_path()))
    if (entry.path().string().starts_with(prefix)) found = entry.path();
  std::fstream file(found, std::ios::binary | std::ios::in | std::ios::out);
  const auto at = static_cast<std::streamoff>(std::filesystem::file_size(found)) - 50;
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at).put(static_cast<char>(byte ^ 4));
  ASSERT_TRUE(file.good()) << found;
}

// Oracle: a bit is flipped on the disk between the write and close(), as by a file system that loses a write. The file does
// not get its name. Without the check that reads back, the file gets its name. The seal covers the intended content and
// reveals the damage.
TEST(verify, damaged_files_do_not_get_their_name) {
  const index3 n{13, 90, 80};
  const auto header = sample::header(n);
  const auto where = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
  const std::string path = sample::shared_path("spoiled.vtkhdf");
  for (const io::compression method : {io::compression::none, io::compression::deflate}) {
    const io::storage stored{method};
    io::access how;
    const auto spoiling = [&] {
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank() == 0) spoil(path + ".tmp.");
      MPI_Barrier(MPI_COMM_WORLD);
    };
    try {
      sample::write(path, where, header, how, true, stored, spoiling);
      ADD_FAILURE() << "nothing was noticed";
    } catch (const machine_error& e) {
      EXPECT_NE(std::string(e.what()).find("'displacement'"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("differs from the written data"), std::string::npos) << e.what();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_FALSE(std::filesystem::exists(path));
    how.read_back = false;
    sample::write(path, where, header, how, true, stored, spoiling);
    if (rank() == 0) {
      EXPECT_EQ(io::read_seal(path), io::seal_state::wrong);
      EXPECT_EQ(faults_of(path).size(), 1u);
      std::filesystem::remove(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put_bytes(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string digest_of(std::string_view text) { return xxh3_of(std::as_bytes(std::span(text))); }
std::string older_digest_of(std::string_view text) { return xxh64_of(std::as_bytes(std::span(text))); }

// Oracle: docs/reference/format.md, evaluated by hand. A bit flipped anywhere after the values is detected. Files with the
// older seal over blocks of 4 MiB can still be read.
TEST(verify, the_seal_agrees_with_the_format) {
  const index3 n{13, 90, 80};
  const auto header = sample::header(n);
  const auto where = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
  const std::string path = sample::shared_path("sealed.vtkhdf");
  sample::write(path, where, header);
  if (rank() == 0) {
    const std::string all = bytes_of(path);
    constexpr std::size_t number = 16;
    const std::string last = all.substr(all.size() - 15 - 2 * number);
    ASSERT_EQ(last.substr(0, 15), "\nosteon-seal-3\n");
    const std::size_t parts = std::stoul(last.substr(15, number), nullptr, 16);
    const std::size_t sealed = all.size() - last.size() - parts * number;
    EXPECT_GT(parts, 4u);
    std::string digests;
    std::size_t at = 0;
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t length = std::stoul(all.substr(sealed + i * number, number), nullptr, 16);
      digests += digest_of(std::string_view(all).substr(at, length));
      at += length;
    }
    EXPECT_EQ(at, sealed);
    EXPECT_EQ(last.substr(15 + number), digest_of(all.substr(sealed, parts * number) + digests));
    for (const std::size_t place : {sealed + 5, all.size() - 40, all.size() - 20, all.size() - 3}) {
      std::string changed = all;
      changed[place] = static_cast<char>(changed[place] ^ 1);
      put_bytes(path, changed);
      EXPECT_NE(io::read_seal(path), io::seal_state::good) << place;
    }
    std::string older(std::size_t{9} << 20, 'x');
    const std::string_view view = older;
    const std::string root =
        older_digest_of(older_digest_of(view.substr(0, 4 << 20)) + older_digest_of(view.substr(4 << 20, 4 << 20)) +
                        older_digest_of(view.substr(8 << 20)));
    put_bytes(path, older + "\nosteon-seal-2\n" + root);
    EXPECT_EQ(io::read_seal(path), io::seal_state::good);
    older[5 << 20] = 'y';
    put_bytes(path, older + "\nosteon-seal-2\n" + root);
    EXPECT_EQ(io::read_seal(path), io::seal_state::wrong);
    std::filesystem::remove(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace verify_test
