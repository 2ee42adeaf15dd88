#pragma once
/// @file
/// A relay: forwards packets between processes without direct connections. It is stateless; the processes
/// resend packets that are lost when a connection breaks.
///
/// The relays of clusters are the leaves of a star: each dials the hub, so a cluster needs one outbound port and no
/// inbound one. Processes may also dial the hub directly.
#include <bridge/wire/settings.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace osteon::bridge::wire {

struct relay_settings {
  settings link;      ///< server, key, tls, streams, pacing, heartbeat and time-outs are used
  std::string ports;  ///< range to listen on
  std::string host;   ///< address to listen on; empty: all
  std::string hub;    ///< host:port of the hub; empty: this is the hub
  int cluster = -1;   ///< cluster of the processes behind it; -1: any
};

class relay {
 public:
  /// Start to listen. @throws link_error
  explicit relay(relay_settings s);
  ~relay();
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;
  std::uint16_t port() const;
  /// Forward until the end of the job or `stop`. @throws link_error if the server or the hub is lost for too long
  void run();
  /// Thread-safe.
  void stop();
  /// Packets forwarded, and packets dropped without a receiver.
  std::uint64_t forwarded() const;
  std::uint64_t dropped() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace osteon::bridge::wire
