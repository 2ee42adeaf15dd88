#pragma once
/// @file
/// Swap methods: binary swap, radix-k and 2-3 swap, for any number of members.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Swap by a tree of groups. In each round, groups of adjacent members merge into one group with equal, contiguous parts.
/// Members send their elements to the members with overlapping new parts.
///
/// Groups of one round may have two sizes, which differ by one member. When groups merge, the members get the new parts in
/// the order of the centres of their present parts. The next part of a member is therefore inside or adjacent to its present
/// part. For groups of equal size, this method is the classic swap.
/// @param levels number of rounds; the groups of the last level are single members
/// @param subgroups number of subgroups of a group of `size` members; level 0 is the last round
/// @cost of(index): O(sum of subgroups * log members); a member sends (1 - 1/members) of the image if all groups are equal,
/// otherwise less than twice this amount
composite swap_by_groups(const composite_task& task, int levels,
                         std::function<std::int64_t(std::int64_t size, int level)> subgroups);

/// Swap in which pairs of groups merge. @cite [Ma1994]; [Yu2008] for numbers of members that are not powers of two
composite binary_swap(const composite_task& task);

/// The first round merges groups of `factors[0]` members, the second merges `factors[1]` of these groups, and so on. The
/// last factor is repeated until all members form one group. Factors need not divide the number of members.
/// @throws usage_error if there are no factors, or a factor is below 2
/// @cite [Peterka2009]
composite radix_k(const composite_task& task, std::vector<int> factors);

/// Groups merge by two or three; floor(log2 members) rounds therefore suffice. @cite [Yu2008]
composite two_three_swap(const composite_task& task);

/// Plan a binary swap of any number of ranks, and the collection of finished parts at `root`.
///
/// All ranks can compute the sizes of parts; the collection therefore needs no exchange of sizes.
/// @param elements number of pixels; may be smaller than `ranks`
/// @param order order[i] is the rank at visibility index i, front to back; a permutation of 0 ... ranks - 1
/// @param root rank that receives the picture, or -1 for no collection
/// @throws usage_error if `order` is not a permutation or `root` is not one of the ranks
/// @cost `of(rank)` takes O(log^2 ranks), and O(ranks) for the root
plan binary_swap(int ranks, std::int64_t elements, std::span<const int> order, int root = 0);

}  // namespace osteon::plan
