#include <array>
#include <bridge/wire/frame_stream.hpp>

namespace osteon::bridge::wire {
namespace {

constexpr int rounds_at_once = 16;  ///< this limit restricts the time for a sender that never stops

}  // namespace

void frame_stream::end(const std::string& reason) {
  if (!ended_ && !deaf_) reason_ = reason;
  ended_ = true;
}

bool frame_stream::read_some() {
  std::array<std::byte, 16384> part;
  bool got = false;
  // The number of unparsed bytes is limited, because commands are passed on between two calls of this function.
  while (!ended_ && in_.size() < limit_ + part.size()) {
    const std::ptrdiff_t n = channel_.read(part);
    if (n < 0 || (n == 0 && deaf_)) end(channel_.reason());
    if (n <= 0) break;
    in_.append(reinterpret_cast<const char*>(part.data()), static_cast<std::size_t>(n));
    got = true;
  }
  return got;
}

bool frame_stream::write_some() {
  bool gave = false;
  while (!ended_ && !out_.empty()) {
    const std::ptrdiff_t n = channel_.write(std::as_bytes(std::span(out_)));
    if (n == 0) break;
    gave = true;
    if (n > 0) {
      out_.erase(0, static_cast<std::size_t>(n));
    } else if (channel_.never_connected()) {
      end(channel_.reason());
      // the other side no longer reads; however, data that the other side has sent before, such as a reason, can still be
      // read
    } else {
      reason_ = channel_.reason();
      deaf_ = true;
      out_.clear();
    }
  }
  return gave;
}

void frame_stream::serve(const std::function<void(const frame&)>& take) {
  unfinished_ = true;
  for (int round = 0; unfinished_ && round < rounds_at_once; ++round) {
    const bool got = read_some();
    while (auto f = next()) take(*f);
    const bool gave = write_some();  // TLS may read during a write, and reading is therefore checked again
    unfinished_ = (got || gave) && !ended_;
  }
}

void frame_stream::flush() { write_some(); }

std::optional<frame> frame_stream::next() {
  const parsed_frame p = parse_frame(in_, limit_);
  if (const auto* bad = std::get_if<malformed>(&p)) {
    in_.clear();
    end(bad->reason);
  }
  const auto* v = std::get_if<frame_view>(&p);
  if (v == nullptr) return std::nullopt;
  frame f{v->kind, std::string(v->data)};
  in_.erase(0, v->consumed);
  return f;
}

}  // namespace osteon::bridge::wire
