#pragma once
/// @file
/// A channel for commands of the start-up protocol.
#include <bridge/wire/channel.hpp>
#include <bridge/wire/startup.hpp>
#include <functional>
#include <optional>
#include <string>

namespace osteon::bridge::wire {

class frame_stream {
 public:
  /// @param limit length of the largest command that is accepted until the call of `trust`
  explicit frame_stream(channel c, std::size_t limit = 4096) : channel_(std::move(c)), limit_(limit) {}
  /// Also accept long commands, because the other side has proved that it has the key.
  void trust() { limit_ = max_frame; }
  void send(const std::string& encoded) { out_ += encoded; }
  void send(command kind, std::string data = {}) { out_ += encode(frame{kind, std::move(data)}); }

  /// Read, pass on each complete command, and write. Repeat these steps until neither reading nor writing is possible. All
  /// data that have been read are passed on. epoll reports bytes only once, and unprocessed data would remain until further
  /// bytes arrive.
  /// @param take function that may send; after the stream has ended and all commands have been passed on, the function is
  /// not called
  void serve(const std::function<void(const frame&)>& take);
  /// Write without waiting and without reading.
  void flush();
  /// True if `serve` has returned early to let the caller serve other connections.
  bool unfinished() const { return unfinished_ && !ended_; }

  bool wants_writable() const { return !out_.empty() || channel_.wants_writable(); }
  /// True if the connection has ended. reason() contains the reason.
  bool ended() const { return ended_; }
  bool flushed() const { return out_.empty(); }
  const std::string& reason() const { return reason_; }
  bool never_connected() const { return channel_.never_connected(); }
  int fd() const { return channel_.fd(); }

 private:
  bool read_some();
  bool write_some();
  std::optional<frame> next();
  void end(const std::string& reason);
  channel channel_;
  std::string in_, out_, reason_;
  std::size_t limit_;
  bool ended_ = false, deaf_ = false, unfinished_ = false;
};

}  // namespace osteon::bridge::wire
