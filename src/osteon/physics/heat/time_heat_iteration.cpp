#include <algorithm>
#include <cstdint>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/physics/heat/solver/heat.hpp>
#include <osteon/physics/heat/time_heat_iteration.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

double seconds_of_heat_iteration(MPI_Comm comm) {
  constexpr std::int64_t edge = 88;
  constexpr int most_iterations = 6;
  const index3 shape{edge * comm::size(comm), edge, edge};
  const voxel::material_table materials{{}, {"solid", 0, 0.3, 1}};
  numerics::heat_problem problem;
  problem.where = grid::make_block(comm, shape, std::vector<std::int64_t>(static_cast<std::size_t>(shape.z), edge * edge));
  problem.spacing_mm = {1, 1, 1};
  problem.materials = &materials;
  problem.faces = two_temperatures(axis::x, 0, 1);
  const index3 mine = problem.where.owned.shape();
  const std::vector<material_number> solid(static_cast<std::size_t>(mine.volume()), 1);
  const view3<const material_number> image(solid.data(), mine);
  problem.cells = voxel::active_cells(image);
  problem.material = voxel::gather(problem.cells, image);
  const numerics::solve_certificate certificate =
      solve_heat(std::move(problem), {.tolerance = 1e-14, .max_iterations = most_iterations}, null_log()).certificate;
  return certificate.solve_seconds / std::max(1, certificate.iterations);
}

}  // namespace osteon::physics
