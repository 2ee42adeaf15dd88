#pragma once
/// @file
/// The start-up server: collects the processes' addresses, sends all of them to each process, and then monitors the job.
#include <bridge/wire/startup.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace osteon::bridge::wire {

struct expected_cluster {
  std::string name;
  int size = 0;       ///< processes that must register; 0: the number that they report
  std::string relay;  ///< host:port that its processes connect to; empty: direct connections
};

struct server_settings {
  std::string key;
  bool tls = true;
  std::vector<expected_cluster> clusters;
  std::string ports;  ///< range to listen on; empty: any
  std::string host;   ///< address to listen on; empty: all
  double join_seconds = 60;
  double cut_seconds = 30;
};

/// A running server: a thread of its own.
class startup_server {
 public:
  /// @throws link_error if it cannot listen
  explicit startup_server(server_settings s);
  ~startup_server();
  startup_server(const startup_server&) = delete;
  startup_server& operator=(const startup_server&) = delete;

  std::uint16_t port() const;

  /// Set the relay of a cluster, before all its processes have joined.
  void set_relay(int cluster, const std::string& address);

  enum class state { joining, running, finished, failed };
  state now() const;
  /// Failed process or cluster, place and reason; empty before.
  std::string failure() const;
  /// Reason of the last rejected connection; empty if there was none.
  std::string refusal() const;
  /// Number of processes of a cluster that have registered.
  int joined(int cluster) const;

  /// End the job: every process receives this text. Thread-safe, also from a signal's handling thread.
  void fail(const std::string& reason);
  /// Wait until it has finished or failed (and has notified all processes). @return false at the time limit
  bool wait(double seconds);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

/// Contradictions between the registrations, as one message; empty if there are none.
/// @param last_call the time to join has ended: incomplete clusters are also a fault
std::string diagnose(const std::vector<expected_cluster>& expected, const std::vector<registration>& registrations,
                     bool last_call);

}  // namespace osteon::bridge::wire
