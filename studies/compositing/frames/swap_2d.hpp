#pragma once
/// @file
/// Binary swap of a picture with cuts in two dimensions. The parts are rectangles instead of stripes.
#include <cstdint>
#include <osteon/plan/plan.hpp>
#include <span>
#include <vector>

namespace osteon::studies {

/// In each round, a rank halves its rectangle along the longer side, sends one half, and keeps the other half. The number
/// and the length of the messages are the same for rectangles and stripes. A part has a piece of its own for each of its
/// rows.
/// @param order rank at each visibility index, front to back; the number of ranks must be a power of two
/// @param root rank that receives the parts in an additional round; -1: the parts remain at their owners
/// @throws usage_error for another number of ranks, or if a side of the picture has too few pixels for the ranks
plan::plan binary_swap_in_rectangles(int width, int height, std::span<const int> order, int root = -1);

/// Pixels inside a disk in the centre of the picture. The numbers are those of the rank that sends the most of these pixels,
/// for stripes and for rectangles. These numbers are the sizes of messages without empty pixels.
struct cut_comparison {
  int ranks = 0;
  std::int64_t stripes = 0, rectangles = 0;
  /// largest number of pixels of the finished picture that a rank owns
  std::int64_t owned_stripes = 0, owned_rectangles = 0;
};
std::vector<cut_comparison> compare_cuts(int width, int height, int most_ranks);

}  // namespace osteon::studies
