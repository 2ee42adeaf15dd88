#pragma once
/// @file
/// Client side of the connection to the start-up server. The client dials, and authenticates itself. After a broken
/// connection, the client dials again.
#include <bridge/wire/frame_stream.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace osteon::bridge::wire {

class control_stream {
 public:
  control_stream(const settings& options, const tls_context* tls) : options_(options), tls_(tls) {}

  /// Function that creates the first command after authentication. The function is called for every connection.
  std::function<std::string(const frame_stream&)> introduce;

  /// Read and write without waiting, and pass on the commands of the server except authentication. If there is no
  /// connection, and if the time of the next attempt has come, dial.
  void serve(const std::function<void(const frame&)>& take);
  /// Write without waiting and without reading.
  void flush() {
    if (stream_) stream_->flush();
  }
  void send(command kind, std::string data = {}) {
    if (stream_) stream_->send(kind, std::move(data));
  }
  bool open() const { return state_ == state::open; }
  /// True if no output is pending.
  bool flushed() const { return !stream_ || stream_->flushed(); }
  int fd() const { return stream_ ? stream_->fd() : -1; }
  bool wants_writable() const { return stream_ && stream_->wants_writable(); }
  /// True if the stream must be served again soon, even without an event of epoll.
  bool unfinished() const { return !stream_ || stream_->wants_writable() || stream_->unfinished(); }
  /// Number of connections so far. With this number, a new descriptor is detected even if the new descriptor equals the old
  /// descriptor.
  std::uint64_t generation() const { return generation_; }
  /// Time in s without an authenticated connection. With an authenticated connection, the time is 0.
  double away() const;
  /// Restart the time of `away()`. The time during which this process was stopped does not count as silence of the server.
  void forgive();
  const std::string& reason() const { return reason_; }
  /// True if the server has been reached and has rejected this process, or if the server has failed authentication. A
  /// further attempt is then useless.
  const std::string& refusal() const { return refusal_; }

 private:
  enum class state { closed, dialled, proving, open };
  void authenticate(const frame& f);
  void ended();
  const settings& options_;
  const tls_context* tls_;
  std::unique_ptr<frame_stream> stream_;
  state state_ = state::closed;
  std::string nonce_, server_nonce_, reason_, refusal_;
  std::uint64_t generation_ = 0;
  int refusals_ = 0;
  std::chrono::steady_clock::time_point lost_ = std::chrono::steady_clock::now(), next_dial_{};
};

}  // namespace osteon::bridge::wire
