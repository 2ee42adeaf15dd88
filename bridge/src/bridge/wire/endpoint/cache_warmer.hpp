#pragma once
/// @file
/// Keeping the code of TCP and TLS in the caches of the processor while a process polls for a message from another cluster.
#include <bridge/wire/channel.hpp>
#include <chrono>
#include <cstdint>
#include <optional>

namespace osteon::bridge::wire {

/// A connection of this process to itself. During a wait of milliseconds, the code of TCP and TLS is evicted from the caches
/// of the processor. Loading the code adds tens of microseconds to the latency of the message. Periodic packets on this
/// connection prevent the eviction.
class cache_warmer {
 public:
  /// @param tls null for plain TCP; must outlive the object
  explicit cache_warmer(const tls_context* tls);
  /// Send and receive a packet if the last packet is older than an interval. Without a connection, the call has no effect.
  void now_and_then();
  /// Number of packets returned so far.
  std::uint64_t packets() const noexcept { return packets_; }

 private:
  void send_and_receive();
  std::optional<channel> from_, to_;
  std::uint64_t packets_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace osteon::bridge::wire
