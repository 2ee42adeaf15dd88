#pragma once
/// @file
/// Methods that move whole images: binary tree, and one after the other.
#include <osteon/plan/composite.hpp>

namespace osteon::plan {

/// In each round one member of each pair of groups takes the other's image. The picture ends at the task's root, or
/// at the front member if it has none.
/// @cost members - 1 messages of a whole image, one sent by a member; log2 members rounds
/// @cite [Shaw1988]; [Ono]: cheap for a handful of images, for it needs no collect
composite binary_tree(const composite_task& task);

/// All images go to one member, the nearest first.
/// @param messages_per_round images that it receives in a round and keeps until they are blended; 0: all at once
/// @throws usage_error if messages_per_round is negative
composite sequential(const composite_task& task, int messages_per_round = 1);

/// From both ends each member blends its neighbour's image with its own, and passes the result on towards the root.
composite sequential_chain(const composite_task& task);

}  // namespace osteon::plan
