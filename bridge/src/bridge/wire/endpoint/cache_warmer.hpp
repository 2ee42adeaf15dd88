#pragma once
/// @file
/// Code of TCP and TLS in the caches of the processor. The code remains in the caches while a process polls for a message
/// from another cluster.
#include <bridge/wire/channel.hpp>
#include <chrono>
#include <cstdint>
#include <optional>

namespace osteon::bridge::wire {

/// A connection of this process to itself. During a wait of milliseconds, other data evict the code of TCP and TLS from the
/// caches of the processor. Loading the code again increases the latency of the message by tens of microseconds. Periodic
/// packets on this connection prevent the eviction.
class cache_warmer {
 public:
  /// @param tls context; null for plain TCP; must outlive the object
  explicit cache_warmer(const tls_context* tls);
  /// If the last packet is older than an interval, send and receive a packet. Without a connection, the call has no effect.
  void now_and_then();
  /// Number of packets that have returned.
  std::uint64_t packets() const noexcept { return packets_; }

 private:
  void send_and_receive();
  std::optional<channel> from_, to_;
  std::uint64_t packets_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace osteon::bridge::wire
