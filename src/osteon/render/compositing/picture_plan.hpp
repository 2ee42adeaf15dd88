#pragma once
/// @file
/// Messages between ranks for a picture of their blocks.
#include <osteon/grid/block.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/plan/plan.hpp>
#include <osteon/render/scene/scene.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::render {

/// Messages for a picture of a volume or of a surface on ranks whose blocks are the boxes of a tree: ghosts of its two
/// fields (that of a surface is smoothed first), partial pictures, and rows of the finished picture.
class picture_plan {
 public:
  /// @param what its layers need no fields; `join` must be in wide pixels
  /// @param first_row rows of the finished picture by rank, as for render()
  /// @cost O(ranks) in memory and in parts of the plan
  picture_plan(const grid::box_tree& boxes, const scene& what, std::span<const int> first_row);

  /// Record the messages in the ledger of a virtual rank (comm/virtual_ranks.hpp). @collective local
  void rehearse(const grid::block& where) const;
  /// Description of possible deviations of a run from this plan; empty if there are none.
  const std::string& assumed() const { return assumed_; }

 private:
  void rehearse_rows(MPI_Comm comm) const;

  int ghost_depth_;
  bool smooths_ = false;  ///< true if the solid is smoothed
  int pictures_ = 1;      ///< number of composited pictures
  kernel::pixel_format format_;
  plan::plan compositing_;                      ///< none if its name is empty
  std::vector<std::vector<plan::span>> parts_;  ///< parts of the finished picture by rank; empty if rows are not sent
  std::vector<std::int64_t> first_pixel_;       ///< first pixel of the rows of each rank
  std::string assumed_;
};

}  // namespace osteon::render
