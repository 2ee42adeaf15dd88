#pragma once
/// @file
/// An emulated wide-area link on one machine. The emulation does not need root. The emulation is a TCP proxy on the loopback
/// interface. The proxy delays data and limits the rate. The memory of the proxy is limited by the data in flight on such a
/// link.
#include <atomic>
#include <bridge/wire/socket.hpp>
#include <cstdint>
#include <deque>
#include <list>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace test {

struct wan_settings {
  double one_way_ms = 0;
  double mbit = 0;  ///< rate in each direction, which all connections use together; 0: no limit
  /// Percentage of lost packets (1500 bytes). As with TCP, a lost packet is sent again one round trip later. If no packet
  /// follows the lost packet, it is sent again 200 ms later. Later packets wait for this packet.
  double loss_percent = 0;
  bool polling = false;  ///< true: a core is used for exact timing
};

class wan {
 public:
  /// Connections to port() are forwarded to the target (host:port).
  wan(const std::string& target, wan_settings s, const std::string& ports = "");
  ~wan();
  std::uint16_t port() const { return port_; }

  enum class state {
    whole,
    frozen,  ///< connections remain open without data
    broken   ///< connections are closed, including new connections
  };
  void set(state s) { state_ = s; }

 private:
  using clock = std::chrono::steady_clock;
  struct chunk {
    clock::time_point due;
    std::vector<std::byte> bytes;
    std::size_t begin = 0;
  };
  struct direction {
    std::deque<chunk> queue;
    std::size_t held = 0;
    /// ended: the side of the reader has closed the connection; notified: the writer has been notified
    bool ended = false, notified = false;
    clock::time_point stalled{};  ///< time until which a lost packet delays later packets
  };
  struct line {
    osteon::bridge::wire::descriptor a, b;
    direction ab, ba;
  };
  void serve();
  bool move(int from, int to, direction& d, clock::time_point& free);
  bool lost(std::size_t bytes);
  std::string target_;
  wan_settings options_;
  osteon::bridge::wire::descriptor listener_;
  std::uint16_t port_ = 0;
  std::list<line> lines_;
  clock::time_point free_[2]{};  ///< for each direction: time from which the link can accept the next byte
  std::atomic<state> state_{state::whole};
  std::atomic<bool> stop_{false};
  std::vector<std::byte> part_;
  std::minstd_rand random_{1};
  std::thread thread_;
};

}  // namespace test
