#pragma once
/// @file
/// Swap methods: binary swap, radix-k and 2-3 swap, for any number of members.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Swap by a tree of groups. In each round, groups of adjacent members merge into one group. The members of the new group
/// own equal, contiguous parts. A member sends its elements to the members of its group with overlapping new parts.
///
/// Groups of one round may have two sizes. These sizes differ by one member. When groups merge, the order of the new parts
/// follows the centres of the members' present parts. The next part of a member is therefore inside its present part or
/// adjacent to its present part. For groups of equal size, this method is the classic binary swap or radix-k.
/// @param levels number of rounds; the groups of the last level are single members
/// @param subgroups number of subgroups of a group of `size` members. Level 0 is the last round.
/// @cost of(index) takes O(sum of subgroups * log members) time. A member sends (1 - 1/members) of the image if all groups
/// have equal sizes, otherwise less than twice this amount.
composite swap_by_groups(const composite_task& task, int levels,
                         std::function<std::int64_t(std::int64_t size, int level)> subgroups);

/// Swap in which groups merge in pairs. @cite [Ma1994]; [Yu2008] for numbers of members that are not powers of two
composite binary_swap(const composite_task& task);

/// The first round merges `factors[0]` members into each group. The second round merges `factors[1]` of these groups into
/// each new group, and so on. The last factor is repeated until all members form one group. The product of the factors need
/// not divide the number of members.
/// @throws usage_error if there are no factors, or a factor is below 2
/// @cite [Peterka2009]
composite radix_k(const composite_task& task, std::vector<int> factors);

/// Two or three groups merge into one group. floor(log2 members) rounds therefore suffice. @cite [Yu2008]
composite two_three_swap(const composite_task& task);

/// Plan a binary swap of any number of ranks, and a collection of the final parts at `root`.
///
/// All ranks can compute the sizes of all parts. The collection therefore needs no exchange of sizes.
/// @param elements number of pixels; may be smaller than `ranks`
/// @param order rank at each visibility index, front to back; a permutation of the ranks
/// @param root rank that receives the picture, or -1 for no collection
/// @throws usage_error if `order` is not a permutation or `root` is not one of the ranks
/// @cost `of(rank)` takes O(log^2 ranks), and O(ranks) for the root
plan binary_swap(int ranks, std::int64_t elements, std::span<const int> order, int root = 0);

}  // namespace osteon::plan
