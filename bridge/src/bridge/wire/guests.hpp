#pragma once
/// @file
/// Connections that are not yet authenticated. Any program can open them, and each uses a descriptor. Their number is
/// therefore limited, slow ones are closed when others wait, and others wait in the system's queue, without a
/// descriptor.
#include <cstddef>

namespace osteon::bridge::wire {

constexpr std::size_t most_guests = 64;

/// Time limit for authentication, depending on the number of connections.
constexpr double guest_seconds(std::size_t guests) { return guests < most_guests / 2 ? 10 : 1; }

}  // namespace osteon::bridge::wire
