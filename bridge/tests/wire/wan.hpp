#pragma once
/// @file
/// An emulated wide-area link on one machine, which does not require root. The emulation is a TCP proxy on the loopback
/// interface, which delays data and limits the rate. Its memory is bounded by the data in flight on such a link.
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
  double mbit = 0;  ///< per direction, shared by all connections; 0: unlimited
  /// Fraction of lost packets (1500 bytes). As with TCP, a lost packet is resent a round trip later; if no packet follows
  /// the lost packet, it is resent 200 ms later. Later packets wait for the resent packet.
  double loss_percent = 0;
  bool polling = false;  ///< true: use a core for exact timing
};

class wan {
 public:
  /// Connections to port() are forwarded to target (host:port).
  wan(const std::string& target, wan_settings s, const std::string& ports = "");
  ~wan();
  std::uint16_t port() const { return port_; }

  enum class state {
    whole,
    frozen,  ///< no data pass, without notification
    broken   ///< connections are closed, including new ones
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
    bool ended = false, notified = false;  ///< ended: the side of the reader has closed; notified: the writer was notified
    clock::time_point stalled{};           ///< time until which a lost packet delays later ones
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
  clock::time_point free_[2]{};  ///< time when the link can accept the next byte, per direction
  std::atomic<state> state_{state::whole};
  std::atomic<bool> stop_{false};
  std::vector<std::byte> part_;
  std::minstd_rand random_{1};
  std::thread thread_;
};

}  // namespace test
