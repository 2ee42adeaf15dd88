#pragma once
/// @file
/// Connections that have not proved yet to be of the job. Anybody can make them, and each takes a descriptor of the program:
/// so they are few, who is slow must go when others wait, and those others wait in the system's queue, which takes none.
#include <cstddef>

namespace osteon::bridge::wire {

constexpr std::size_t most_guests = 64;

/// How long one of so many may take to prove itself.
constexpr double guest_seconds(std::size_t guests) { return guests < most_guests / 2 ? 10 : 1; }

}  // namespace osteon::bridge::wire
