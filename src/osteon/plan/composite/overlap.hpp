#pragma once
/// @file
/// Direct send for partially empty images: each member sends only spans in which it has drawn pixels.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Spans of the rectangle of pixels [left, right) x [top, bottom) in an image of `width` columns. Each row has one span;
/// complete rows have one common span.
std::vector<span> spans_of_box(int left, int top, int right, int bottom, int width);

/// Direct send of equal stripes in one round; a member sends only pixels that it has drawn.
///
/// Spans for the same peer in a round may be combined into one message.
/// @throws usage_error if active spans overlap, are out of order or exceed the image
composite overlap_direct_send(const composite_task& task);

/// Spans are split at the bounds of all members' active spans. A span drawn by a single member remains at this member. A
/// span drawn by several members is assigned to one of these members: the member with the fewest received elements so far.
/// The schedule of messages has at most one sent and one received message per member and round.
/// @throws usage_error as overlap_direct_send
/// @cost O(S members + messages) once, for S spans; all members compute the same schedule
/// @cite [Stompel2003]
composite slic(const composite_task& task);

}  // namespace osteon::plan
