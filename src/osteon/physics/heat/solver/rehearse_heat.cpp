#include <osteon/base/at.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/numerics/multigrid/heat_cycle.hpp>
#include <osteon/physics/heat/solver/heat_parts.hpp>
#include <osteon/physics/heat/solver/rehearse_heat.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

void rehearse_heat(const heat_problem& problem, const part_listener& begins) {
  const MPI_Comm comm = problem.where.comm;
  const auto dot = [&] { comm::counted_call::all_reduce(comm, sizeof(double)); };
  begins(solve_part::set_up);
  heated_parts part = find_heated_parts(problem);
  if (!part.still.empty()) return;  // nothing flows, nothing is solved
  const heat_cells cells = make_conduction_cells(problem, std::move(part.cells), std::move(part.material));

  // heat_multigrid, up to the level that goes to rank 0.
  level_geometry geometry;
  std::vector<coarse_level> coarse;
  coarse.push_back(aggregate(cells, geometry));
  const auto name_last = [&] { coarse.back().links.name = heat_cycle::name_of_level(coarse.size()); };
  name_last();
  const auto unknowns = [&] { return comm::sum_of(comm, coarse.back().matrix.rows()); };
  const auto may_grow = [&] { return next_shift(geometry.shift, cells.spacing_mm, cells.where.domain) != geometry.shift; };
  for (std::int64_t count = unknowns(), before = 3 * count; heat_cycle::coarsens(count, before) && may_grow();) {
    coarse.push_back(aggregate(coarse.back(), geometry));
    name_last();
    before = std::exchange(count, unknowns());
  }
  coarse.back().links.rehearse(sizeof(std::int32_t));  // numbers of the points on rank 0
  const int own = coarse.back().matrix.rows();
  const std::vector<int> counts = comm::gathered_counts(comm, own);

  const auto cycle = [&] {
    for (std::size_t n = 0; n + 1 < coarse.size(); ++n) {
      const int sweeps = heat_cycle::smoothing_sweeps(n + 1);
      // Before: the first sweep starts from nothing; then the residual; after.
      for (int k = 0; k < (sweeps - 1) + 1 + sweeps; ++k) coarse[n].links.rehearse(sizeof(float));
    }
    comm::counted_call::gather(comm, "coarsest level to rank 0", counts, own, sizeof(float));
    comm::counted_call::scatter(comm, "coarsest level from rank 0", counts, own, sizeof(float));
  };
  const auto fill_ghosts = [&](std::size_t bytes, int times) {
    for (int k = 0; k < times; ++k) cells.links.rehearse(bytes);
  };

  begins(solve_part::load);
  fill_ghosts(sizeof(double), 1), dot();                // the first residual
  fill_ghosts(sizeof(double), 1), dot(), dot(), dot();  // the energy identity and the certificate
  dot();                                                // the flux, corrected
  all_cells(problem).links.rehearse(sizeof(double));    // temperatures, for the flux density

  begins(solve_part::restart);
  fill_ghosts(sizeof(double), 1), dot();

  begins(solve_part::iteration);
  fill_ghosts(sizeof(float), 2 * heat_cycle::cell_sweeps * 2 + 1);  // two colours, forth and back; the residual
  cycle();
  dot();
  fill_ghosts(sizeof(float), 1);
  dot(), dot();
}

}  // namespace osteon::physics
