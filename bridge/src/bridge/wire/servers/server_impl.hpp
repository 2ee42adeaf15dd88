#pragma once
/// @file
/// Implementation of a start-up server. The file contains the processes and the state of the job. Only the thread of the
/// server modifies these data.
#include <bridge/wire/frame_stream.hpp>
#include <bridge/wire/servers/server.hpp>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace osteon::bridge::wire {

/// A connection to a process, from its first byte to FINI.
struct server_member {
  explicit server_member(frame_stream s) : stream(std::move(s)), address(other_address(stream.fd())) {}
  frame_stream stream;
  std::string address;
  std::string nonce, other_nonce;
  bool proved = false, registered = false, watches = false;
  registration entry;
  int rank = -1;  ///< world rank; known when the world is complete
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

struct startup_server::impl {
  using clock = std::chrono::steady_clock;
  server_settings options;
  std::unique_ptr<tls_context> tls;
  descriptor listener, wake;
  std::uint16_t port = 0;
  std::list<server_member> members;
  collation world;
  std::vector<clock::time_point> lost;  ///< for each world rank: time at which the connection was lost
  std::vector<char> away, parted;
  std::vector<int> counts;  ///< number of registered processes of each cluster
  clock::time_point began = clock::now(), failed_at;
  std::string last_refusal;
  mutable std::mutex m;
  std::condition_variable changed;
  state now = state::joining;
  /// `outside_failure` is a failure from outside that has not yet been sent to the members
  std::string failure, outside_failure;
  bool stop = false, gone = false;
  std::thread thread;

  void serve();
  /// Number of connections that have not been authenticated.
  std::size_t guests() const;
  void handle(server_member& member, const frame& f);
  void after_proof(server_member& member, const frame& f);
  void join(server_member& member);
  void complete();
  void fail_all(const std::string& reason);
  void refuse(const server_member& member, const std::string& reason);
  void watch();
  std::string name(int rank) const;
  settings socket_settings() const {
    settings s;
    s.cut_seconds = options.cut_seconds;
    return s;
  }
};

}  // namespace osteon::bridge::wire
