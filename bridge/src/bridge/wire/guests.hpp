#pragma once
/// @file
/// Connections that have not yet been authenticated. Any program can open such connections, and each connection uses a
/// descriptor. The number of these connections is therefore limited. Further connections wait without a descriptor in the
/// queue of the system. While connections are waiting, slow connections are closed.
#include <cstddef>

namespace osteon::bridge::wire {

constexpr std::size_t most_guests = 64;

/// Time limit for authentication. The limit depends on the number of connections.
constexpr double guest_seconds(std::size_t guests) { return guests < most_guests / 2 ? 10 : 1; }

}  // namespace osteon::bridge::wire
