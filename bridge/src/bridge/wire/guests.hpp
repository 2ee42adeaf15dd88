#pragma once
/// @file
/// Connections that are not yet authenticated. Any program can open such connections, and each connection uses a descriptor.
/// Therefore the number of these connections is limited. Further connections wait in the queue of the system without a
/// descriptor. While connections wait, slow connections are closed.
#include <cstddef>

namespace osteon::bridge::wire {

constexpr std::size_t most_guests = 64;

/// Time limit for authentication, depending on the number of connections.
constexpr double guest_seconds(std::size_t guests) { return guests < most_guests / 2 ? 10 : 1; }

}  // namespace osteon::bridge::wire
