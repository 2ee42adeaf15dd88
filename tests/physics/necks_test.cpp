#include <gtest/gtest.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/physics/elasticity/loads/necks.hpp>

namespace necks_test {

using namespace osteon;

using rule = bool (*)(std::int64_t z, std::int64_t y, std::int64_t x);

job::local_model part_of(index3 domain, rule is_solid) {
  job::local_model part;
  part.where = grid::make_block(MPI_COMM_WORLD, domain, std::vector<std::int64_t>(static_cast<std::size_t>(domain.z), 1));
  std::vector<material_number> image;
  for (std::int64_t z = part.where.owned.begin.z; z < part.where.owned.end.z; ++z)
    for (std::int64_t y = 0; y < domain.y; ++y)
      for (std::int64_t x = 0; x < domain.x; ++x) image.push_back(is_solid(z, y, x) ? 1 : 0);
  const view3<const material_number> voxels(image.data(), part.where.owned.shape());
  part.cells = voxel::active_cells(voxels);
  part.material = voxel::gather(part.cells, voxels);
  return part;
}

// Number of necks in each plane of the whole image.
std::vector<int> count(index3 domain, rule is_solid) {
  const job::local_model part = part_of(domain, is_solid);
  const std::vector<std::uint8_t> necks = physics::find_necks(part);
  std::vector<int> found(static_cast<std::size_t>(domain.z));
  for (const voxel::run& r : part.cells.runs())
    for (std::int32_t e = 0; e < r.length; ++e)
      found[static_cast<std::size_t>(part.where.owned.begin.z + r.z)] += necks[static_cast<std::size_t>(r.first + e)];
  MPI_Allreduce(MPI_IN_PLACE, found.data(), static_cast<int>(found.size()), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return found;
}

// Oracle: determined by inspection. A rod of one voxel connects two blocks. All voxels of the rod are necks, and so are the
// two voxels at its ends. A rod of two by two voxels has no necks.
TEST(necks, are_the_voxels_of_a_thin_rod) {
  const auto found = count({9, 6, 6}, [](std::int64_t z, std::int64_t y, std::int64_t x) {
    return z < 3 || z > 5 || (y == 1 && x == 1) || (y >= 3 && y <= 4 && x >= 3 && x <= 4);
  });
  EXPECT_EQ(found, (std::vector<int>{0, 0, 1, 1, 1, 1, 1, 0, 0}));
}

// Oracle: determined by inspection. In a plate of one voxel, the neighbours of each voxel form a path around it.
TEST(necks, are_not_in_plates) {
  EXPECT_EQ(count({7, 5, 5}, [](std::int64_t z, std::int64_t, std::int64_t) { return z == 3; }), std::vector<int>(7, 0));
  EXPECT_EQ(count({4, 5, 5}, [](std::int64_t, std::int64_t y, std::int64_t) { return y == 2; }), std::vector<int>(4, 0));
}

}  // namespace necks_test
