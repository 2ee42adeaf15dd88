// Packets of an endpoint come and go.
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bridge/wire/endpoint_core.hpp>
#include <cstring>
#ifdef OSTEON_WIRE_ZSTD
#include <zstd.h>
#endif

namespace osteon::bridge::wire {
namespace {

constexpr std::size_t low_water = 64 << 10;  ///< of a stream's output: below it, more packets are put in
constexpr std::size_t high_water = 256 << 10;
constexpr std::size_t written_at_once = 1 << 20;  ///< then others get their turn
constexpr std::size_t least_to_compress = 1024;

}  // namespace

void endpoint_core::turn(int timeout_ms) {
  std::array<epoll_event, 64> events;
  const int n = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  const std::lock_guard lock(m_);
  for (int i = 0; i < n; ++i) {
    const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
    if (id == 1) {
      std::uint64_t count = 0;
      if (read(wake_.get(), &count, sizeof count) < 0) count = 0;
    } else if (id == 2) {
      if (control_) serve_control();
    } else if (id == 3) {
      accept_guests();
    } else if (const auto c = connections_.find(id); c != connections_.end()) {
      service(*c->second);
    }
  }
  for (const std::uint64_t id : std::exchange(connections_again_, {})) {
    if (const auto c = connections_.find(id); c != connections_.end()) service(*c->second);
  }
  timers();
  for (int r = 0; r < static_cast<int>(routes_.size()); ++r) {
    if (!routes_[static_cast<std::size_t>(r)]->ready.empty()) pump_route(r);
  }
  bin_.clear();
}

void endpoint_core::service(connection& c) {
  if (!read_some(c)) return;
  pump(c);
}

bool endpoint_core::read_some(connection& c) {
  const std::uint64_t id = c.id;
  for (int part = 0; part < 8; ++part) {
    if (c.in_begin == c.in_end) c.in_begin = c.in_end = 0;
    if (c.in_end == c.in.size()) {
      if (c.in_begin == 0 && !c.greeted) {
        lose(c, "too many bytes before the greeting");
        return false;
      }
      if (c.in_begin == 0) {
        c.in.resize(std::min(c.in.size() * 2, header_bytes + max_payload));
      } else {
        std::memmove(c.in.data(), c.in.data() + c.in_begin, c.in_end - c.in_begin);
        c.in_end -= c.in_begin;
        c.in_begin = 0;
      }
    }
    const std::ptrdiff_t n = c.stream.read(std::span(c.in).subspan(c.in_end));
    if (n < 0) {
      lose(c, c.stream.why());
      return false;
    }
    if (n == 0) return true;
    c.in_end += static_cast<std::size_t>(n);
    c.heard = steady::now();
    if (!parse_some(c)) return false;
    if (connections_.count(id) == 0) return false;
  }
  // More may wait, even inside TLS where epoll does not see it: come back soon.
  eventfd_write(wake_.get(), 1);
  connections_again_.push_back(id);
  return true;
}

/// @return false if the connection is gone
bool endpoint_core::parse_some(connection& c) {
  const std::uint64_t id = c.id;
  for (;;) {
    const auto input = std::span<const std::byte>(c.in).subspan(c.in_begin, c.in_end - c.in_begin);
    const parsed p = parse(input, job_, world.size());
    if (std::holds_alternative<need_more>(p)) return true;
    std::string bad;
    if (const auto* m = std::get_if<malformed>(&p)) {
      bad = m->why;
    } else {
      const packet_view& v = std::get<packet_view>(p);
      c.in_begin += v.consumed;
      std::span<const std::byte> payload = v.payload;
      if ((v.header.flags & flag_zstd) != 0) {
#ifdef OSTEON_WIRE_ZSTD
        packed_.resize(v.header.inflated_len);
        const std::size_t n = ZSTD_decompress(packed_.data(), packed_.size(), payload.data(), payload.size());
        if (ZSTD_isError(n) != 0 || n != packed_.size()) bad = "a packet whose compressed data are damaged";
        payload = packed_;
#else
        bad = "a compressed packet, though this process said that it takes none";
#endif
      }
      if (bad.empty()) {
        handle_packet(c, v.header, payload);
        if (connections_.count(id) == 0) return false;
        continue;
      }
    }
    if (c.route >= 0) ++routes_[static_cast<std::size_t>(c.route)]->faults;
    lose(c, bad);
    return false;
  }
}

void endpoint_core::handle_packet(connection& c, const packet_header& h, std::span<const std::byte> payload) {
  if (h.type == packet_type::hello) return greeted(c, h, payload);
  if (!c.greeted) return lose(c, "a packet before the greeting");
  if (h.type == packet_type::heartbeat) return;
  if (h.type == packet_type::failure) {
    return fail(std::string(reinterpret_cast<const char*>(payload.data()), std::min<std::size_t>(payload.size(), 65536)));
  }
  const auto source = static_cast<std::size_t>(std::max<std::int64_t>(h.source, 0));
  if (h.dest != world.rank || h.source < 0 || !peers_[source] || peers_[source]->route != c.route) {
    ++routes_[static_cast<std::size_t>(c.route)]->faults;
    return lose(c, fmt::format("a packet from rank {} to rank {}, which does not belong here", h.source, h.dest));
  }
  peer& p = *peers_[source];
  p.heard = steady::now();
  const bool was_over = p.pair->over();
  if (const std::string bad = p.pair->arrived(h, payload, sink_); !bad.empty()) {
    // In order and by the job key, and yet wrong: a new connection would not help.
    return fail(fmt::format("{} sent {} what breaks the protocol: {}",
                            name_of(h.source < world.size() ? static_cast<int>(source) : 0), name_of(world.rank), bad));
  }
  if (p.pair->over() != was_over) event();
  make_ready(static_cast<int>(source));
}

void endpoint_core::make_ready(int rank) {
  peer* p = peers_[static_cast<std::size_t>(rank)].get();
  if (p == nullptr || p->queued || !p->pair->has_departing()) return;
  p->queued = true;
  routes_[static_cast<std::size_t>(p->route)]->ready.push_back(rank);
}

void endpoint_core::pump_route(int index) {
  route& r = *routes_[static_cast<std::size_t>(index)];
  for (std::size_t slot = 0; slot < r.streams.size() && !r.ready.empty(); ++slot) {
    connection* c = r.streams[slot].get();
    if (c != nullptr && c->greeted && c->out.size() - c->out_begin < low_water) pump(*c);
  }
}

bool endpoint_core::refill(connection& c) {
  if (c.out_begin > 0) {
    c.out.erase(c.out.begin(), c.out.begin() + static_cast<std::ptrdiff_t>(c.out_begin));
    c.out_begin = 0;
  }
  if (!c.greeted) return !c.out.empty();
  route& r = *routes_[static_cast<std::size_t>(c.route)];
  while (c.out.size() < high_water && !r.ready.empty()) {
    const int rank = r.ready.front();
    r.ready.pop_front();
    peer& p = *peers_[static_cast<std::size_t>(rank)];
    p.queued = false;
    const bool idle = !p.pair->awaits_acknowledgement();
    const auto d = p.pair->next();
    if (!d) continue;
    if (idle) p.moved = steady::now();
    packet_header h = d->header;
    put_packet(c, h, shrink(c, h, d->payload));
    make_ready(rank);
  }
  return !c.out.empty();
}

void endpoint_core::put_packet(connection& c, packet_header h, std::span<const std::byte> payload) {
  h.job = job_;
  const std::size_t at = c.out.size();
  c.out.resize(at + header_bytes + payload.size());
  encode(h, std::span<std::byte, header_bytes>(c.out.data() + at, header_bytes));
  if (!payload.empty()) std::memcpy(c.out.data() + at + header_bytes, payload.data(), payload.size());
}

/// Compress the payload if the stream is slow enough to make that worth while.
std::span<const std::byte> endpoint_core::shrink([[maybe_unused]] const connection& c, [[maybe_unused]] packet_header& h,
                                                 std::span<const std::byte> payload) {
#ifdef OSTEON_WIRE_ZSTD
  const bool wanted =
      how.zstd_below_mbit > 0 && c.mbit > 0 && c.mbit < how.zstd_below_mbit && payload.size() >= least_to_compress;
  if (!wanted || (told_.processes[static_cast<std::size_t>(h.dest)].capabilities & can_zstd) == 0) return payload;
  scratch_.resize(payload.size());
  const std::size_t n = ZSTD_compress(scratch_.data(), scratch_.size(), payload.data(), payload.size(), 1);
  if (ZSTD_isError(n) != 0 || n >= payload.size()) return payload;
  h.inflated_len = h.len;
  h.len = static_cast<std::uint32_t>(n);
  h.flags |= flag_zstd;
  return std::span<const std::byte>(scratch_).first(n);
#else
  return payload;
#endif
}

void endpoint_core::pump(connection& c) {
  std::size_t written = 0;
  while (written < written_at_once) {
    if (c.out.size() - c.out_begin < low_water && !refill(c)) break;
    const std::ptrdiff_t n = c.stream.write(std::span<const std::byte>(c.out).subspan(c.out_begin));
    if (n < 0) return lose(c, c.stream.why());
    if (n == 0) {
      c.window_blocked = true;
      break;
    }
    c.out_begin += static_cast<std::size_t>(n);
    written += static_cast<std::size_t>(n);
    c.sent = steady::now();
    if (c.out_begin == c.out.size()) {
      c.out.clear();
      c.out_begin = 0;
    }
  }
  c.window_bytes += written;
  if (const double t = seconds_since(c.window); t > 0.1) {
    if (c.window_blocked) c.mbit = static_cast<double>(c.window_bytes) * 8e-6 / t;
    c.window = steady::now();
    c.window_bytes = 0;
    c.window_blocked = false;
  }
  arm(c);
}

void endpoint_core::arm(connection& c) {
  const bool more = c.out_begin < c.out.size() || c.stream.wants_writable() ||
                    (c.greeted && !routes_[static_cast<std::size_t>(c.route)]->ready.empty());
  if (more == c.armed) return;
  c.armed = more;
  epoll_event e{};
  e.events = EPOLLIN | (more ? std::uint32_t{EPOLLOUT} : 0U);
  e.data.u64 = c.id;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, c.stream.fd(), &e);
}

}  // namespace osteon::bridge::wire
