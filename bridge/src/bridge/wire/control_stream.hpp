#pragma once
/// @file
/// The dialogue with the start-up server as the client has it: dial, authenticate, dial again when it broke.
#include <bridge/wire/frame_stream.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace osteon::bridge::wire {

class control_stream {
 public:
  control_stream(const settings& how, const tls_context* tls) : how_(how), tls_(tls) {}

  /// Makes the first command after authentication; called anew for every connection.
  std::function<std::string(const frame_stream&)> introduce;

  /// Read and write without waiting, and hand over the server's commands, authentication left out; dials if there is no
  /// connection and the time has come.
  void serve(const std::function<void(const frame&)>& take);
  /// Write without waiting, and read nothing.
  void flush() {
    if (stream_) stream_->flush();
  }
  void send(command what, std::string data = {}) {
    if (stream_) stream_->send(what, std::move(data));
  }
  bool open() const { return state_ == state::open; }
  /// Nothing waits to be written.
  bool flushed() const { return !stream_ || stream_->flushed(); }
  int fd() const { return stream_ ? stream_->fd() : -1; }
  bool wants_writable() const { return stream_ && stream_->wants_writable(); }
  /// It must be served again soon, whether epoll says so or not.
  bool unfinished() const { return !stream_ || stream_->wants_writable() || stream_->unfinished(); }
  /// Counts connections, so that a new descriptor is noticed even if it has the old number.
  std::uint64_t generation() const { return generation_; }
  /// Seconds without an authenticated connection; 0 while there is one.
  double away() const;
  /// Its own silence shall not count (after this process was stopped).
  void forgive();
  const std::string& why() const { return why_; }
  /// It was reached, and refused this process, or could not prove itself: dialling again will not help.
  const std::string& refusal() const { return refusal_; }

 private:
  enum class state { closed, dialled, proving, open };
  void authenticate(const frame& f);
  void ended();
  const settings& how_;
  const tls_context* tls_;
  std::unique_ptr<frame_stream> stream_;
  state state_ = state::closed;
  std::string nonce_, server_nonce_, why_, refusal_;
  std::uint64_t generation_ = 0;
  int refusals_ = 0;
  std::chrono::steady_clock::time_point lost_ = std::chrono::steady_clock::now(), next_dial_{};
};

}  // namespace osteon::bridge::wire
