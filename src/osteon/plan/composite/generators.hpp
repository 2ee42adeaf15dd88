#pragma once
/// @file
/// Compositing methods. In direct send, each member owns a stripe and receives this stripe of all other images. Binary tree
/// and sequential compositing send whole images. Pipelines send stripes between neighbours.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Order of the messages of a direct send with one message at a time. In a slot, each member sends and receives at most one
/// message; each message of an owner is adjacent to the interval that the owner has blended.
///
/// Pairs by round robin or XOR require members - 1 slots, but images then arrive out of visibility order, and an owner must
/// store all images. The order of this class alternates between front and back at distances 1, 2, ... At distances of at
/// least half the number of members, the two directions have disjoint pairs and share a slot. This order requires `members`
/// * 3/2 slots.
struct send_slots {
  int members;

  int count() const { return members < 2 ? 0 : members - 1 + alternating(); }
  /// Slot of the message from the member `distance` indices before (or behind) the owner.
  int from_front(int distance) const {
    return distance <= alternating() ? 2 * (distance - 1) : distance - 1 + alternating();
  }
  int from_back(int distance) const { return distance <= alternating() ? 2 * distance - 1 : distance - 1 + alternating(); }
  /// Inverse of from_front. Calls visit(distance, is_from_front) for each message of a slot.
  template <class Visit>
  void visit(int slot, Visit each) const {
    if (slot < 2 * alternating()) return each(slot / 2 + 1, slot % 2 == 0);
    for (const bool front : {true, false}) each(slot - alternating() + 1, front);
  }

 private:
  int alternating() const { return (members - 1) / 2; }
};

/// Direct send of equal stripes; member i owns stripe i.
/// @param messages_per_round maximum number of messages that a member sends, and receives, in a round; 0: all messages in
/// one round. A limit reduces the additional memory from members - 1 stripes to `messages_per_round` stripes.
/// @throws usage_error if messages_per_round is negative
/// @cost a member sends members - 1 messages with (1 - 1/members) of the image in total
/// @cite [Hsu1993]; [Neumann1993]
composite direct_send(const composite_task& task, int messages_per_round = 0);

/// Binary tree of whole images. In each round, one group of each pair sends its image to the other group. The last round
/// produces the picture at the task's root, or at the front member.
/// @cost members - 1 messages of a whole image, at most one sent by each member; log2 members rounds
/// @cite [Shaw1988]; [Ono]: efficient for a few images, because no collection is needed
composite binary_tree(const composite_task& task);

/// Send all images to one member, nearest images first.
/// @param messages_per_round number of images received per round and stored until they are blended; 0: all images
/// @throws usage_error if messages_per_round is negative
composite sequential(const composite_task& task, int messages_per_round = 1);

/// Chains from both ends: each member blends its neighbour's image with its own image and sends the result towards the root.
composite sequential_chain(const composite_task& task);

/// Pipeline: for each stripe, one chain from the front and one chain from the back end at the owner of the stripe.
///
/// A ring as in [Ono] would send the back of the image to the front member, where `over` cannot blend non-adjacent layers.
/// The start rounds of the chains are chosen such that all chains end in the last of members - 1 rounds. In a round, each
/// member exchanges at most one stripe with each of its two neighbours.
/// @cost a member sends members - 1 messages with (1 - 1/members) of the image in total, and stores two stripes in addition
/// to the image
/// @cite [Lee1996]
composite parallel_pipeline(const composite_task& task);

}  // namespace osteon::plan
