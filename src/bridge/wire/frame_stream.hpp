#pragma once
/// @file
/// A channel that carries commands of the start-up protocol.
#include <bridge/wire/channel.hpp>
#include <bridge/wire/startup.hpp>
#include <optional>
#include <string>

namespace osteon::bridge::wire {

class frame_stream {
 public:
  /// @param limit largest command taken, until `trust` raises it
  explicit frame_stream(channel c, std::size_t limit = 4096) : channel_(std::move(c)), limit_(limit) {}
  /// The other side has proved that it has the key: take long commands too.
  void trust() { limit_ = max_frame; }
  void send(const std::string& encoded) { out_ += encoded; }
  void send(command what, std::string data = {}) { out_ += encode(frame{what, std::move(data)}); }

  /// Read and write what is possible now. @return false when the connection has ended: see why()
  bool pump();
  /// The next command that has arrived whole. Sets why() and ends the connection if it is malformed.
  std::optional<frame> next();

  bool wants_writable() const { return !out_.empty() || channel_.wants_writable(); }
  bool ended() const { return ended_; }
  bool flushed() const { return out_.empty(); }
  const std::string& why() const { return why_; }
  bool never_connected() const { return channel_.never_connected(); }
  int fd() const { return channel_.fd(); }
  void finish() { channel_.finish(); }

 private:
  void end(const std::string& why);
  channel channel_;
  std::string in_, out_, why_;
  std::size_t limit_;
  bool ended_ = false;
};

}  // namespace osteon::bridge::wire
