#pragma once
/// @file
/// What ranks send for a picture of their blocks.
#include <osteon/grid/block.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/plan/plan.hpp>
#include <osteon/render/scene/scene.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::render {

/// What a picture of a volume or of a surface sends between ranks, whose blocks are the boxes of a tree: ghosts of its two
/// fields, of which that of a surface is smoothed before; partial pictures, and rows of the finished one.
class picture_plan {
 public:
  /// @param what its layers need no fields; `join` must be in wide pixels
  /// @param first_row rows of the finished picture by rank, as render() takes them
  /// @cost O(ranks) in memory and in parts of the plan
  picture_plan(const grid::box_tree& boxes, const scene& what, std::span<const int> first_row);

  /// Enter it in the ledger of a virtual rank (comm/virtual_ranks.hpp). @collective local
  void rehearse(const grid::block& where) const;
  /// What a run may do otherwise, in words; empty if nothing.
  const std::string& assumed() const { return assumed_; }

 private:
  void rehearse_rows(MPI_Comm comm) const;

  int ghost_depth_;
  bool smooths_ = false;  ///< the solid
  int pictures_ = 1;      ///< that are composited
  kernel::pixel_format format_;
  plan::plan compositing_;                      ///< none if its name is empty
  std::vector<std::vector<plan::span>> parts_;  ///< of the finished picture, by rank; none if rows are not sent
  std::vector<std::int64_t> first_pixel_;       ///< of a rank's rows
  std::string assumed_;
};

}  // namespace osteon::render
