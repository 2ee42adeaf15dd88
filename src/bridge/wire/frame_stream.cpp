#include <array>
#include <bridge/wire/frame_stream.hpp>

namespace osteon::bridge::wire {

void frame_stream::end(const std::string& why) {
  if (!ended_) why_ = why;
  ended_ = true;
}

bool frame_stream::pump() {
  std::array<std::byte, 16384> part;
  // What may wait unparsed is bounded: `next` is called between two calls of this.
  while (!ended_ && in_.size() < limit_ + part.size()) {
    const std::ptrdiff_t n = channel_.read(part);
    if (n < 0) end(channel_.why());
    if (n <= 0) break;
    in_.append(reinterpret_cast<const char*>(part.data()), static_cast<std::size_t>(n));
  }
  while (!out_.empty()) {
    const std::ptrdiff_t n = channel_.write(std::as_bytes(std::span(out_)));
    if (n < 0) end(channel_.why());
    if (n <= 0) break;
    out_.erase(0, static_cast<std::size_t>(n));
  }
  return !ended_;
}

std::optional<frame> frame_stream::next() {
  const parsed_frame p = parse_frame(in_, limit_);
  if (const auto* bad = std::get_if<malformed>(&p)) {
    in_.clear();
    end(bad->why);
  }
  const auto* v = std::get_if<frame_view>(&p);
  if (v == nullptr) return std::nullopt;
  frame f{v->what, std::string(v->data)};
  in_.erase(0, v->consumed);
  return f;
}

}  // namespace osteon::bridge::wire
