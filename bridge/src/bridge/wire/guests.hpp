#pragma once
/// @file
/// Connections that have not yet proved to belong to the job. Anybody can make them, and each takes a descriptor of the
/// program. So their number is limited, slow ones are closed when others wait, and the others wait in the system's queue,
/// without a descriptor.
#include <cstddef>

namespace osteon::bridge::wire {

constexpr std::size_t most_guests = 64;

/// How long one of so many may take to prove itself.
constexpr double guest_seconds(std::size_t guests) { return guests < most_guests / 2 ? 10 : 1; }

}  // namespace osteon::bridge::wire
