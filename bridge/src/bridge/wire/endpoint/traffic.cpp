// Functions that send and receive the packets of an endpoint.
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bridge/wire/endpoint/endpoint_core.hpp>
#ifdef OSTEON_WIRE_ZSTD
#include <zstd.h>
#endif

namespace osteon::bridge::wire {
namespace {

constexpr std::size_t low_water = 64 << 10;  ///< if the output of a stream is below this limit, packets are added
constexpr std::size_t high_water = 256 << 10;
/// maximum number of bytes that are written before the next connection is served
constexpr std::size_t written_at_once = 1 << 20;
constexpr std::size_t least_to_compress = 1024;
constexpr std::size_t few_connections = 4;

}  // namespace

void endpoint_core::turn(double seconds) {
  if (seconds > 0) {  // epoll_wait would round the time up to full milliseconds
    pollfd any{epoll_.get(), POLLIN, 0};
    const timespec most{0, static_cast<long>(std::min(seconds, 0.999) * 1e9)};
    ppoll(&any, 1, &most, nullptr);
  }
  // If there are only a few connections, a poll reads each connection directly with one system call, as with epoll. Because
  // of direct reads, the code for a packet, above all the code of TLS, remains in the caches.
  const std::lock_guard lock(m_);
  const bool directly = seconds <= 0 && connections_.size() <= few_connections && ++polls_ % 16 != 0;
  std::array<epoll_event, 64> events;
  const int n = directly ? 0 : epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  if (directly) {
    std::array<std::uint64_t, few_connections> ids;  // serving one connection may end another connection
    const auto end = std::transform(connections_.begin(), connections_.end(), ids.begin(), [](auto& c) { return c.first; });
    for (auto id = ids.begin(); id != end; ++id)
      if (const auto c = connections_.find(*id); c != connections_.end()) service(*c->second);
  }
  for (int i = 0; i < n; ++i) {
    const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
    if (id == 1) {
      std::uint64_t count = 0;
      if (read(wake_.get(), &count, sizeof count) < 0) count = 0;
    } else if (id == 2) {
      serve_control();
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
  if (seconds <= 0) cache_warmer_.now_and_then();
}

void endpoint_core::service(connection& c) {
  const auto take = [&](const packet_header& h, std::span<const std::byte> payload) { return take_packet(c, h, payload); };
  const std::uint64_t id = c.id;
  const connection::input got = c.receive(job_, world.size(), take);
  if (connections_.count(id) == 0) return;
  if (got == connection::input::ended) {
    if (c.faulty && c.route >= 0) ++routes_[static_cast<std::size_t>(c.route)]->faults;
    return lose(c, c.reason);
  }
  if (got == connection::input::more) {
    eventfd_write(wake_.get(), 1);
    connections_again_.push_back(id);
  }
  pump(c);
}

/// @return false if the connection no longer exists
bool endpoint_core::take_packet(connection& c, const packet_header& h, std::span<const std::byte> payload) {
  const std::uint64_t id = c.id;
  if ((h.flags & flag_zstd) != 0) {
#ifdef OSTEON_WIRE_ZSTD
    packed_.resize(h.inflated_len);
    const std::size_t n = ZSTD_decompress(packed_.data(), packed_.size(), payload.data(), payload.size());
    if (ZSTD_isError(n) != 0 || n != packed_.size()) {
      c.faulty = true;
      c.reason = "a packet whose compressed data are damaged";
      return false;
    }
    payload = packed_;
#else
    c.faulty = true;
    c.reason = "a compressed packet, though this process does not accept them";
    return false;
#endif
  }
  handle_packet(c, h, payload);
  return connections_.count(id) != 0;
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
    return lose(c, fmt::format("a packet from rank {} to rank {}, which is for another process", h.source, h.dest));
  }
  peer& p = *peers_[source];
  p.heard = steady::now();
  const bool was_over = p.pair->over();
  if (const std::string bad = p.pair->arrived(h, payload, sink_); !bad.empty()) {
    // The packet is in order and authenticated, but invalid. A new connection would not correct this fault.
    return fail(fmt::format("{} sent {} an invalid packet: {}",
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
    if (c != nullptr && c->greeted && c->waiting() < low_water) pump(*c);
  }
}

void endpoint_core::refill(connection& c) {
  if (!c.greeted) return;
  route& r = *routes_[static_cast<std::size_t>(c.route)];
  while (c.waiting() < high_water && !r.ready.empty()) {
    const int rank = r.ready.front();
    r.ready.pop_front();
    peer& p = *peers_[static_cast<std::size_t>(rank)];
    p.queued = false;
    const bool idle = !p.pair->awaits_acknowledgement();
    const auto d = p.pair->next();
    if (!d) continue;
    if (idle) p.moved = steady::now();
    packet_header h = d->header;
    const auto payload = shrink(c, h, d->payload);
    c.put(h, job_, payload);
    make_ready(rank);
  }
}

/// If the stream is sufficiently slow, compress the payload.
std::span<const std::byte> endpoint_core::shrink([[maybe_unused]] const connection& c, [[maybe_unused]] packet_header& h,
                                                 std::span<const std::byte> payload) {
#ifdef OSTEON_WIRE_ZSTD
  const bool wanted =
      options.zstd_below_mbit > 0 && c.mbit > 0 && c.mbit < options.zstd_below_mbit && payload.size() >= least_to_compress;
  if (!wanted || (collation_.processes[static_cast<std::size_t>(h.dest)].capabilities & can_zstd) == 0) return payload;
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
  for (std::size_t written = 0; written < written_at_once;) {
    if (c.waiting() < low_water) refill(c);
    const std::size_t before = c.waiting();
    if (before == 0) break;
    if (!c.flush(written_at_once - written)) return lose(c, c.reason);
    if (c.waiting() == before) break;
    written += before - c.waiting();
  }
  c.arm(epoll_.get(), true, c.greeted && !routes_[static_cast<std::size_t>(c.route)]->ready.empty());
}

}  // namespace osteon::bridge::wire
