#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/block_nodes.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/io/voxfe/read_model.hpp>
#include <osteon/io/voxfe/write_results.hpp>

#include "io/sample.hpp"
#include "io/voxfe_sample.hpp"

namespace voxfe_model_test {

using namespace osteon;
using namespace osteon::io::voxfe;

constexpr text_access ways[] = {text_access::parallel, text_access::serial};

int ranks() { return comm::size(MPI_COMM_WORLD); }

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_same(const model_planes& m, const whole_model& whole) {
  const std::int64_t plane = whole.header.shape.y * whole.header.shape.x;
  const auto begin = whole.material.begin() + m.where.owned.begin.z * plane;
  EXPECT_EQ(m.material, (std::vector<material_number>(begin, begin + std::ssize(m.material))));
  EXPECT_EQ(m.header.active_per_plane, whole.header.active_per_plane);
  EXPECT_EQ(m.header.conditions, whole.header.conditions);
  EXPECT_EQ(m.index_base, whole.layout.base);
}

// Oracle: the reader of one process. Some ranks read a few lines of the file, and other ranks read none.
TEST(VoxfeModelOnRanks, equals_the_serial_reader_in_both_ways) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    voxfe_files files = random_voxfe(seed);
    if (seed % 3 == 0) files.model = "\n# a comment\n" + files.model + "\n\n";
    if (seed % 4 == 0) files.model.pop_back();
    const voxfe_folder folder(files);
    const script s = read_script(folder.script());
    if (s.shape().z < ranks()) continue;
    const whole_model whole = read_whole_model(s);
    for (const text_access access : ways) expect_same(read_model(MPI_COMM_WORLD, s, {}, access), whole);
  }
}

// Oracle: the message of the serial reader. Every rank has this message, for any position of the first fault in the file.
TEST(VoxfeModelOnRanks, faults_are_told_by_all_ranks_with_their_line) {
  const voxfe_files good = random_voxfe(4);
  const auto lines = std::count(good.model.begin(), good.model.end(), '\n');
  for (std::int64_t line = 2; line <= lines; line += std::max<std::int64_t>(1, lines / 13))
    for (const char* change : {"1 99999 1 1 1", "1 x 1 1 1", "1 1 1000000 1 1", "1 1 1 1", ""}) {
      std::string model;
      std::istringstream text(good.model);
      std::string word;
      for (std::int64_t n = 1; std::getline(text, word); ++n) model += (n == line ? change : word) + std::string("\n");
      voxfe_files bad = good;
      bad.model = model;
      const voxfe_folder folder(bad);
      const script s = read_script(folder.script());
      if (s.shape().z < ranks()) GTEST_SKIP() << "more ranks than planes";
      std::string expected;
      try {
        read_whole_model(s);
      } catch (const data_error& e) {
        expected = e.what();
      }
      ASSERT_NE(expected, "");
      for (const text_access access : ways) try {
          read_model(MPI_COMM_WORLD, s, {}, access);
          ADD_FAILURE() << "read: " << change;
        } catch (const data_error& e) {
          const std::string tail = expected.substr(std::min(expected.size(), expected.find("model:")));
          EXPECT_NE(std::string(e.what()).find(tail), std::string::npos) << e.what() << "\nexpected: " << tail;
        }
    }
}

// Oracle: the canonical text of the input.
TEST(VoxfeModelOnRanks, text_to_netcdf_to_text_is_byte_identical) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const voxfe_files files = random_voxfe(seed);
    const voxfe_folder folder(files);
    const std::string path = sample::shared_path("voxfe.nc");
    if (comm::rank(MPI_COMM_WORLD) == 0) {
      const whole_model m = read_whole_model(read_script(folder.script()));
      io::write_model(path, m.header, {m.material.data(), m.header.shape});
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const voxel::model_header header = io::read_model_header(MPI_COMM_WORLD, path);
    const script s = script_of(header, folder.script());
    EXPECT_EQ(canonical_script(s), files.script);
    EXPECT_EQ(canonical_materials(s), files.materials);
    EXPECT_EQ(canonical_constraints(s), files.constraints);
    const auto material = io::read_model_planes(MPI_COMM_WORLD, path, header, {{}, header.shape});
    std::vector<int> ids;
    for (const material_row& m : s.materials) ids.push_back(m.id);
    std::string elements = fmt::format("{}\n", s.elements);
    append_elements(elements, {material.data(), header.shape}, 0, 1, ids);
    EXPECT_EQ(elements, files.model);
    MPI_Barrier(MPI_COMM_WORLD);
    if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(path);
  }
}

// Oracle: the rows themselves. Nodes shared by ranks occur once, in order. Both modes write equal bytes.
TEST(VoxfeModelOnRanks, results_are_numbered_and_written_the_same_in_both_ways) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const voxfe_folder folder(random_voxfe(seed));
    script s = read_script(folder.script());
    if (s.shape().z < ranks()) continue;
    const whole_model whole = read_whole_model(s);
    const model_planes m = read_model(MPI_COMM_WORLD, s, {}, text_access::parallel);
    const auto nodes_of = [&](const std::vector<material_number>& image, index3 shape, std::int64_t first_plane) {
      const voxel::run_set cells = voxel::active_cells({image.data(), shape}), nodes = voxel::corner_nodes(cells);
      node_rows rows;
      rows.components = 3;
      for (const voxel::run& r : nodes.runs())
        for (std::int32_t i = 0; i < r.length; ++i) {
          rows.id.push_back(grid::node_id(s.shape(), {r.z + first_plane, r.y, r.x + i}));
          for (int c = 0; c < 3; ++c) rows.value.push_back(1e-3 * static_cast<double>(rows.id.back()) + c);
        }
      return rows;
    };
    const node_rows all = nodes_of(whole.material, s.shape(), 0);
    const node_rows mine = settle(m.where, nodes_of(m.material, m.where.owned.shape(), m.where.owned.begin.z));
    std::string expected, places;
    for (std::size_t i = 0; i < all.id.size(); ++i) {
      const double* v = all.value.data() + 3 * i;
      const std::int64_t nx = s.voxels[0] + 1, ny = s.voxels[1] + 1, id = all.id[i];
      expected += fmt::format("{}\t:\t{:.9e} {:.9e} {:.9e}\n", i, v[0], v[1], v[2]);
      places += fmt::format("{}   {}   {}   {}   {:.9e}   {:.9e}   {:.9e}  \n", id, id % nx, id / nx % ny, id / nx / ny,
                            v[0], v[1], v[2]);
    }
    std::string sed = "element_id,material_id,x,y,z,sed\n";
    std::int64_t number = 0;
    for (std::int64_t i = 0; i < std::ssize(whole.material); ++i)
      if (const material_number material = whole.material[static_cast<std::size_t>(i)])
        sed +=
            fmt::format("{},{},{},{},{},{:.9e}\n", ++number, s.materials[material - std::size_t{1}].id, i % s.voxels[0] + 1,
                        i / s.voxels[0] % s.voxels[1] + 1, i / s.voxels[0] / s.voxels[1] + 1, 0.5F * static_cast<float>(i));
    std::vector<float> energy;
    for (std::int64_t i = 0; i < std::ssize(m.material); ++i)
      if (m.material[static_cast<std::size_t>(i)])
        energy.push_back(0.5F * static_cast<float>(i + m.where.owned.begin.z * s.voxels[0] * s.voxels[1]));
    const std::string path = sample::shared_path("rows.txt");
    for (const text_access access : ways) {
      s.results.with_places = false;
      const std::int64_t bytes = write_displacement(MPI_COMM_WORLD, s, path, access, mine);
      std::string text = content(path);
      EXPECT_EQ(bytes, std::ssize(text));
      EXPECT_EQ(text.substr(text.find("Z\n") + 2), expected);
      MPI_Barrier(MPI_COMM_WORLD);
      s.results.with_places = true;
      write_displacement(MPI_COMM_WORLD, s, path, access, mine);
      text = content(path);
      EXPECT_TRUE(text.starts_with(fmt::format("nNodes: {}\nNodes: {}  {}  {}\nMaterials: mat\n", all.id.size(),
                                               s.voxels[0] + 1, s.voxels[1] + 1, s.voxels[2] + 1)));
      EXPECT_TRUE(text.ends_with(places));
      MPI_Barrier(MPI_COMM_WORLD);
      write_sed(m.where, s, path, access, {m.material.data(), m.where.owned.shape()}, energy, 1);
      EXPECT_EQ(content(path), sed);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Oracle: the previous file. A failed write leaves the previous file unchanged and throws a machine_error on all ranks.
TEST(VoxfeModelOnRanks, a_failed_write_is_an_error_on_all_ranks) {
  for (const text_access access : ways)
    EXPECT_THROW(write_rows(
                     MPI_COMM_WORLD, "/nowhere/rows.txt", access, [](std::int64_t) { return std::string("x"); }, 1,
                     [](std::string& text, std::int64_t, std::int64_t) { text += "row\n"; }),
                 machine_error);
  const std::string path = sample::shared_path("kept.txt");
  if (comm::rank(MPI_COMM_WORLD) == 0) std::ofstream(path) << "older";
  MPI_Barrier(MPI_COMM_WORLD);
  const int last = ranks() - 1;
  for (const text_access access : ways) {
    EXPECT_THROW(write_rows(
                     MPI_COMM_WORLD, path, access, [](std::int64_t) { return std::string("x"); }, 1,
                     [&](std::string&, std::int64_t, std::int64_t) {
                       if (comm::rank(MPI_COMM_WORLD) == last) throw machine_error("no space");
                     }),
                 machine_error);
    EXPECT_EQ(content(path), "older");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove(path);
}

}  // namespace voxfe_model_test
