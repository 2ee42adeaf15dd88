#include <numeric>
#include <osteon/comm/execute.hpp>
#include <osteon/comm/neighbours.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/kernel/blend/blend.hpp>
#include <osteon/kernel/blend/wide_pixel.hpp>
#include <osteon/plan/swap.hpp>
#include <osteon/render/picture_plan.hpp>
#include <osteon/render/view.hpp>

namespace osteon::render {

void rehearse_picture(const grid::block& where, const scene& what) {
  constexpr int fields = 2;
  const comm::neighbours ghosts(where.comm, 0, grid::plan_of_ghost_cells(where, ghost_depth(what.step_voxels)));
  for (int n = 0; n < fields; ++n) ghosts.rehearse(sizeof(float));
  const int ranks = comm::size(where.comm);
  if (ranks == 1 && what.how != method::surface) return;
  view from = view::of(what.view, where.domain, what.spacing_mm, what.width, what.height);
  from.clip = what.clip;
  const pixel_box frame = from.seen({{}, where.domain});
  comm::rehearse(where.comm, plan::binary_swap(ranks, frame.size(), visibility_order(from, *where.boxes), -1),
                 sizeof(kernel::wide_pixel));
}

}  // namespace osteon::render
