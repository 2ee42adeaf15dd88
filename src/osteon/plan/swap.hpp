#pragma once
/// @file
/// Binary swap: the plan by which partial images become one picture.
#include <osteon/plan/plan.hpp>
#include <span>

namespace osteon::plan {

/// Plan a binary swap of any number of ranks, and the collect of the finished parts at `root`.
///
/// The visibility indices are halved recursively. A group of p front and q back members (p - q is 0 or 1) becomes one
/// of p + q members, of which each holds an equal, contiguous part of the elements: for p = q this is the classic
/// swap of halves, otherwise parts are cut where they have to be, as in 2-3 swap, so that no rank is left out and
/// none ever sends a whole image. Sizes are known to all, so the collect needs no exchange of sizes.
///
/// @param elements number of pixels; may be smaller than `ranks`
/// @param order order[i] is the rank at visibility index i, front to back; a permutation of 0 ... ranks - 1
/// @param root rank that holds everything at the end, or -1 to leave the parts with their owners
/// @throws usage_error if `order` is not a permutation or `root` is not one of the ranks
/// @cost `of(rank)` takes O(log^2 ranks), and O(ranks) for the root; (1 - 1/ranks) of the image sent by a rank
/// @cite Ma et al. 1994 (binary swap); Yu, Wang, Ma 2008 (2-3 swap)
plan binary_swap(int ranks, std::int64_t elements, std::span<const int> order, int root = 0);

}  // namespace osteon::plan
