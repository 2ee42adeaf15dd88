#include <osteon/render/compositing/picture_plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/comm/composite/sparse_runs.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/neighbours.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/render/compositing/choose_compositor.hpp>
#include <osteon/render/compositing/exchange.hpp>
#include <osteon/render/compositing/join_images.hpp>
#include <osteon/render/rays/smooth_edges.hpp>
#include <osteon/render/rays/smooth_mask.hpp>
#include <osteon/render/rays/view.hpp>

namespace osteon::render {

picture_plan::picture_plan(const grid::box_tree& boxes, const scene& scene, std::span<const int> first_row)
    : ghost_depth_(ghost_depth(scene.step_voxels)),
      smooths_(scene.how == method::surface),
      pictures_(scene.how == method::surface && scene.smooth_edges && !scene.lines ? 1 + static_cast<int>(ray_offsets.size())
                                                                                   : 1),
      format_{(scene.how == method::surface ? opaque_options(scene.join) : scene.join).pixels} {
  const int ranks = boxes.ranks();
  if (ranks == 1) return;
  if (scene.join.by == comm::transport::shared) return;  // in shared memory, ranks send no messages
  std::string method = scene.join.method;
  if (method.empty()) method = default_method(ranks);
  if (scene.join.by == comm::transport::hybrid)
    assumed_ =
        fmt::format("the plan of the picture assumes {} by messages between all ranks, since the hosts are unknown", method);

  view from = view::of(scene.view, boxes.domain(), scene.spacing_mm, scene.width, scene.height);
  from.clip = scene.clip;
  const pixel_box frame = from.seen({{}, boxes.domain()});
  const std::vector<int> order = visibility_order(from, boxes);
  const auto width = static_cast<int>(frame.width());
  if (const comm::drawn_plan_maker make = drawn_plan_maker_of(method)) {
    std::vector<std::vector<plan::span>> drawn;
    for (int r = 0; r < ranks; ++r) {
      drawn.push_back(comm::rows_of(rectangle_within(frame, from.seen(boxes.box_of(r))), width));
    }
    compositing_ = make(ranks, frame.size(), order, -1, drawn);
  } else {
    compositing_ = plan_maker_of(method)(ranks, frame.size(), order, -1);
    if (assumed_.empty())
      assumed_ = fmt::format(
          "the plan of {} is an upper limit: ranks send non-empty pixels only, as runs of pixels with their lengths",
          method);
  }
  for (const int row : first_row) first_pixel_.push_back(frame.pixels_above(row));
  for (int r = 0; r < ranks; ++r) parts_.push_back(compositing_.result(r));
}

void picture_plan::count_messages(const grid::block& where) const {
  if (comm::size(where.comm) > 1) {  // a single block has no ghosts
    constexpr int fields = 2;
    const comm::neighbours ghosts(where.comm, 0, grid::plan_of_ghost_cells(where, ghost_depth_));
    for (int n = 0; n < fields; ++n) ghosts.count_messages(sizeof(float));
    if (smooths_) {
      const comm::neighbours nearest(where.comm, 0, grid::plan_of_ghost_cells(where, 1));
      for (int n = 0; n < mask_exchanges; ++n) nearest.count_messages(sizeof(float));
    }
  }
  if (compositing_.name.empty()) return;
  for (int n = 0; n < pictures_; ++n) {
    comm::count_messages(where.comm, compositing_, format_.bytes());
    count_row_messages(where.comm);
  }
}

void picture_plan::count_row_messages(MPI_Comm comm) const {
  const auto rank = static_cast<std::size_t>(comm::rank(comm)), ranks = parts_.size();
  if (ranks == 1) return;
  const auto count = [&](std::size_t sender, std::size_t receiver) {
    std::int64_t all = 0;
    for (const plan::span& s : parts_[sender])
      all += overlap(s, {first_pixel_[receiver], first_pixel_[receiver + 1]}).size();
    return static_cast<int>(all);
  };
  std::vector<int> to(ranks), from(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    if (r != rank) to[r] = count(rank, r), from[r] = count(r, rank);
  comm::counted_call::all_to_all(comm, rows_counted_as(format_), to, from,
                                 static_cast<int>(format_of_rows(format_).bytes()));
}

}  // namespace osteon::render
