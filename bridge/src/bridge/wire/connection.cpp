#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <bridge/wire/connection.hpp>
#include <cstring>

namespace osteon::bridge::wire {
namespace {

constexpr std::size_t input_of_guest = 4096;
constexpr std::size_t input_bytes = 512 << 10;
constexpr int reads_at_once = 8;
constexpr std::ptrdiff_t short_read = 8192;

}  // namespace

void connection::trust() {
  greeted = true;
  if (in.size() < input_bytes) in.resize(input_bytes);
}

connection::input connection::receive(const job_id& job, std::int64_t world,
                                      const std::function<bool(const packet_header&, std::span<const std::byte>)>& take) {
  if (in.empty()) in.resize(input_of_guest);
  for (int part = 0; part < reads_at_once; ++part) {
    if (in_begin == in_end) in_begin = in_end = 0;
    if (in_end == in.size() && in_begin > 0) {
      std::memmove(in.data(), in.data() + in_begin, in_end - in_begin);
      in_end -= in_begin;
      in_begin = 0;
    }
    if (in_end == in.size()) {
      if (!greeted) {
        reason = "too many bytes before the greeting";
        return input::ended;
      }
      in.resize(std::min(in.size() * 2, header_bytes + max_payload));
    }
    const std::ptrdiff_t n = stream.read(std::span(in).subspan(in_end));
    if (n < 0) {
      reason = stream.reason();
      return input::ended;
    }
    if (n == 0) return input::drained;
    in_end += static_cast<std::size_t>(n);
    heard = steady::now();
    if (parse_all(job, world, take) == input::ended) return input::ended;
    // After a short message, usually no more data are pending. If data are pending, epoll reports these data again.
    if (n < short_read && !stream.holds_more()) return input::drained;
  }
  return input::more;
}

connection::input connection::parse_all(const job_id& job, std::int64_t world,
                                        const std::function<bool(const packet_header&, std::span<const std::byte>)>& take) {
  for (;;) {
    const parsed p = parse(std::span<const std::byte>(in).subspan(in_begin, in_end - in_begin), job, world);
    if (std::holds_alternative<need_more>(p)) return input::drained;
    if (const auto* bad = std::get_if<malformed>(&p)) {
      reason = bad->reason;
      faulty = true;
      return input::ended;
    }
    const packet_view& v = std::get<packet_view>(p);
    in_begin += v.consumed;
    if (!take(v.header, v.payload)) return input::ended;
  }
}

void connection::put(packet_header h, const job_id& job, std::span<const std::byte> payload) {
  if (out_begin > (1 << 18) || out_begin == out.size()) {
    out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(out_begin));
    out_begin = 0;
  }
  h.job = job;
  const std::size_t at = out.size();
  out.resize(at + header_bytes + payload.size());
  encode(h, std::span<std::byte, header_bytes>(out.data() + at, header_bytes));
  if (!payload.empty()) std::memcpy(out.data() + at + header_bytes, payload.data(), payload.size());
}

bool connection::flush(std::size_t limit) {
  std::size_t written = 0;
  while (written < limit && waiting() > 0) {
    const std::ptrdiff_t n = stream.write(std::span<const std::byte>(out).subspan(out_begin));
    if (n < 0) {
      reason = stream.reason();
      return false;
    }
    if (n == 0) {
      window_blocked = true;
      break;
    }
    out_begin += static_cast<std::size_t>(n);
    written += static_cast<std::size_t>(n);
    sent = steady::now();
  }
  window_bytes += written;
  if (const double t = seconds_since(window); t > 0.1) {
    if (window_blocked) mbit = static_cast<double>(window_bytes) * 8e-6 / t;
    window = steady::now();
    window_bytes = 0;
    window_blocked = false;
  }
  return true;
}

void connection::arm(int epoll, bool read, bool write) {
  const std::uint32_t wanted = (read ? std::uint32_t{EPOLLIN} : 0U) |
                               (write || waiting() > 0 || stream.wants_writable() ? std::uint32_t{EPOLLOUT} : 0U);
  if (known_to_epoll && wanted == armed) return;
  epoll_event e{};
  e.events = wanted;
  e.data.u64 = id;
  epoll_ctl(epoll, known_to_epoll ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, stream.fd(), &e);
  armed = wanted;
  known_to_epoll = true;
}

std::string greeting(const std::string& key, const job_id& job, std::int64_t from, std::int64_t to, std::int64_t slot) {
  return keyed_digest(key, fmt::format("osteon wire: hello {} {} {} ", from, to, slot) +
                               std::string(reinterpret_cast<const char*>(job.data()), job.size()));
}

}  // namespace osteon::bridge::wire
