#pragma once
/// @file
/// Symbolic execution of an exchange: is every parcel delivered once, and does nobody wait forever?
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/plan/exchange.hpp>

namespace osteon::plan {

/// Whether rank `from` has a parcel for rank `to`.
using parcel_wanted = std::function<bool(int from, int to)>;

/// Execute the whole exchange.
///
/// Without problems, each send has one receive of the same bytes and parcels in the same round, and the other way round.
/// A rank posts all messages of a round before it waits for any of them, and each round's messages have both their ends in
/// that round; so by induction over the rounds nobody waits forever. If it moves parcels, then a rank sends only what it
/// holds, and in the end each wanted parcel, and no other, has come to its rank, and never left it.
/// @param wanted of an exchange of parcels; none: each ordered pair of different ranks
/// @return the faults, in words; at most 20
/// @cost O(messages + parcels moved) time, O(ranks^2) memory for an exchange of parcels
std::vector<problem> verify_exchange(const exchange& what, const parcel_wanted& wanted = {});

}  // namespace osteon::plan
