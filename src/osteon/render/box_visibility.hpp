#pragma once
/// @file
/// Which of any boxes hide which: for blocks that are no leaves of one tree of cuts.
#include <osteon/base/box.hpp>
#include <osteon/render/view.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::render {

struct box_visibility {
  std::vector<int> order;  ///< boxes front to back: none hides a part of one before it; empty if there is a cycle
  std::vector<int>
      cycle;  ///< each of these boxes hides a part of the next one, and the last one of the first; empty if none
};

/// An order in which boxes can be blended, or why there is none. Of several orders the one with low numbers first.
/// @param boxes of which no two have a voxel in common
/// @cost O(n^2) for n boxes
box_visibility order_boxes(const view& from, std::span<const box3> boxes);

/// `rank 0 hides a part of rank 2, which hides a part of rank 1, which hides a part of rank 0`
std::string words_of_cycle(std::span<const int> cycle);

/// @throws usage_error if two boxes overlap, one has no voxel, or they do not fill the domain
void check_boxes(index3 domain, std::span<const box3> boxes);

}  // namespace osteon::render
