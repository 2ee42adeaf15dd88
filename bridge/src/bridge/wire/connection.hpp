#pragma once
/// @file
/// A TCP connection for packets. The connection has buffers for reading and writing.
#include <bridge/wire/channel.hpp>
#include <bridge/wire/packet.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace osteon::bridge::wire {

using steady = std::chrono::steady_clock;
inline double seconds_since(steady::time_point t) { return std::chrono::duration<double>(steady::now() - t).count(); }

struct connection {
  connection(channel c, std::uint64_t number) : stream(std::move(c)), id(number) {}

  enum class input {
    drained,  ///< there are no more data; wait for epoll
    more,     ///< more data may be pending without an event of epoll, for example inside TLS
    ended     ///< the connection has ended; `reason` contains the reason
  };
  /// Read available data for a limited time, and pass on each packet.
  /// @param take function that returns false if this connection was dropped during the call; the object still exists
  input receive(const job_id& job, std::int64_t world,
                const std::function<bool(const packet_header&, std::span<const std::byte>)>& take);

  void put(packet_header h, const job_id& job, std::span<const std::byte> payload);
  /// Write at most `limit` bytes without waiting. @return false if the connection has ended (`reason`)
  bool flush(std::size_t limit);

  std::size_t waiting() const { return out.size() - out_begin; }
  /// Accept packets that are longer than a greeting, because the other side is authenticated.
  void trust();
  /// Request events of epoll for reading (if `read` is true), and for writing (if output is pending). If the events are
  /// unchanged, the call has no effect.
  void arm(int epoll, bool read, bool write);

  channel stream;
  std::uint64_t id = 0;      ///< number of the connection, which epoll returns
  int route = -1, slot = 0;  ///< route and slot of the stream, after the other side has sent these numbers
  std::int64_t other = 0;    ///< for relays: rank of the other end
  bool greeted = false;      ///< true if the greeting of the other side has been received
  std::string reason;        ///< reason of the end of the connection
  bool faulty = false;       ///< true if the connection has ended because of invalid bytes
  steady::time_point began = steady::now(), heard = steady::now(), sent = steady::now();
  double mbit = 0;  ///< rate of writing in Mbit/s, measured while writing was the bottleneck; 0: not measured

 private:
  input parse_all(const job_id& job, std::int64_t world,
                  const std::function<bool(const packet_header&, std::span<const std::byte>)>& take);
  std::vector<std::byte> in, out;
  std::size_t in_begin = 0, in_end = 0, out_begin = 0;
  std::uint32_t armed = 0;
  bool known_to_epoll = false;
  steady::time_point window = steady::now();
  std::size_t window_bytes = 0;
  bool window_blocked = false;
};

/// Proof in the first packet of a connection. The proof is computed from the key of the job.
std::string greeting(const std::string& key, const job_id& job, std::int64_t from, std::int64_t to, std::int64_t slot);

}  // namespace osteon::bridge::wire
