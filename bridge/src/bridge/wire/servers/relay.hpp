#pragma once
/// @file
/// A relay forwards packets between processes without direct connections. A relay is stateless: if packets are lost in a
/// broken connection, the processes resend the packets.
///
/// The relays of clusters are the leaves of a star, and the hub is its centre. Each relay dials the hub. Therefore a cluster
/// requires one outbound port and no inbound port. Processes may also dial the hub directly.
#include <bridge/wire/settings.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace osteon::bridge::wire {

struct relay_settings {
  settings link;      ///< server, key, tls, streams, pacing, heartbeat and time-outs are used
  std::string ports;  ///< range to listen on
  std::string host;   ///< address to listen on; empty: all
  std::string hub;    ///< host:port of the hub; empty: this relay is the hub
  int cluster = -1;   ///< cluster of the processes behind this relay; -1: any
};

class relay {
 public:
  /// Start to listen. @throws link_error
  explicit relay(relay_settings s);
  ~relay();
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;
  std::uint16_t port() const;
  /// Forward packets until the end of the job or `stop`. @throws link_error if the server or the hub is lost for too long
  void run();
  /// Thread-safe.
  void stop();
  /// Number of forwarded packets, and number of packets dropped without a receiver.
  std::uint64_t forwarded() const;
  std::uint64_t dropped() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace osteon::bridge::wire
