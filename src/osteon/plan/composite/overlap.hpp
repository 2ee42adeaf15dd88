#pragma once
/// @file
/// Direct send for partially empty images. Each member sends only the spans in which the member has drawn pixels.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Spans of the rectangle of pixels [left, right) x [top, bottom) in an image with `width` columns. Each row of the
/// rectangle is one span. If the rectangle has the width of the image, all rows form one span.
std::vector<span> spans_of_box(int left, int top, int right, int bottom, int width);

/// Direct send of equal stripes in one round. A member sends only pixels that the member has drawn.
///
/// Spans for one peer in a round may be combined into one message.
/// @throws usage_error if active spans overlap, are out of order or exceed the image
composite overlap_direct_send(const composite_task& task);

/// Spans are split at the bounds of all members' active spans. A span drawn by a single member remains at this member. If
/// several members have drawn a span, the span is assigned to one of these members. The chosen member is the member with the
/// fewest received elements at this point. In each round, a member sends at most one message and receives at most one
/// message.
/// @throws usage_error as overlap_direct_send
/// @cost O(S members + messages) once, for S spans. All members compute the same schedule.
/// @cite [Stompel2003]
composite slic(const composite_task& task);

}  // namespace osteon::plan
