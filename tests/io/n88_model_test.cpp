#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/n88/read_n88.hpp>
#include <osteon/io/n88/write_n88.hpp>
#include <random>

#include "io/sample.hpp"

namespace n88_model_test {

using namespace osteon;
using namespace osteon::io::n88;

constexpr index3 shape{9, 5, 6};
constexpr vector3 edge{0.05, 0.03, 0.02}, low{2, -1, 30};

// An image with three materials and empty space. The corners of the box are solid.
std::vector<material_number> voxels() {
  std::mt19937 random(5);
  std::vector<material_number> all(static_cast<std::size_t>(shape.volume()));
  for (material_number& m : all) m = static_cast<material_number>(random() % 4);
  for (const std::size_t corner : {std::size_t{0}, all.size() - 1}) all[corner] = 2;
  return all;
}

std::int64_t place(index3 at) { return (at.z * shape.y + at.y) * shape.x + at.x; }

// Input of a writer. Nodes and elements are in random order.
struct mesh {
  std::vector<float> xyz;
  std::vector<std::array<std::int32_t, 8>> corners;
  std::vector<material_number> materials;
  std::map<std::array<std::int64_t, 3>, std::int32_t> node;  // key: position
};

mesh mesh_of(const std::vector<material_number>& all) {
  mesh m;
  std::vector<index3> cells;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x)
        if (all[static_cast<std::size_t>(place({z, y, x}))] != 0) cells.push_back({z, y, x});
  std::shuffle(cells.begin(), cells.end(), std::mt19937(3));
  for (const index3& c : cells) {
    std::array<std::int32_t, 8> of{};
    for (std::size_t k = 0; k < 8; ++k) {
      const index3 at = c + index3{static_cast<std::int64_t>(k >> 2), static_cast<std::int64_t>(k >> 1 & 1),
                                   static_cast<std::int64_t>(k & 1)};
      const auto [found, is_new] = m.node.try_emplace({at.z, at.y, at.x}, static_cast<std::int32_t>(m.node.size()));
      of[k] = found->second;
      if (is_new)
        for (const int a : {2, 1, 0}) m.xyz.push_back(static_cast<float>(low[a] + static_cast<double>(at[a]) * edge[a]));
    }
    m.corners.push_back(of);
    m.materials.push_back(all[static_cast<std::size_t>(place(c))]);
  }
  return m;
}

// The name of the file, which is equal on all ranks. All ranks make the first call together.
const std::string& file_name() {
  static const std::string name = sample::shared_path("osteon.n88model");
  return name;
}

// Rank 0 writes the file in pieces.
void write(const mesh& m, const description& what) {
  const std::string& name = file_name();
  if (comm::rank(MPI_COMM_WORLD) == 0) {
    model_writer writer(name, what);
    const std::span<const float> xyz(m.xyz);
    writer.add_nodes(xyz.first(9));
    writer.add_nodes(xyz.subspan(9));
    const std::size_t half = m.corners.size() / 2;
    writer.add_elements(std::span(m.corners).first(half), std::span(m.materials).first(half));
    writer.add_elements(std::span(m.corners).subspan(half), std::span(m.materials).subspan(half));
    writer.close();
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

description described(const mesh& m) {
  description what;
  what.history = "a test";
  what.materials = {{"empty", 0, 0, 0}, {"bone, hard", 17000, 0.3, 0}, {"a/b", 500, 0.25, 0}, {"a/b", 2, -0.5, 0}};
  what.nodes = static_cast<std::int64_t>(m.xyz.size() / 3);
  what.elements = std::ssize(m.corners);
  const std::int32_t first = m.node.at({0, 0, 0}), last = m.node.at({shape.z, shape.y, shape.x});
  what.sets = {{"ends", {first, last}}, {"none", {}}};
  what.problems = {{"press, first", {{first, 0, 0}, {first, 1, 0}, {last, 0, -0.125}}, {{last, 2, 1.5}, {last, 2, 0.25}}},
                   {"other", {{first, 2, 9}}, {}}};
  return what;
}

// Oracle: the voxels from which the mesh was made. The test uses several numbers of ranks and random orders of the file.
TEST(n88_model, comes_back_on_any_number_of_ranks) {
  const std::vector<material_number> all = voxels();
  const mesh m = mesh_of(all);
  write(m, described(m));
  const model_planes read = read_model(MPI_COMM_WORLD, file_name());
  const voxel::model_header& h = read.file.header;
  EXPECT_EQ(h.shape, shape);
  for (int a = 0; a < 3; ++a) {
    EXPECT_EQ(h.spacing_mm[a], edge[a]);
    EXPECT_NEAR(h.origin_mm[a], low[a], 1e-6);
  }
  const std::int64_t plane = shape.y * shape.x;
  const auto begin = all.begin() + read.where.owned.begin.z * plane;
  EXPECT_EQ(read.material, std::vector<material_number>(begin, begin + std::ssize(read.material)));
  std::int64_t active = 0;
  for (const std::int64_t n : h.active_per_plane) active += n;
  EXPECT_EQ(active, std::ssize(m.corners));
  ASSERT_EQ(h.materials.size(), 4U);
  EXPECT_EQ(h.materials[1].youngs_modulus_MPa, 17000);
  EXPECT_EQ(h.materials[3].poisson_ratio, -0.5);
  EXPECT_NE(h.materials[2].name, h.materials[3].name);

  // The file contains only the active problem. Several forces at one node are added.
  ASSERT_EQ(h.conditions.size(), 2U);
  for (const voxel::node_condition& c : h.conditions)
    if (c.node == index3{0, 0, 0}) {
      EXPECT_EQ(c.held, (std::array<bool, 3>{true, true, false}));
      EXPECT_EQ(c.move_mm, vector3{});
    } else {
      EXPECT_EQ(c.node, shape);
      EXPECT_EQ(c.held, (std::array<bool, 3>{true, false, false}));
      EXPECT_EQ(c.move_mm, (vector3{-0.125, 0, 0}));
      EXPECT_EQ(c.force_N, (vector3{0, 0, 1.75}));
    }
  if (comm::rank(MPI_COMM_WORLD) != 0) return;
  const whole_model whole = read_whole_model(file_name());
  EXPECT_EQ(whole.material, all);
  EXPECT_EQ(whole.file.header.conditions, h.conditions);
}

// Oracle: the contract. All ranks throw an error with the name of the file.
TEST(n88_model, of_boxes_that_are_no_voxels_is_refused_by_all_ranks) {
  mesh m = mesh_of(voxels());
  m.xyz[3 * 40] += static_cast<float>(0.4 * edge.x);
  write(m, described(m));
  try {
    read_model(MPI_COMM_WORLD, file_name());
    FAIL();
  } catch (const data_error& e) {
    EXPECT_NE(std::string(e.what()).find("n88model"), std::string::npos) << e.what();
  }
  m = mesh_of(voxels());
  m.corners[5] = m.corners[4];
  write(m, described(m));
  EXPECT_THROW(read_model(MPI_COMM_WORLD, file_name()), data_error);
  MPI_Barrier(MPI_COMM_WORLD);
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(file_name());
}

}  // namespace n88_model_test
