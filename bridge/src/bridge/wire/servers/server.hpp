#pragma once
/// @file
/// The start-up server collects the addresses of the processes, and sends all addresses to each process. The server then
/// monitors the job.
#include <bridge/wire/startup.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace osteon::bridge::wire {

struct expected_cluster {
  std::string name;
  int size = 0;       ///< number of processes that must register; 0: the number that the processes report
  std::string relay;  ///< address host:port of the relay of this cluster; empty: direct connections
};

struct server_settings {
  std::string key;
  bool tls = true;
  std::vector<expected_cluster> clusters;
  std::string ports;  ///< range of ports on which the server listens; empty: any port
  std::string host;   ///< address on which the server listens; empty: all addresses
  double join_seconds = 60;
  double cut_seconds = 30;
};

/// A running server in a thread of its own.
class startup_server {
 public:
  /// @throws link_error if the server cannot listen
  explicit startup_server(server_settings s);
  ~startup_server();
  startup_server(const startup_server&) = delete;
  startup_server& operator=(const startup_server&) = delete;

  std::uint16_t port() const;

  /// Set the relay of a cluster. Call this function before all processes of the cluster have joined.
  void set_relay(int cluster, const std::string& address);

  enum class state { joining, running, finished, failed };
  state now() const;
  /// The failed process or cluster, the place and the reason. Without a failure, the text is empty.
  std::string failure() const;
  /// Reason of the last rejected connection. If no connection was rejected, the text is empty.
  std::string refusal() const;
  /// Number of processes of a cluster that have registered.
  int joined(int cluster) const;

  /// End the job. Every process receives this text. The function is thread-safe. A thread that handles signals may call the
  /// function.
  void fail(const std::string& reason);
  /// Wait until the job has finished, or until the job has failed and all processes have been notified. @return false if the
  /// time limit has passed
  bool wait(double seconds);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

/// Contradictions between the registrations as one message. Without contradictions, the text is empty.
/// @param last_call true: the time limit for joining has passed, and incomplete clusters are also a fault
std::string diagnose(const std::vector<expected_cluster>& expected, const std::vector<registration>& registrations,
                     bool last_call);

}  // namespace osteon::bridge::wire
