#include <gtest/gtest.h>

#include <algorithm>
#include <osteon/physics/elasticity/loads/loads.hpp>
#include <voxel/random_image.hpp>

#include "grid/sample_bricks.hpp"

namespace node_sets_test {

using namespace osteon;

constexpr index3 domain{9, 6, 7};

/// A specimen of a random scan on a communicator.
struct scan {
  std::vector<material_number> data = random_image(domain, 0.4, 11);
  job::local_model part;
  voxel::run_set nodes;

  explicit scan(MPI_Comm comm, bool is_bricks = false) {
    for (std::size_t i = 0; i < data.size(); ++i)
      if (data[i] && i % 5 == 0) data[i] = 2;
    const std::int64_t plane = domain.y * domain.x;
    part.header.shape = domain;
    part.header.spacing_mm = {0.5, 0.3, 0.2};
    part.header.origin_mm = {1, 2, 3};
    part.header.materials = {{}, {"soft", 1, 0.3, 0}, {"hard", 2, 0.3, 0}};
    for (std::int64_t z = 0; z < domain.z; ++z)
      part.header.active_per_plane.push_back(
          plane - std::count(data.begin() + z * plane, data.begin() + (z + 1) * plane, material_number{0}));
    part.where = is_bricks ? grid::make_block(comm, sample::bricks(domain, data))
                           : grid::make_block(comm, domain, part.header.active_per_plane);
    const box3& owned = part.where.owned;
    std::vector<material_number> image;
    for (const auto voxel : sample::numbers<std::size_t>(domain, owned)) image.push_back(data[voxel]);
    part.cells = voxel::active_cells({image.data(), owned.shape()});
    part.material = voxel::gather(part.cells, {image.data(), owned.shape()});
    nodes = voxel::corner_nodes(part.cells);
  }
};

/// One set of each kind. The listed voxels and nodes are solid.
job::spec all_kinds(const scan& s) {
  job::spec spec;
  std::vector<physics::set_spec>& sets = spec.groups.of<physics::mechanical_keys>().sets;
  const auto add = [&](const char* select) -> physics::set_spec& {
    sets.emplace_back();
    sets.back().name = select;
    EXPECT_TRUE(sets.back().select.set(select));
    return sets.back();
  };
  add("face").face = "z_high";
  sets.back().of = physics::faces_of::solid;
  sets.back().depth_mm = 1.0;
  add("plane").axis = axis::z;
  sets.back().at_mm = 3.1;
  add("box").low_mm = {1.5, 2.5, 3.1};
  sets.back().high_mm = {4.0, 3.5, 4.0};
  add("disk").centre_mm = {3.0, 3.0, 3.5};
  sets.back().normal = {1, 0, 1};
  sets.back().radius_mm = 1.5;
  sets.back().thickness_mm = 1.0;
  add("material").material = "hard";
  add("voxels");
  add("nodes");
  for (std::int64_t i = 0, step = 17; i < domain.volume(); i += step)
    if (s.data[static_cast<std::size_t>(i)]) {
      const std::vector<std::int64_t> at{i / (domain.y * domain.x), i / domain.x % domain.y, i % domain.x};
      sets[5].voxels.push_back(at);
      sets[6].nodes.push_back({at[0] + 1, at[1], at[2] + 1});
    }
  add("points").points_mm = {{1.1, 2.1, 3.1}, {3.0, 3.0, 3.5}, {5.4, 3.7, 4.3}};
  add("brush").points_mm = {{1.1, 2.1, 3.1}, {3.0, 3.0, 3.5}, {4.4, 3.0, 4.3}};
  sets.back().radius_mm = 0.7;
  sets.push_back(sets[4]);
  sets.back().name = "surface";
  sets.back().surface = true;
  sets.push_back(sets[2]);
  sets.back().name = "material";  // the union of two selections
  return spec;
}

/// Numbers of the nodes of a set on all ranks, in ascending order. Each number occurs once.
std::vector<std::int64_t> gathered(const physics::node_sets& sets, const physics::node_set& set) {
  std::vector<std::int64_t> mine;
  for (const std::int32_t node : set.nodes)
    if (sets.owns(node)) mine.push_back(sets.id(node));
  int size = 0;
  MPI_Comm_size(sets.comm(), &size);
  std::vector<int> counts(static_cast<std::size_t>(size)), begins(counts.size());
  const int count = static_cast<int>(mine.size());
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, sets.comm());
  for (std::size_t r = 1; r < counts.size(); ++r) begins[r] = begins[r - 1] + counts[r - 1];
  std::vector<std::int64_t> all(static_cast<std::size_t>(begins.back() + counts.back()));
  MPI_Allgatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(), begins.data(), MPI_INT64_T, sets.comm());
  std::sort(all.begin(), all.end());
  return all;
}

// Each rank stores all of its own nodes that are in the set.
void expect_the_sets_of_one_rank(bool is_bricks) {
  const scan here(MPI_COMM_WORLD, is_bricks), whole(MPI_COMM_SELF);
  const job::spec spec = all_kinds(whole);
  physics::node_sets sets(spec, here.part, here.nodes), reference(spec, whole.part, whole.nodes);
  for (const char* name :
       {"face", "plane", "box", "disk", "material", "voxels", "nodes", "points", "brush", "surface", "x_low"}) {
    const physics::node_set_ptr set = sets.find(name), expected = reference.find(name);
    const auto ids = gathered(reference, *expected);
    EXPECT_EQ(gathered(sets, *set), ids) << name;
    EXPECT_EQ(set->size, static_cast<std::int64_t>(ids.size())) << name;
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(set->centroid_mm[a], expected->centroid_mm[a], 1e-12) << name;
    EXPECT_EQ(set->low_mm, expected->low_mm) << name;
    EXPECT_EQ(set->high_mm, expected->high_mm) << name;
    std::vector<std::int32_t> own;
    for (std::int32_t node = 0; node < here.nodes.size(); ++node)
      if (std::binary_search(ids.begin(), ids.end(), sets.id(node))) own.push_back(node);
    EXPECT_EQ(set->nodes, own) << name;
  }
  EXPECT_LT(sets.find("surface")->size, sets.find("material")->size);
}

// Oracle: the same set on one rank.
TEST(NodeSets, DoNotDependOnTheDecomposition) {
  expect_the_sets_of_one_rank(false);
  expect_the_sets_of_one_rank(true);
}

// Oracle: the sums of one rank. A force on nodes shared by ranks is counted once.
TEST(NodeSets, ForcesAddUpOnceOverRanks) {
  const scan here(MPI_COMM_WORLD, true), whole(MPI_COMM_SELF);
  job::spec spec = all_kinds(whole);
  spec.materials.resize(2);
  spec.materials[0].density_kg_per_m3 = 1000;
  spec.materials[1].density_kg_per_m3 = 3000;
  physics::node_sets sets(spec, here.part, here.nodes), reference(spec, whole.part, whole.nodes);
  std::vector<physics::force_spec> forces(4);
  for (physics::force_spec& f : forces) f.on = "surface";
  forces[0].force_N = {1.0, -2.0, 3.0};
  forces[1].pressure_MPa = 2.0;
  forces[2].toward_mm = {0.0, 0.0, 0.0};
  forces[2].magnitude_N = 5.0;
  forces[2].spread = physics::force_spread::area;
  forces[3].node_force_N = {0.5, 0.0, 0.0};
  for (const physics::force_spec& f : forces) {
    const vector3 total = physics::make_force(sets, f).total_N, expected = physics::make_force(reference, f).total_N;
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(total[a], expected[a], 1e-12);
  }
  EXPECT_NEAR(physics::make_force(sets, forces[0]).total_N.x, 3.0, 1e-12);
  const auto hard = std::count(whole.data.begin(), whole.data.end(), material_number{2});
  const auto soft = std::count(whole.data.begin(), whole.data.end(), material_number{1});
  const double mass_kg = static_cast<double>(soft + 3 * hard) * 1000 * 0.5 * 0.3 * 0.2 * 1e-9;
  EXPECT_NEAR(physics::body_weight(sets, {0, -9.81, 0}).total_N.y, -9.81 * mass_kg, 1e-15);
}

}  // namespace node_sets_test
