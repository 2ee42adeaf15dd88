#pragma once
/// @file
/// Generators of compositing plans. In direct send, each member owns one stripe of the picture and receives this stripe of
/// all other images. In binary tree and sequential compositing, members send whole images. In a pipeline, neighbours send
/// stripes to each other.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Order of the messages of a direct send in which members send one message at a time. In a slot, each member sends at most
/// one message and receives at most one message. Each message of an owner is adjacent to the interval that the owner has
/// blended.
///
/// Pairs by round robin or XOR need only members - 1 slots. However, images would then arrive out of visibility order, and
/// an owner would have to store all images. The order of this class alternates between front and back, at increasing
/// distances 1, 2, ... At distances of at least half the number of members, the two directions have disjoint pairs and use
/// one slot. This order requires 3/2 `members` slots.
struct send_slots {
  int members;

  int count() const { return members < 2 ? 0 : members - 1 + alternating(); }
  /// Slot of the message that the owner receives from the member `distance` indices before (or behind) the owner.
  int from_front(int distance) const {
    return distance <= alternating() ? 2 * (distance - 1) : distance - 1 + alternating();
  }
  int from_back(int distance) const { return distance <= alternating() ? 2 * distance - 1 : distance - 1 + alternating(); }
  /// Distances of the messages of a slot (inverse of from_front). Calls visit(distance, is_from_front) for each message of a
  /// slot.
  template <class Visit>
  void visit(int slot, Visit each) const {
    if (slot < 2 * alternating()) return each(slot / 2 + 1, slot % 2 == 0);
    for (const bool front : {true, false}) each(slot - alternating() + 1, front);
  }

 private:
  int alternating() const { return (members - 1) / 2; }
};

/// Direct send of equal stripes; member i owns stripe i.
/// @param messages_per_round maximum number of messages that a member sends in a round, and maximum number that a member
/// receives; 0: all messages in one round. A limit reduces the additional memory of a member from members - 1 stripes to
/// `messages_per_round` stripes.
/// @throws usage_error if messages_per_round is negative
/// @cost a member sends members - 1 messages, which have (1 - 1/members) of the size of the image in total
/// @cite [Hsu1993]; [Neumann1993]
composite direct_send(const composite_task& task, int messages_per_round = 0);

/// Binary tree of whole images. In each round, groups form pairs. One group of each pair sends its image to the other group.
/// After the last round, the picture is at the root of the task. Without a root, the picture is at the front member.
/// @cost members - 1 messages of a whole image in log2 members rounds; each member sends at most one message
/// @cite [Shaw1988]; [Ono]: efficient for a few images, because this method needs no collection
composite binary_tree(const composite_task& task);

/// Send all images to one member. The nearest images are sent first.
/// @param messages_per_round number of images that are received per round and stored until they are blended; 0: all images
/// @throws usage_error if messages_per_round is negative
composite sequential(const composite_task& task, int messages_per_round = 1);

/// Chains from both ends. Each member blends the image of its neighbour with its own image, and sends the result towards the
/// root.
composite sequential_chain(const composite_task& task);

/// Pipeline with two chains for each stripe. One chain starts at the front and one chain starts at the back; both chains end
/// at the owner of the stripe.
///
/// The ring of [Ono] would send the image at the back to the front member. The front member could not blend this image,
/// because `over` joins only adjacent layers. The chains start in different rounds. The start rounds are chosen such that
/// all chains end in round members - 1. In a round, each member exchanges at most one stripe with each of its two
/// neighbours.
/// @cost a member sends members - 1 messages, which have (1 - 1/members) of the size of the image in total; a member stores
/// two stripes in addition to the image
/// @cite [Lee1996]
composite parallel_pipeline(const composite_task& task);

}  // namespace osteon::plan
