#pragma once
/// @file
/// A channel that carries commands of the start-up protocol.
#include <bridge/wire/channel.hpp>
#include <bridge/wire/startup.hpp>
#include <functional>
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

  /// Read, hand over each command that is whole, write, and again until nothing of it is possible any more. Nothing is read
  /// that is not handed over: the system announces bytes once, so what stayed behind would wait for those that come next.
  /// @param take may send; it is not called again once the stream has ended and all that had come is handed over
  void serve(const std::function<void(const frame&)>& take);
  /// Write without waiting, and read nothing.
  void flush();
  /// `serve` has returned, to let others have their turn, with more to do.
  bool unfinished() const { return unfinished_ && !ended_; }

  bool wants_writable() const { return !out_.empty() || channel_.wants_writable(); }
  /// The connection has ended: see why().
  bool ended() const { return ended_; }
  bool flushed() const { return out_.empty(); }
  const std::string& why() const { return why_; }
  bool never_connected() const { return channel_.never_connected(); }
  int fd() const { return channel_.fd(); }

 private:
  bool read_some();
  bool write_some();
  std::optional<frame> next();
  void end(const std::string& why);
  channel channel_;
  std::string in_, out_, why_;
  std::size_t limit_;
  bool ended_ = false, deaf_ = false, unfinished_ = false;
};

}  // namespace osteon::bridge::wire
