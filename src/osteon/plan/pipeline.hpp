#pragma once
/// @file
/// Parallel pipeline: stripes travel from neighbour to neighbour and are blended on the way.
#include <osteon/plan/composite.hpp>

namespace osteon::plan {

/// Two chains for each stripe, from the front and from the back, end at its owner.
///
/// A ring as in [Ono] would bring the back of the image to the front member, where `over` cannot join them. Chains
/// start so that all end with the last of members - 1 rounds; in a round each member exchanges at most one stripe
/// with each of its two neighbours.
/// @cost members - 1 messages sent by a member, (1 - 1/members) of the image; two stripes beside the image
/// @cite [Lee1996]
composite parallel_pipeline(const composite_task& task);

}  // namespace osteon::plan
