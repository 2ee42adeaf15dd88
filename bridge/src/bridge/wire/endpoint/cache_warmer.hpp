#pragma once
/// @file
/// Keep the code of TCP and TLS in the processor's caches while a process polls for a message from another cluster.
#include <bridge/wire/channel.hpp>
#include <chrono>
#include <cstdint>
#include <optional>

namespace osteon::bridge::wire {

/// A connection of this process to itself. In a wait of milliseconds the code of TCP and TLS is evicted from the
/// processor's caches, and loading it adds tens of microseconds to the message. Periodic packets prevent that.
class cache_warmer {
 public:
  /// @param tls null for plain TCP; must outlive this
  explicit cache_warmer(const tls_context* tls);
  /// Send and receive a packet if the last one is older than an interval. No-op without a connection.
  void now_and_then();
  /// Packets returned so far.
  std::uint64_t packets() const noexcept { return packets_; }

 private:
  void send_and_receive();
  std::optional<channel> from_, to_;
  std::uint64_t packets_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace osteon::bridge::wire
