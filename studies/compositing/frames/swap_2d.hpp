#pragma once
/// @file
/// Binary swap of a picture that is cut in two dimensions: rectangles in place of stripes.
#include <cstdint>
#include <osteon/plan/plan.hpp>
#include <span>
#include <vector>

namespace osteon::studies {

/// In each round a rank halves its rectangle along the longer side, sends one half and keeps the other. Messages are as many
/// and as long as those of stripes; a part is a piece for each of its rows.
/// @param order rank at each visibility index, front to back; a power of two of them
/// @param root rank that gets the parts in one more round; -1: they stay with their owners
/// @throws usage_error for another number of ranks, or a picture of less pixels than ranks along a side
plan::plan binary_swap_in_rectangles(int width, int height, std::span<const int> order, int root = -1);

/// Pixels inside a disk in the middle of the picture that the rank sends that sends most of them, by stripes and by
/// rectangles: what a message carries that leaves empty pixels out.
struct cut_comparison {
  int ranks = 0;
  std::int64_t stripes = 0, rectangles = 0;
  std::int64_t owned_stripes = 0, owned_rectangles = 0;  ///< of the finished picture, by the rank that has most of them
};
std::vector<cut_comparison> compare_cuts(int width, int height, int most_ranks);

}  // namespace osteon::studies
