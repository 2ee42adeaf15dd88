#pragma once
/// @file
/// Direct send for images that are empty in places: a member that has drawn nothing in a span does not send it.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// The rows of a rectangle of pixels, [left, right) x [top, bottom), in an image of `width` columns: one span each, or
/// one in all if they are whole rows.
std::vector<span> spans_of_box(int left, int top, int right, int bottom, int width);

/// Direct send of equal stripes, in which a member sends only what it has drawn, all at once.
///
/// Steps of a round with the same peer may travel as one message.
/// @throws usage_error if active spans overlap, are out of order or exceed the image
composite overlap_direct_send(const composite_task& task);

/// Spans are cut wherever a member's drawing begins or ends. A span that a single member has drawn stays with it; any other
/// span goes to that of its members which has least to receive so far. Messages are then scheduled so that in a
/// round each member sends and receives at most one.
/// @throws usage_error as overlap_direct_send
/// @cost O(S members + messages) once, for S spans; each member computes the same
/// @cite [Stompel2003]
composite slic(const composite_task& task);

}  // namespace osteon::plan
