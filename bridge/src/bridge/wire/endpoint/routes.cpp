// Functions that open and close the connections of an endpoint.
#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <bridge/wire/endpoint/endpoint_core.hpp>
#include <bridge/wire/guests.hpp>

namespace osteon::bridge::wire {

bool route::open() const {
  return std::any_of(streams.begin(), streams.end(), [](const auto& c) { return c && c->greeted; });
}

bool route::complete() const {
  return std::all_of(streams.begin(), streams.end(), [](const auto& c) { return c && c->greeted; });
}

std::string endpoint_core::name_of(int rank) const {
  const process_info& p = world.processes[static_cast<std::size_t>(rank)];
  return fmt::format("rank {} (cluster '{}', local rank {}, host {}, pid {})", rank,
                     world.clusters[static_cast<std::size_t>(p.cluster)].name, p.local_rank, p.host, p.pid);
}

void endpoint_core::make_routes() {
  const std::string relay =
      options.relay.empty() ? collation_.relays[static_cast<std::size_t>(world.cluster)] : options.relay;
  const auto streams = static_cast<std::size_t>(options.streams);
  const auto add = [&](std::unique_ptr<route> r) {
    // If the other side dials, the other side selects the number of streams. When streams arrive, the list grows.
    r->streams.resize(r->address.empty() ? 1 : streams);
    r->next_try.resize(r->streams.size());
    routes_.push_back(std::move(r));
  };
  if (!relay.empty()) {
    auto r = std::make_unique<route>();
    r->relay = -1;
    r->address = relay;
    r->name =
        fmt::format("the relay of cluster '{}' at {}", world.clusters[static_cast<std::size_t>(world.cluster)].name, relay);
    add(std::move(r));
  }
  for (int rank = 0; rank < world.size(); ++rank) {
    peer* p = peers_[static_cast<std::size_t>(rank)].get();
    if (p == nullptr) continue;
    const registration& other = collation_.processes[static_cast<std::size_t>(rank)];
    if (!collation_.relays[static_cast<std::size_t>(other.cluster)].empty() != !relay.empty()) {
      const std::lock_guard lock(m_);
      fail(fmt::format("cluster '{}' uses a relay, but cluster '{}' does not: set `relay` for all clusters or for none",
                       world.clusters[static_cast<std::size_t>(relay.empty() ? other.cluster : world.cluster)].name,
                       world.clusters[static_cast<std::size_t>(relay.empty() ? world.cluster : other.cluster)].name));
      throw link_error(failure_);
    }
    if (relay.empty()) {
      auto r = std::make_unique<route>();
      r->name = name_of(rank);
      if (rank < world.rank) r->address = join_address(other.address, static_cast<std::uint16_t>(other.port));
      add(std::move(r));
    }
    p->route = static_cast<int>(routes_.size()) - 1;
    routes_.back()->peers.push_back(rank);
  }
}

void endpoint_core::wait_for_routes() {
  const auto began = steady::now();
  for (;; turn(0.02)) {
    const std::lock_guard lock(m_);
    if (!failure_.empty()) throw link_error(failure_);
    const auto missing = std::find_if(routes_.begin(), routes_.end(), [](const auto& r) { return !r->complete(); });
    if (missing == routes_.end()) return;
    if (seconds_since(began) > options.join_seconds) {
      const route& r = **missing;
      std::string text = fmt::format("{} has no route to {}", name_of(world.rank), r.name);
      if (r.address.empty()) {
        const registration& me = collation_.processes[static_cast<std::size_t>(world.rank)];
        text += fmt::format(", which should have connected to {}:{}", me.address, me.port);
        if ((me.capabilities & address_given) == 0) {
          text += " (an address guessed from the connection to the server: set `address` if this host has several networks)";
        }
      } else if (r.relay == 0) {
        text += fmt::format(" at {}: {}", r.address, r.reason.empty() ? "no answer" : r.reason);
        const registration& other = collation_.processes[static_cast<std::size_t>(r.peers.front())];
        text +=
            (other.capabilities & address_given) == 0
                ? " (that address was guessed from its connection to the server: set `address` for its cluster, or a relay)"
                : " (that address was set for its cluster: check it, and the firewall)";
      } else {
        text += fmt::format(": {}", r.reason.empty() ? "no answer" : r.reason);
      }
      fail(text);
      throw link_error(text);
    }
  }
}

std::unique_ptr<connection> endpoint_core::watched(descriptor fd, side which) {
  auto c = std::make_unique<connection>(channel(std::move(fd), tls_.get(), which), next_connection_++);
  connections_[c->id] = c.get();
  c->arm(epoll_.get(), true, true);
  return c;
}

void endpoint_core::dial_streams() {
  for (int index = 0; index < static_cast<int>(routes_.size()); ++index) {
    route& r = *routes_[static_cast<std::size_t>(index)];
    if (r.address.empty()) continue;
    const bool needed = std::any_of(r.peers.begin(), r.peers.end(),
                                    [&](int p) { return !peers_[static_cast<std::size_t>(p)]->pair->over(); });
    for (std::size_t slot = 0; needed && slot < r.streams.size(); ++slot) {
      if (r.streams[slot] || steady::now() < r.next_try[slot]) continue;
      r.next_try[slot] = steady::now() + std::chrono::milliseconds(250);
      std::string reason;
      descriptor fd = dial(r.address, options, reason);
      if (!fd) {
        r.reason = reason;
        continue;
      }
      r.streams[slot] = watched(std::move(fd), side::dialled);
      connection& c = *r.streams[slot];
      c.route = index;
      c.slot = static_cast<int>(slot);
      greet(c, r.relay != 0 ? r.relay : r.peers.front());
      pump(c);
    }
  }
}

void endpoint_core::accept_guests() {
  bool may_accept = true;
  while (guests_.size() < most_guests) {
    descriptor fd = accept_one(listener_.get(), options, &may_accept);
    if (!fd) break;
    guests_.push_back(watched(std::move(fd), side::accepted));
  }
  watch_listener(may_accept && guests_.size() < most_guests);
}

/// Enable or disable the events of listening sockets. If the events were not disabled, epoll would report the events
/// repeatedly. Timers enable the events again.
void endpoint_core::watch_listener(bool open) {
  if (!listener_ || open == listening_) return;
  listening_ = open;
  epoll_event e{};
  e.events = open ? std::uint32_t{EPOLLIN} : 0U;
  e.data.u64 = 3;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listener_.get(), &e);
}

void endpoint_core::greet(connection& c, int dest) {
  packet_header h;
  h.type = packet_type::hello;
  h.source = world.rank;
  h.dest = dest;
  h.count = c.slot;
  h.cid = wire_version;
  const std::string proof = greeting(options.key, job_, world.rank, dest, c.slot);
  h.len = static_cast<std::uint32_t>(proof.size());
  c.put(h, job_, std::as_bytes(std::span(proof)));
}

void endpoint_core::greeted(connection& c, const packet_header& h, std::span<const std::byte> payload) {
  const std::string given(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (!same_secret(given, greeting(options.key, job_, h.source, h.dest, h.count)) || h.dest != world.rank) {
    return lose(c, "a greeting that is not for this process, or made without the job key");
  }
  if (c.route >= 0) {  // the packet is the answer to the greeting of this side
    const route& r = *routes_[static_cast<std::size_t>(c.route)];
    if (h.source != (r.relay != 0 ? r.relay : r.peers.front())) return lose(c, fmt::format("{} answered instead", h.source));
  } else {
    const auto source = static_cast<std::size_t>(std::max<std::int64_t>(h.source, 0));
    const bool known = h.source >= 0 && source < peers_.size() && peers_[source] && peers_[source]->route >= 0;
    const int index = known ? peers_[source]->route : -1;
    if (!known || routes_[static_cast<std::size_t>(index)]->relay != 0 || h.count < 0 || h.count >= 16) {
      return lose(c, fmt::format("a greeting from {}, stream {}, which is not expected", h.source, h.count));
    }
    route& r = *routes_[static_cast<std::size_t>(index)];
    const auto slot = static_cast<std::size_t>(h.count);
    if (slot >= r.streams.size()) r.streams.resize(slot + 1);  // the dialling side selects the number of streams
    if (r.streams[slot]) lose(*r.streams[slot], "replaced by a new connection");
    const auto at = std::find_if(guests_.begin(), guests_.end(), [&](const auto& g) { return g.get() == &c; });
    r.streams[slot] = std::move(*at);
    guests_.erase(at);
    c.route = index;
    c.slot = static_cast<int>(slot);
    greet(c, static_cast<int>(h.source));
  }
  c.trust();
  route_opened(*routes_[static_cast<std::size_t>(c.route)]);
}

void endpoint_core::route_opened(route& r) {
  r.refused_since = {};
  for (const int rank : r.peers) {
    peer& p = *peers_[static_cast<std::size_t>(rank)];
    p.heard = p.moved = steady::now();
    if (r.was_open) p.pair->probe();  // packets that were in flight when the connection broke may be lost
    make_ready(rank);
  }
  r.was_open = true;
  event();
}

void endpoint_core::lose(connection& c, const std::string& reason) {
  connections_.erase(c.id);
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, c.stream.fd(), nullptr);
  if (c.route < 0) {
    const auto at = std::find_if(guests_.begin(), guests_.end(), [&](const auto& g) { return g.get() == &c; });
    if (at == guests_.end()) return;
    bin_.push_back(std::move(*at));
    guests_.erase(at);
    return;
  }
  route& r = *routes_[static_cast<std::size_t>(c.route)];
  const bool was_open = r.open();
  r.reason = reason.empty() ? "the connection was closed by the other side" : reason;
  r.refused_since = reason.find("refused") == std::string::npos ? steady::time_point{}
                    : r.refused_since == steady::time_point{}   ? steady::now()
                                                                : r.refused_since;
  const auto slot = static_cast<std::size_t>(c.slot);
  bin_.push_back(std::move(r.streams[slot]));
  if (was_open && !r.open()) r.down_since = steady::now();
  if (slot < r.next_try.size()) r.next_try[slot] = steady::now() + std::chrono::milliseconds(200);
  for (const int rank : r.peers) {
    peers_[static_cast<std::size_t>(rank)]->pair->probe();
    make_ready(rank);
  }
}

}  // namespace osteon::bridge::wire
