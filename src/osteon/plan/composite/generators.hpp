#pragma once
/// @file
/// Compositing methods: direct send (each member owns a stripe and receives it from all other members), binary tree and
/// sequential compositing of whole images, and pipelines of stripes between neighbours.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Order of the messages of a direct send with one message at a time. In a slot, each member sends and receives at most one
/// message; each message of an owner is adjacent to the interval that the owner has blended.
///
/// Pairing by round robin or XOR requires members - 1 slots, but images arrive out of visibility order, so that an owner
/// must store all images. This order alternates between front and back at distances 1, 2, ... From a distance of half the
/// members on, the two directions are disjoint and share a slot. It requires 3/2 members slots.
struct send_slots {
  int members;

  int count() const { return members < 2 ? 0 : members - 1 + alternating(); }
  /// Slot of the message from the member `distance` indices before (or behind) the owner.
  int from_front(int distance) const {
    return distance <= alternating() ? 2 * (distance - 1) : distance - 1 + alternating();
  }
  int from_back(int distance) const { return distance <= alternating() ? 2 * distance - 1 : distance - 1 + alternating(); }
  /// Inverse of from_front: call visit(distance, is_from_front) for each message of a slot.
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
/// one round. It limits the additional memory to `messages_per_round` stripes instead of members - 1.
/// @throws usage_error if messages_per_round is negative
/// @cost members - 1 messages per member, (1 - 1/members) of the image
/// @cite [Hsu1993]; [Neumann1993]
composite direct_send(const composite_task& task, int messages_per_round = 0);

/// Binary tree of whole images. In each round, one group of each pair sends its image to the other group. The picture is
/// finally at the task's root, or at the front member.
/// @cost members - 1 messages of a whole image, one sent by a member; log2 members rounds
/// @cite [Shaw1988]; [Ono]: efficient for a few images, because no collection is needed
composite binary_tree(const composite_task& task);

/// Send all images to one member, nearest images first.
/// @param messages_per_round number of images received per round and stored until they are blended; 0: all images
/// @throws usage_error if messages_per_round is negative
composite sequential(const composite_task& task, int messages_per_round = 1);

/// Chains from both ends: each member blends its neighbour's image with its own image and sends the result towards the root.
composite sequential_chain(const composite_task& task);

/// Pipeline: for each stripe, two chains from the front and from the back end at the owner of the stripe.
///
/// A ring as in [Ono] would send the back of the image to the front member, where `over` cannot blend non-adjacent layers.
/// The start rounds of the chains are chosen such that all chains end in the last of members - 1 rounds. In a round, each
/// member exchanges at most one stripe with each of its two neighbours.
/// @cost members - 1 messages sent by a member, (1 - 1/members) of the image; two stripes in addition to the image
/// @cite [Lee1996]
composite parallel_pipeline(const composite_task& task);

}  // namespace osteon::plan
