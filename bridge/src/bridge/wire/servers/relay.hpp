#pragma once
/// @file
/// A relay forwards packets between processes that have no direct connections. A relay has no state. If packets are lost in
/// a broken connection, the processes send the packets again.
///
/// The relays of clusters are the leaves of a star, and the hub is its centre. Each relay dials the hub. A cluster therefore
/// needs one outbound port and no inbound port. Processes may also dial the hub directly.
#include <bridge/wire/settings.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace osteon::bridge::wire {

struct relay_settings {
  settings link;      ///< settings of the link; the relay uses server, key, tls, streams, pacing, heartbeat and time-outs
  std::string ports;  ///< range of ports on which the relay listens
  std::string host;   ///< address on which the relay listens; empty: all addresses
  std::string hub;    ///< address host:port of the hub; empty: this relay is the hub
  int cluster = -1;   ///< cluster of the processes behind this relay; -1: any cluster
};

class relay {
 public:
  /// Start to listen. @throws link_error
  explicit relay(relay_settings s);
  ~relay();
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;
  std::uint16_t port() const;
  /// Forward packets until the end of the job, or until `stop`. @throws link_error if the server or the hub is lost for too
  /// long
  void run();
  /// The function is thread-safe.
  void stop();
  /// Number of forwarded packets, and number of packets that were dropped because they had no receiver.
  std::uint64_t forwarded() const;
  std::uint64_t dropped() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace osteon::bridge::wire
