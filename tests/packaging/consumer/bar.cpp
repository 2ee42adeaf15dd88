// The stiffness of a bar between bonded plates without lateral contraction, computed only by the library. Oracle: E A / L.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <osteon/voxel/components.hpp>
#include <vector>

#ifdef OLD_NAMES  // paths and namespace of the previous release
#include <osteon/solve/elasticity/elasticity.hpp>
#include <osteon/solve/operators/elasticity_problem.hpp>
namespace solvers = osteon::solve;
#else
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
namespace solvers = osteon::physics;
#endif

int main(int argc, char** argv) {
  using namespace osteon;
  MPI_Init(&argc, &argv);
  const index3 shape{8, 2, 3};
  const voxel::material_table materials{{}, {"rubber", 5.0, 0.0}};
  const std::vector<material_number> image(static_cast<std::size_t>(shape.volume()), 1);
  solvers::elasticity_problem problem;
  problem.where = grid::make_block(MPI_COMM_WORLD, shape, std::vector<std::int64_t>(static_cast<std::size_t>(shape.z), 6));
  problem.spacing_mm = {0.5, 0.5, 0.5};
  problem.materials = &materials;
  const view3<const material_number> own(image.data(), shape);
  problem.cells = voxel::active_cells(own);
  problem.nodes = voxel::corner_nodes(problem.cells);
  problem.material = voxel::gather(problem.cells, own);
  for (const voxel::run& r : problem.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      if (r.z == 0 || r.z == shape.z)
        for (const axis a : {axis::z, axis::y, axis::x})
          problem.fixed.push_back({r.first + i, a, a == axis::z && r.z == shape.z ? 0.04 : 0.0});
  log_sink log;
  const solvers::elasticity_solution solution = solvers::solve_elasticity(problem, {.tolerance = 1e-8}, log);
  double force = 0;
  for (const voxel::run& r : problem.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      if (r.z == shape.z) force += solution.reaction_N[3 * static_cast<std::size_t>(r.first + i)];
  const double expected = 5.0 * (2 * 3 * 0.25) / (8 * 0.5) * 0.04;
  std::printf("force %.9f N, expected %.9f N\n", force, expected);
  MPI_Finalize();
  return std::abs(force - expected) < 1e-7 * expected ? 0 : 1;
}
