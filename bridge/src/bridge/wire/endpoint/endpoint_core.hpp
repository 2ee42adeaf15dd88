#pragma once
/// @file
/// Implementation of an endpoint. The implementation consists of connections, routes, pairs, and the lock that protects
/// these objects.
#include <atomic>
#include <bridge/wire/connection.hpp>
#include <bridge/wire/control_stream.hpp>
#include <bridge/wire/endpoint/cache_warmer.hpp>
#include <bridge/wire/endpoint/pair.hpp>
#include <bridge/wire/link.hpp>
#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace osteon::bridge::wire {

/// A route to one or more processes. The route contains the streams to one process or to the relay.
struct route {
  std::string name;        ///< name of the other end, for messages
  std::string address;     ///< address to dial; empty: the other side dials
  int relay = 0;           ///< 0: the other end is a process; otherwise: negative rank of the relay
  std::vector<int> peers;  ///< world ranks that this route reaches
  std::vector<std::unique_ptr<connection>> streams;  ///< stream of each slot; null: not connected
  std::vector<steady::time_point> next_try;          ///< time of the next attempt for each slot
  std::deque<int> ready;                             ///< peers with packets to send
  steady::time_point down_since = steady::now(), refused_since{};
  bool was_open = false;
  int faults = 0;  ///< number of malformed packets
  std::string reason;
  bool open() const;
  bool complete() const;
};

class endpoint_core {
 public:
  endpoint_core(endpoint& endpoint, settings options, const std::string& facts);
  ~endpoint_core();

  void join();
  ticket send(int dest, const envelope& fields, std::span<const std::byte> bytes, bool synchronous);
  std::optional<message> take();
  ticket accept(message& m, std::span<std::byte> buffer);
  void cancel(ticket& sent);
  void answer_cancel(const message& request, bool found);
  void wait_event(std::uint32_t seen, double seconds);
  void progress();
  void check() const;
  bool abort(const std::string& text) noexcept;
  void close();
  std::size_t memory_in_use();
  void give_back(int source, std::uint64_t bytes);

  settings options;
  world_info world;

 private:
  struct peer {
    std::unique_ptr<pair_protocol> pair;
    int route = -1;
    bool queued = false;  ///< true: the list of the route contains the peer
    std::atomic<std::uint64_t> released{0};
    std::uint64_t acknowledged = 0;
    steady::time_point moved = steady::now(), heard = steady::now(), next_probe{};
  };

  // functions of control.cpp for the connection to the server
  void join_server();
  std::string introduction(const frame_stream& stream);
  void listen_at(const std::string& host);
  void serve_control();
  void handle_control(const frame& f);
  void learn_world();

  // functions of routes.cpp that open and close connections
  void make_routes();
  void wait_for_routes();
  void dial_streams();
  std::unique_ptr<connection> watched(descriptor fd, side which);
  void accept_guests();
  void watch_listener(bool open);
  void greet(connection& c, int dest);
  void greeted(connection& c, const packet_header& h, std::span<const std::byte> payload);
  void lose(connection& c, const std::string& reason);
  void route_opened(route& r);
  std::string name_of(int rank) const;

  // functions of traffic.cpp that receive and send packets
  void turn(double seconds);
  void service(connection& c);
  bool take_packet(connection& c, const packet_header& h, std::span<const std::byte> payload);
  void handle_packet(connection& c, const packet_header& h, std::span<const std::byte> payload);
  void pump(connection& c);
  void refill(connection& c);
  void pump_route(int index);
  std::span<const std::byte> shrink(const connection& c, packet_header& h, std::span<const std::byte> payload);
  void make_ready(int rank);

  // functions of timers.cpp for timed events
  void timers();
  void watch_routes();
  void watch_peers();

  void fail(const std::string& reason, bool notifies_server = true);
  void event();
  void loop();
  void rest();
  void drive(const std::function<bool()>& done, steady::time_point end);
  void stop_thread();

  endpoint& endpoint_;
  std::string facts_;
  std::unique_ptr<tls_context> tls_;
  cache_warmer cache_warmer_{tls_.get()};
  mutable std::mutex m_;  ///< protects all following members except the inbox
  descriptor epoll_, wake_, listener_;
  std::uint16_t port_ = 0;
  std::string listens_on_;  ///< the only address on which the endpoint listens; empty: all addresses
  bool listening_ = false;
  control_stream control_;
  std::uint64_t control_known_ = 0;  ///< number of the connection that epoll watches
  steady::time_point control_sent_ = steady::now();
  bool joined_ = false, finished_ = false, server_parted_ = false;
  collation collation_;
  job_id job_{};
  std::vector<std::unique_ptr<route>> routes_;
  std::vector<std::unique_ptr<peer>> peers_;                    ///< peer of each world rank; null for ranks of this cluster
  std::list<std::unique_ptr<connection>> guests_;               ///< connections that have not yet been authenticated
  std::unordered_map<std::uint64_t, connection*> connections_;  ///< connections by their number; epoll returns this number
  /// connections with pending input, and connections with pending output
  std::vector<std::uint64_t> connections_again_, busy_;
  std::vector<std::unique_ptr<connection>> bin_;  ///< connections that have ended in the present iteration
  std::uint64_t next_id_ = 1, next_connection_ = 16;
  unsigned polls_ = 0;  ///< number of polls so far
  steady::time_point last_timers_{}, last_turn_ = steady::now();
  std::string failure_;
  std::vector<std::byte> scratch_, packed_;
  pair_protocol::sink sink_;

  std::mutex inbox_m_;
  std::deque<message> inbox_;
  std::atomic<std::size_t> inbox_bytes_{0};

  std::mutex sleep_m_;
  std::condition_variable sleep_;
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stop_{false};

  // While a thread of the application waits, this thread does the work of the side thread. An event therefore wakes only one
  // thread.
  enum class side_thread { at_work, resting, about_to_work };
  std::mutex driver_m_;  ///< the thread that serves the sockets owns this lock
  std::atomic<bool> driving_{false};
  std::atomic<steady::rep> polled_{0};  ///< time of the last call of progress() by the application
  std::atomic<side_thread> side_{side_thread::at_work};
  std::mutex rest_m_;
  std::condition_variable rest_;
  std::thread thread_;
};

}  // namespace osteon::bridge::wire
