#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/transient/fluid_box.hpp>

namespace osteon::physics {

std::optional<poisson_box> find_fluid_box(const open_flow_cells& open, std::string* why_not) {
  const auto none_as = [&](const char* reason) -> std::optional<poisson_box> {
    if (why_not != nullptr) *why_not = reason;
    return std::nullopt;
  };
  constexpr const char* no_box = "the fluid is no whole box";
  const flow_cells& cells = open.cells;
  const grid::block& where = cells.grid.where;
  const MPI_Comm comm = where.comm;
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  std::vector<bool> is_beyond(at(cells.grid.owned));
  for (const std::int32_t i : cells.beyond) is_beyond[at(i)] = true;

  // Fluid voxels of this rank: their number and their extent in the image; rows that begin at x = 0.
  box3 own{where.domain, {0, 0, 0}};
  std::int64_t count = 0;
  for (const voxel::run& r : cells.numbers.runs())
    for (std::int32_t n = 0; n < r.length; ++n) {
      if (is_beyond[at(r.first + n)]) continue;
      const index3 p = where.owned.begin + index3{r.z, r.y, r.x + n};
      for (int a = 0; a < 3; ++a) {
        own.begin[a] = std::min(own.begin[a], p[a]);
        own.end[a] = std::max(own.end[a], p[a] + 1);
      }
      ++count;
    }
  // y and x of the image: a rank with less of them has a brick, or solid voxels.
  std::array<std::int64_t, 2> across{own.end.y, own.end.x};
  comm::all_reduce(comm, across.data(), across.size(), MPI_MAX);
  const bool is_slab = count > 0 && own.begin.y == 0 && own.begin.x == 0 && own.end.y == across[0] &&
                       own.end.x == across[1] && count == own.volume();

  // By rank: planes; then fluid voxels, ranks that are no slab, and open faces of each side.
  std::vector<std::int64_t> sums(at(ranks + 8));
  sums[at(rank)] = is_slab ? own.end.z - own.begin.z : 0;
  sums[at(ranks)] = count;
  sums[at(ranks + 1)] = !is_slab;
  for (const kernel::stokes_open_face& f : cells.open_faces) ++sums[at(ranks + 2 + 2 * f.axis + (f.is_inlet ? 0 : 1))];
  comm::all_reduce(comm, sums.data(), sums.size(), MPI_SUM);
  if (sums[at(ranks)] != cells.voxels) return none_as(no_box);
  if (sums[at(ranks + 1)] != 0)
    return none_as("ranks own bricks of the box; with run.decomposition = \"planes\" it is found by transforms");

  poisson_box box;
  box.comm = comm;
  box.planes.push_back(0);
  for (int r = 0; r < ranks; ++r) box.planes.push_back(box.planes.back() + sums[at(r)]);
  box.shape = {box.planes.back(), across[0], across[1]};
  if (box.shape.volume() != cells.voxels) return none_as(no_box);
  for (std::size_t a = 0; a < 3; ++a) {
    box.weight[a] = cells.slope[a] * cells.slope[a];
    const std::int64_t area = box.shape.volume() / box.shape[static_cast<int>(a)];
    for (const std::size_t high : {0, 1}) {
      const std::int64_t open_faces = sums[at(ranks) + 2 + 2 * a + high];
      if (open_faces != 0 && open_faces != area) return none_as("a face of the box gives the pressure on a part of itself");
      kernel::line_end& end = high != 0 ? box.ends[a].high : box.ends[a].low;
      end = cells.grid.periodic[a] ? kernel::line_end::other_end
            : open_faces != 0      ? kernel::line_end::zero
                                   : kernel::line_end::mirror;
    }
  }
  box.row.resize(at(own.shape().z * box.shape.y));
  for (const voxel::run& r : cells.numbers.runs())
    if (!is_beyond[at(r.first)])
      box.row[at((where.owned.begin.z + r.z - own.begin.z) * box.shape.y + where.owned.begin.y + r.y)] = r.first;
  // Ranks own planes in the order of their numbers.
  std::int64_t disorder = own.begin.z != box.planes[at(rank)];
  comm::all_reduce(comm, &disorder, 1, MPI_SUM);
  if (disorder != 0) return none_as("ranks own planes in another order than that of their numbers");
  return box;
}

}  // namespace osteon::physics
