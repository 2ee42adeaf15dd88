#pragma once
/// @file
/// Small images and the corresponding problems, for the tests of heat conduction.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <osteon/comm/communicator.hpp>
#include <osteon/physics/heat/solver/heat.hpp>
#include <random>

namespace heat_images {

using namespace osteon;

// A whole image on every rank, so that a test can read any voxel. A rank solves only with its own planes.
struct image {
  index3 shape;
  std::vector<material_number> voxels;

  image(index3 s, const std::function<int(index3)>& material) : shape(s) {
    for (std::int64_t z = 0; z < s.z; ++z)
      for (std::int64_t y = 0; y < s.y; ++y)
        for (std::int64_t x = 0; x < s.x; ++x) voxels.push_back(static_cast<material_number>(material({z, y, x})));
  }
  material_number at(index3 p) const { return voxels[static_cast<std::size_t>((p.z * shape.y + p.y) * shape.x + p.x)]; }
};

inline voxel::material_table conductivities(const std::vector<double>& k) {
  voxel::material_table table(1);
  for (const double value : k) table.push_back({"phase", 0, 0.3, value});
  return table;
}

inline numerics::heat_problem make_problem(MPI_Comm comm, const image& img, const voxel::material_table& table,
                                           vector3 spacing, axis along) {
  std::vector<std::int64_t> active(static_cast<std::size_t>(img.shape.z));
  const std::int64_t plane = img.shape.y * img.shape.x;
  for (std::size_t i = 0; i < img.voxels.size(); ++i) active[i / static_cast<std::size_t>(plane)] += img.voxels[i] != 0;
  numerics::heat_problem problem;
  problem.where = grid::make_block(comm, img.shape, active);
  problem.spacing_mm = spacing;
  problem.materials = &table;
  problem.faces = physics::two_temperatures(along, 0, 1);
  const view3<const material_number> mine(img.voxels.data() + problem.where.owned.begin.z * plane,
                                          problem.where.owned.shape());
  problem.cells = voxel::active_cells(mine);
  problem.material = voxel::gather(problem.cells, mine);
  return problem;
}

// Ranks of the test for which the image has planes.
class ranks_with_a_plane {
 public:
  explicit ranks_with_a_plane(std::int64_t planes) {
    const int rank = comm::rank(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank < planes ? 0 : MPI_UNDEFINED, rank, &handle_);
  }
  ~ranks_with_a_plane() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }
  ranks_with_a_plane(const ranks_with_a_plane&) = delete;
  ranks_with_a_plane& operator=(const ranks_with_a_plane&) = delete;
  operator MPI_Comm() const { return handle_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

inline const numerics::options tight{1e-12, 200};

// Apparent conductivity [W/(m K)] of an image between faces at 0 and 1 K.
inline double conductivity(MPI_Comm comm, const image& img, const std::vector<double>& k, vector3 h, axis along,
                           numerics::options how = tight) {
  const auto table = conductivities(k);
  const auto problem = make_problem(comm, img, table, h, along);
  const auto solution = physics::solve_heat(problem, how, null_log());
  EXPECT_TRUE(solution.certificate.converged);
  const auto a = static_cast<std::size_t>(along);
  EXPECT_DOUBLE_EQ(solution.inflow_W[a][0], -solution.inflow_W[a][1]);
  const double length = static_cast<double>(img.shape[static_cast<int>(along)]) * h[static_cast<int>(along)];
  const double area = static_cast<double>(img.shape.volume()) * h.z * h.y * h.x / length;
  return -1000 * solution.inflow_W[a][0] * length / area;
}

// Smoothed noise above a level. The result is a winding solid with dead ends and islands, whose cells have random phases.
inline image random_porous(index3 shape, unsigned seed, int phases) {
  std::mt19937 random(seed);
  std::vector<double> noise(static_cast<std::size_t>(shape.volume())), smooth(noise.size());
  for (double& n : noise) n = std::normal_distribution<>()(random);
  const auto index = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    const auto inside = [](std::int64_t i, std::int64_t extent) { return std::clamp<std::int64_t>(i, 0, extent - 1); };
    return static_cast<std::size_t>((inside(z, shape.z) * shape.y + inside(y, shape.y)) * shape.x + inside(x, shape.x));
  };
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x)
        for (int d = -1; d <= 1; ++d)
          smooth[index(z, y, x)] += noise[index(z + d, y, x)] + noise[index(z, y + d, x)] + noise[index(z, y, x + d)];
  return {shape, [&](index3 p) {
            const double value = smooth[index(p.z, p.y, p.x)];
            return value < 0.2 ? 0 : 1 + static_cast<int>(random() % static_cast<unsigned>(phases));
          }};
}

}  // namespace heat_images
