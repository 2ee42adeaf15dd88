#pragma once
/// @file
/// Compositing methods: direct send, in which the image is divided into one stripe per member and each member sends every
/// stripe to its owner; complete images by a binary tree or sequentially; stripes passed from neighbour to neighbour.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Order of the messages of a direct send with one message at a time: in a slot each member sends and receives at most one
/// message, and the next message of an owner is always adjacent to its blended interval.
///
/// Pairing by round robin or XOR requires members - 1 slots, but images arrive out of visibility order and an owner must
/// store them all. Here the pairs at distance 1, 2, ... alternate, front and back; from half the members on, the two
/// directions are disjoint and share a slot. This requires 3/2 members slots.
struct send_slots {
  int members;

  int count() const { return members < 2 ? 0 : members - 1 + alternating(); }
  /// Slot of the message from the member `distance` indices before (or behind) the owner.
  int from_front(int distance) const {
    return distance <= alternating() ? 2 * (distance - 1) : distance - 1 + alternating();
  }
  int from_back(int distance) const { return distance <= alternating() ? 2 * distance - 1 : distance - 1 + alternating(); }
  /// The inverse: visit(distance, is_from_front) for the messages of a slot.
  template <class Visit>
  void visit(int slot, Visit each) const {
    if (slot < 2 * alternating()) return each(slot / 2 + 1, slot % 2 == 0);
    for (const bool front : {true, false}) each(slot - alternating() + 1, front);
  }

 private:
  int alternating() const { return (members - 1) / 2; }
};

/// Direct send of equal stripes; member i owns stripe i.
/// @param messages_per_round maximum number of messages that a member sends, and receives, in a round; 0: all at once. It
/// bounds the additional memory: `messages_per_round` stripes instead of members - 1.
/// @throws usage_error if messages_per_round is negative
/// @cost members - 1 messages per member, (1 - 1/members) of the image
/// @cite [Hsu1993]; [Neumann1993]
composite direct_send(const composite_task& task, int messages_per_round = 0);

/// In each round one member of each pair of groups receives the other's image. The picture ends at the task's root, or at
/// the front member.
/// @cost members - 1 messages of a whole image, one sent by a member; log2 members rounds
/// @cite [Shaw1988]; [Ono]: efficient for a few images, as it needs no collect
composite binary_tree(const composite_task& task);

/// Send all images to one member, the nearest first.
/// @param messages_per_round images received per round and stored until they are blended; 0: all at once
/// @throws usage_error if messages_per_round is negative
composite sequential(const composite_task& task, int messages_per_round = 1);

/// From both ends each member blends its neighbour's image with its own, and passes the result on towards the root.
composite sequential_chain(const composite_task& task);

/// Two chains for each stripe, from the front and from the back, end at its owner.
///
/// A ring as in [Ono] would bring the back of the image to the front member, where `over` cannot join them. Chains
/// start so that all end with the last of members - 1 rounds; in a round each member exchanges at most one stripe
/// with each of its two neighbours.
/// @cost members - 1 messages sent by a member, (1 - 1/members) of the image; two stripes in addition to the image
/// @cite [Lee1996]
composite parallel_pipeline(const composite_task& task);

}  // namespace osteon::plan
