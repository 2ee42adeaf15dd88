#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <osteon/base/digest.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>

#include "grid/sample_bricks.hpp"
#include "io/sample_points.hpp"

namespace checkpoint_file_test {

using namespace osteon;

constexpr index3 shape{23, 9, 11};

// All ranks must call this function once, together.
std::string path() {
  static const std::string known = sample::shared_path("points.checkpoint");
  return known;
}

grid::block planes() { return grid::make_block(MPI_COMM_WORLD, shape, sample::header(shape).active_per_plane); }
grid::block bricks() { return grid::make_block(MPI_COMM_WORLD, sample::bricks(shape, sample::materials({{}, shape}))); }

// Expected content of the file, which is the values of all nodes in the order z, y, x.
std::vector<double> expected() {
  const auto all = sample::materials({{}, shape});
  const auto nodes = voxel::corner_nodes(voxel::active_cells({all.data(), shape}));
  std::vector<double> values;
  for (const voxel::run& r : nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      for (int c = 0; c < 3; ++c) values.push_back(sample::value_at(r.z, r.y, r.x + i, c));
  return values;
}

// Oracle: the values in the order of the global numbers, and the file written with the other decomposition.
TEST(checkpoint_file, does_not_depend_on_the_ranks) {
  std::string first;
  for (const auto& where : {planes(), bricks()}) {
    sample::points own(where);
    const std::int64_t bytes = io::write_checkpoint(path(), own.planes(), own.vectors(), {{"answer", 0.1}});
    EXPECT_EQ(bytes, static_cast<std::int64_t>(std::filesystem::file_size(path())));
    const auto index = io::read_checkpoint_index(path());
    EXPECT_EQ(index.facts.at("answer").get<double>(), 0.1);
    std::vector<double> values(static_cast<std::size_t>(3 * index.points()));
    std::ifstream(path(), std::ios::binary)
        .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(8 * values.size()));
    EXPECT_EQ(values, expected());
    const std::string digest = sha256_of_file(path());
    if (first.empty()) first = digest;
    EXPECT_EQ(digest, first);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(path());
}

// Oracle: the written values, on every copy of a node.
TEST(checkpoint_file, comes_back_on_another_decomposition) {
  sample::points written(planes());
  io::write_checkpoint(path(), written.planes(), written.vectors(), {});
  const auto index = io::read_checkpoint_index(path());
  io::verify_checkpoint(MPI_COMM_WORLD, path(), index);
  const sample::points want(bricks());
  sample::points read(bricks(), false);
  io::read_checkpoint(path(), index, read.planes(), read.vectors());
  EXPECT_EQ(read.doubles, want.doubles);
  EXPECT_EQ(read.floats, want.floats);
  MPI_Barrier(MPI_COMM_WORLD);
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(path());
}

// Oracle: all ranks throw an error, whichever rank detects the damage.
TEST(checkpoint_file, damage_is_noticed_by_all) {
  sample::points own(planes());
  io::write_checkpoint(path(), own.planes(), own.vectors(), {});
  const auto index = io::read_checkpoint_index(path());
  MPI_Barrier(MPI_COMM_WORLD);
  if (comm::rank(MPI_COMM_WORLD) == 0) {
    std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(1000);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(1000).put(byte);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_THROW(io::verify_checkpoint(MPI_COMM_WORLD, path(), index), data_error);
  EXPECT_THROW(io::read_checkpoint(path(), index, own.planes(), own.vectors()), data_error);
  MPI_Barrier(MPI_COMM_WORLD);
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(path());
}

// Oracle: the numbers of nodes of another solid differ.
TEST(checkpoint_file, another_model_is_refused) {
  sample::points own(planes());
  io::write_checkpoint(path(), own.planes(), own.vectors(), {});
  auto index = io::read_checkpoint_index(path());
  --index.per_plane[5], ++index.per_plane[6];
  EXPECT_THROW(io::read_checkpoint(path(), index, own.planes(), own.vectors()), data_error);
  MPI_Barrier(MPI_COMM_WORLD);
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(path());
}

// Oracle: the limit of the reader. All ranks throw an error, and no file is created.
TEST(checkpoint_file, what_the_reader_would_refuse_is_not_written) {
  sample::points own(planes());
  std::vector<grid::point_vector> vectors = own.vectors();
  vectors.front().layout.components = static_cast<int>(io::most_components) + 1;
  EXPECT_THROW(io::write_checkpoint(path(), own.planes(), vectors, {}), usage_error);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace checkpoint_file_test
