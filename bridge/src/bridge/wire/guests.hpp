#pragma once
/// @file
/// Connections that are not yet authenticated. Any program can open them, and each uses a descriptor. Their number is
/// therefore limited: further connections wait in the system's queue, without a descriptor, and slow connections are closed
/// while others wait.
#include <cstddef>

namespace osteon::bridge::wire {

constexpr std::size_t most_guests = 64;

/// Time limit for authentication, depending on the number of connections.
constexpr double guest_seconds(std::size_t guests) { return guests < most_guests / 2 ? 10 : 1; }

}  // namespace osteon::bridge::wire
