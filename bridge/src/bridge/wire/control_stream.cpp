#include <fmt/format.h>

#include <bridge/wire/control_stream.hpp>
#include <utility>

namespace osteon::bridge::wire {
namespace {

constexpr auto redial = std::chrono::milliseconds(300);

}  // namespace

double control_stream::away() const {
  if (state_ == state::open) return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - lost_).count();
}

void control_stream::forgive() { lost_ = std::chrono::steady_clock::now(); }

void control_stream::serve(const std::function<void(const frame&)>& take) {
  if (!stream_) {
    if (std::chrono::steady_clock::now() < next_dial_) return;
    next_dial_ = std::chrono::steady_clock::now() + redial;
    descriptor fd = dial(options_.server, options_, reason_);
    if (!fd) return;
    stream_ = std::make_unique<frame_stream>(channel(std::move(fd), tls_, side::dialled), max_frame);
    ++generation_;
    nonce_ = random_bytes(32);
    stream_->send(command::auth, nonce_);
    state_ = state::dialled;
  }
  stream_->serve([&](const frame& f) {
    if (state_ == state::open || f.kind == command::fail) {
      take(f);
    } else {
      authenticate(f);
    }
  });
  if (stream_->ended()) ended();
}

void control_stream::authenticate(const frame& f) {
  if (state_ == state::dialled && f.kind == command::challenge) {
    server_nonce_ = f.data;
    stream_->send(command::auth, proof(options_.key, "process", server_nonce_, nonce_));
    state_ = state::proving;
  } else if (state_ == state::proving && f.kind == command::auth &&
             same_secret(f.data, proof(options_.key, "server", server_nonce_, nonce_))) {
    state_ = state::open;
    refusals_ = 0;
    stream_->send(introduce(*stream_));
  } else {
    refusal_ = fmt::format("the program at {} cannot prove the job key: it is not the server of this job", options_.server);
  }
}

void control_stream::ended() {
  reason_ = stream_->reason().empty() ? "the connection was closed" : stream_->reason();
  const bool was_open = state_ == state::open;
  const bool unreachable = stream_->never_connected();
  // The limit is two failures, because a connection may also break for other reasons.
  if (!was_open && !unreachable && ++refusals_ >= 2) {
    refusal_ = fmt::format(
        "the server at {} rejected this process: {}. Usual causes: another job key, tls on one side only, or another "
        "program on that port",
        options_.server, reason_);
  }
  if (was_open) lost_ = std::chrono::steady_clock::now();
  stream_.reset();
  state_ = state::closed;
  next_dial_ = std::chrono::steady_clock::now() + redial;
}

}  // namespace osteon::bridge::wire
