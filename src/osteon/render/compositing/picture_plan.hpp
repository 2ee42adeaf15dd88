#pragma once
/// @file
/// Messages between the ranks for a picture of their blocks.
#include <osteon/grid/block.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/plan/plan.hpp>
#include <osteon/render/scene/scene.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::render {

/// Messages for a picture of a volume or of a surface. The blocks of the ranks are the boxes of a tree. The messages contain
/// ghost values of two fields, partial pictures, and rows of the finished picture. For a surface, the plan includes the
/// smoothing of the field.
class picture_plan {
 public:
  /// @param scene scene of the picture; layers need no fields, and `join` must request wide pixels
  /// @param first_row first row of the finished picture on each rank, as in render()
  /// @cost O(ranks) memory and parts of plans
  picture_plan(const grid::box_tree& boxes, const scene& scene, std::span<const int> first_row);

  /// Record the messages in the ledger of a virtual rank (comm/virtual_ranks.hpp). @collective local
  void count_messages(const grid::block& where) const;
  /// Description of assumptions that a run may violate. The text may be empty.
  const std::string& assumed() const { return assumed_; }

 private:
  void count_row_messages(MPI_Comm comm) const;

  int ghost_depth_;
  bool smooths_ = false;  ///< true if the field of the solid is smoothed
  int pictures_ = 1;      ///< number of composited pictures
  kernel::pixel_format format_;
  plan::plan compositing_;                      ///< plan of compositing; a plan with an empty name means no compositing
  std::vector<std::vector<plan::span>> parts_;  ///< parts of the finished picture on each rank; empty if rows are not sent
  std::vector<std::int64_t> first_pixel_;       ///< first pixel of the rows of each rank
  std::string assumed_;
};

}  // namespace osteon::render
