#include <bridge/wire/servers/relay.hpp>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bridge/wire/connection.hpp>
#include <bridge/wire/control_stream.hpp>
#include <bridge/wire/guests.hpp>
#include <bridge/wire/link.hpp>
#include <list>
#include <unordered_map>
#include <vector>

namespace osteon::bridge::wire {
namespace {

/// Limit of the data that wait for one connection. Above this limit, the relay no longer reads data from senders to this
/// connection.
constexpr std::size_t pause_above = 4 << 20;
constexpr std::size_t resume_below = 1 << 20;
constexpr std::int64_t self = -1;
constexpr std::int64_t name_of_cluster(int cluster) { return -2 - cluster; }

}  // namespace

struct relay::impl {
  explicit impl(relay_settings s)
      : options(std::move(s)),
        tls(options.link.tls ? std::make_unique<tls_context>(options.link.key) : nullptr),
        control(options.link, tls.get()) {}
  relay_settings options;
  std::unique_ptr<tls_context> tls;
  control_stream control;
  descriptor epoll, wake, listener;
  std::uint16_t port = 0;
  collation world;
  bool known = false, over = false;
  std::string failure;
  std::uint64_t control_known = 0, next_id = 16;
  std::list<std::unique_ptr<connection>> connections;
  std::unordered_map<std::uint64_t, connection*> by_id;
  std::vector<std::vector<connection*>> to_rank;  ///< streams to each process behind this relay
  std::vector<connection*> to_hub;                ///< stream to the hub for each slot; null: not connected
  std::vector<steady::time_point> next_dial;
  steady::time_point hub_lost = steady::now(), last_timers{}, last_turn = steady::now(), control_sent = steady::now();
  std::string hub_fault;
  bool paused = false, listening = false;
  std::vector<std::uint64_t> again;
  std::atomic<bool> stopped{false};
  std::atomic<std::uint64_t> forwarded{0}, dropped{0};

  void turn();
  void serve_control();
  void handle_control(const frame& f);
  connection& add(descriptor fd, side which);
  std::size_t guests() const;
  void accept_guests();
  void watch_listener(bool open);
  void dial_hub();
  void service(connection& c);
  void greet(connection& c, std::int64_t source, std::int64_t dest);
  bool greeted(connection& c, const packet_header& h, std::span<const std::byte> payload);
  bool forward(connection& from, const packet_header& h, std::span<const std::byte> payload);
  connection* way_to(std::int64_t rank);
  void lose(connection& c);
  void timers();
  bool waits_anywhere(std::size_t limit) const;
};

void relay::impl::handle_control(const frame& f) {
  if (f.kind == command::fini) over = true;
  if (f.kind == command::fail) failure = f.data;
  if (known || (f.kind != command::impi && f.kind != command::coll && f.kind != command::done)) return;
  if (const std::string bad = absorb(world, f.kind, f.data); !bad.empty()) failure = bad;
  if (f.kind != command::done) return;
  known = true;
  to_rank.resize(world.processes.size());
  to_hub.resize(options.hub.empty() ? 0 : static_cast<std::size_t>(options.link.streams));
  next_dial.resize(to_hub.size());
  hub_lost = steady::now();
}

void relay::impl::serve_control() {
  control.serve([this](const frame& f) { handle_control(f); });
  if (!control.refusal().empty()) failure = control.refusal();
  if (control.fd() < 0) return;
  epoll_event e{};
  e.events = EPOLLIN | (control.wants_writable() ? std::uint32_t{EPOLLOUT} : 0U);
  e.data.u64 = 2;
  const bool fresh = control.generation() != control_known;
  control_known = control.generation();
  epoll_ctl(epoll.get(), fresh ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, control.fd(), &e);
}

connection& relay::impl::add(descriptor fd, side which) {
  connections.push_back(std::make_unique<connection>(channel(std::move(fd), tls.get(), which), next_id++));
  connection& c = *connections.back();
  by_id[c.id] = &c;
  c.arm(epoll.get(), true, true);
  return c;
}

std::size_t relay::impl::guests() const {
  return static_cast<std::size_t>(
      std::count_if(connections.begin(), connections.end(), [](const auto& c) { return c->route != -2 && !c->greeted; }));
}

void relay::impl::accept_guests() {
  bool may_accept = true;
  for (std::size_t n = guests(); n < most_guests; ++n) {
    descriptor fd = accept_one(listener.get(), options.link, &may_accept);
    if (!fd) break;
    add(std::move(fd), side::accepted);
  }
  watch_listener(may_accept && guests() < most_guests);
}

/// Accept connections only below the limit of connections, and only after the job is known. Authentication needs the job.
void relay::impl::watch_listener(bool open) {
  if (open == listening) return;
  listening = open;
  epoll_event e{};
  e.events = open ? std::uint32_t{EPOLLIN} : 0U;
  e.data.u64 = 3;
  epoll_ctl(epoll.get(), EPOLL_CTL_MOD, listener.get(), &e);
}

void relay::impl::dial_hub() {
  for (std::size_t slot = 0; slot < to_hub.size(); ++slot) {
    if (to_hub[slot] != nullptr || steady::now() < next_dial[slot]) continue;
    next_dial[slot] = steady::now() + std::chrono::milliseconds(250);
    descriptor fd = dial(options.hub, options.link, hub_fault);
    if (!fd) continue;
    connection& c = add(std::move(fd), side::dialled);
    c.slot = static_cast<int>(slot);
    c.route = -2;  // the connection leads upwards to the hub
    to_hub[slot] = &c;
    greet(c, name_of_cluster(options.cluster), self);
    if (!c.flush(1 << 16)) lose(c);
  }
}

void relay::impl::greet(connection& c, std::int64_t source, std::int64_t dest) {
  packet_header h;
  h.type = packet_type::hello;
  h.source = source;
  h.dest = dest;
  h.count = c.slot;
  h.cid = wire_version;
  const std::string proof = greeting(options.link.key, world.job, source, dest, c.slot);
  h.len = static_cast<std::uint32_t>(proof.size());
  c.put(h, world.job, std::as_bytes(std::span(proof)));
}

bool relay::impl::greeted(connection& c, const packet_header& h, std::span<const std::byte> payload) {
  const std::string given(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (!same_secret(given, greeting(options.link.key, world.job, h.source, h.dest, h.count)) || c.greeted) return false;
  if (c.route == -2) {
    if (h.source != self || h.dest != name_of_cluster(options.cluster)) return false;
    c.trust();
    return true;
  }
  if (h.dest != self || h.count < 0 || h.count >= 16) return false;
  c.slot = static_cast<int>(h.count);
  c.other = h.source;
  std::vector<connection*> old;  // earlier connections of the same process that have not yet timed out
  for (auto& x : connections) {
    if (x.get() != &c && x->greeted && x->route != -2 && x->other == c.other && x->slot == c.slot) old.push_back(x.get());
  }
  for (connection* x : old) lose(*x);
  for (std::size_t rank = 0; rank < to_rank.size(); ++rank) {
    const bool his = h.source >= 0 ? static_cast<std::int64_t>(rank) == h.source
                                   : name_of_cluster(world.processes[rank].cluster) == h.source;
    if (his) to_rank[rank].push_back(&c);
  }
  c.trust();
  greet(c, self, h.source);
  return true;
}

/// Among the streams to a process, the stream with the least waiting data. If the process is not behind this relay, the
/// result is a stream to the hub.
connection* relay::impl::way_to(std::int64_t rank) {
  if (rank < 0) return nullptr;
  connection* best = nullptr;
  for (connection* c : to_rank[static_cast<std::size_t>(rank)]) {
    if (best == nullptr || c->waiting() < best->waiting()) best = c;
  }
  if (best != nullptr) return best;
  for (connection* c : to_hub) {
    if (c != nullptr && c->greeted && (best == nullptr || c->waiting() < best->waiting())) best = c;
  }
  return best;
}

bool relay::impl::forward(connection& from, const packet_header& h, std::span<const std::byte> payload) {
  if (h.type == packet_type::hello) return greeted(from, h, payload);
  if (!from.greeted) return false;
  if (h.type == packet_type::heartbeat) return true;
  if (h.type == packet_type::failure) {
    failure = std::string(reinterpret_cast<const char*>(payload.data()), payload.size());
    return true;
  }
  connection* to = way_to(h.dest);
  if (to == nullptr || to == &from) {
    ++dropped;  // when the route exists, the sender sends the packet again
    return true;
  }
  to->put(h, world.job, payload);
  ++forwarded;
  return true;
}

void relay::impl::service(connection& c) {
  const std::uint64_t id = c.id;
  connection::input got = connection::input::drained;
  if (!paused) {
    got = c.receive(world.job, static_cast<std::int64_t>(world.processes.size()),
                    [&](const packet_header& h, std::span<const std::byte> payload) { return forward(c, h, payload); });
  }
  if (got == connection::input::ended || !c.flush(4 << 20)) return lose(c);
  if (got == connection::input::more) again.push_back(id);
}

void relay::impl::lose(connection& c) {
  for (auto& streams : to_rank) std::erase(streams, &c);
  for (auto& up : to_hub) {
    if (up != &c) continue;
    up = nullptr;
    hub_fault = c.reason.empty() ? "the connection was closed by the other side" : c.reason;
    if (std::none_of(to_hub.begin(), to_hub.end(), [](auto* x) { return x != nullptr && x->greeted; }) && c.greeted) {
      hub_lost = steady::now();
    }
  }
  by_id.erase(c.id);
  connections.remove_if([&](const auto& x) { return x.get() == &c; });
}

bool relay::impl::waits_anywhere(std::size_t limit) const {
  return std::any_of(connections.begin(), connections.end(), [&](const auto& c) { return c->waiting() > limit; });
}

void relay::impl::timers() {
  const auto now = steady::now();
  if (seconds_since(last_turn) > 1) {  // this process was stopped; the silence was therefore on this side
    for (auto& c : connections) c->heard = now;
    hub_lost = now;
    control.forgive();
  }
  last_turn = now;
  if (seconds_since(last_timers) < 0.02) return;
  last_timers = now;
  if (control.open() && seconds_since(control_sent) > options.link.heartbeat_seconds) {
    control.send(command::ping);
    control_sent = now;
  }
  serve_control();
  if (!known) return;
  dial_hub();
  std::vector<connection*> dead;
  const double silence = std::min(3 * options.link.heartbeat_seconds, options.link.cut_seconds);
  const double greeting = guest_seconds(guests());
  for (auto& c : connections) {
    // A polling process may be silent while it computes. The server detects the end of such a process.
    const bool silent = c->route == -2 && c->greeted && seconds_since(c->heard) > silence;
    const bool late = !c->greeted && seconds_since(c->began) > (c->route == -2 ? guest_seconds(0) : greeting);
    if (silent || late) dead.push_back(c.get());
    if (c->greeted && c->waiting() == 0 && seconds_since(c->sent) > options.link.heartbeat_seconds) {
      packet_header h;
      h.type = packet_type::heartbeat;
      h.source = h.dest = self;
      c->put(h, world.job, {});
    }
  }
  for (connection* c : dead) {
    c->reason = "silent for too long";
    lose(*c);
  }
  watch_listener(guests() < most_guests);
  const bool hub_there =
      to_hub.empty() || std::any_of(to_hub.begin(), to_hub.end(), [](auto* c) { return c != nullptr && c->greeted; });
  if (hub_there) hub_lost = now;
  if (seconds_since(hub_lost) > options.link.cut_seconds) {
    failure = fmt::format("the relay of cluster '{}' (host {}) has had no connection to the hub at {} for {} s: {}",
                          world.names[static_cast<std::size_t>(options.cluster)], host_name(), options.hub,
                          options.link.cut_seconds, hub_fault.empty() ? "no answer" : hub_fault);
    control.send(command::abort, failure);
    control.flush();
  }
}

void relay::impl::turn() {
  std::array<epoll_event, 64> events;
  const int n = epoll_wait(epoll.get(), events.data(), static_cast<int>(events.size()), again.empty() ? 100 : 0);
  for (const std::uint64_t id : std::exchange(again, {})) {
    if (const auto c = by_id.find(id); c != by_id.end()) service(*c->second);
  }
  for (int i = 0; i < n; ++i) {
    const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
    if (id == 1) {
      eventfd_t count = 0;
      eventfd_read(wake.get(), &count);
    } else if (id == 2) {
      serve_control();
    } else if (id == 3) {
      accept_guests();
    } else if (const auto c = by_id.find(id); c != by_id.end()) {
      service(*c->second);
    }
  }
  timers();
  // Data of a full queue must be written before more data are read. This rule limits the memory, and the flow control of the
  // senders takes effect.
  const bool was_paused = std::exchange(paused, waits_anywhere(paused ? resume_below : pause_above));
  if (was_paused && !paused) {  // epoll does not report data again that TLS has buffered
    for (auto& c : connections) again.push_back(c->id);
  }
  for (auto c = connections.begin(); c != connections.end();) {
    connection& x = **c++;
    if (x.waiting() > 0 && !x.flush(1 << 20)) {
      lose(x);
      continue;
    }
    x.arm(epoll.get(), !paused, false);
  }
}

relay::relay(relay_settings s) : impl_(std::make_unique<impl>(std::move(s))) {
  impl& r = *impl_;
  r.control.introduce = [](const frame_stream&) { return encode(frame{command::watch, {}}); };
  r.epoll = descriptor(epoll_create1(EPOLL_CLOEXEC));
  r.wake = descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  std::tie(r.listener, r.port) = listen_on(r.options.ports, r.options.host);
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u64 = 1;
  epoll_ctl(r.epoll.get(), EPOLL_CTL_ADD, r.wake.get(), &e);
  e.events = 0;
  e.data.u64 = 3;
  epoll_ctl(r.epoll.get(), EPOLL_CTL_ADD, r.listener.get(), &e);
}

relay::~relay() = default;

std::uint16_t relay::port() const { return impl_->port; }

void relay::run() {
  impl& r = *impl_;
  const auto began = steady::now();
  while (!r.stopped && !r.over && r.failure.empty()) {
    r.turn();
    if (!r.known && seconds_since(began) > r.options.link.join_seconds + 5) {
      throw link_error(fmt::format("relay: no answer from the start-up server at {} within {} s: {}", r.options.link.server,
                                   r.options.link.join_seconds, r.control.reason()));
    }
    if (r.known && r.control.away() > r.options.link.cut_seconds) {
      throw link_error(fmt::format("relay: lost the start-up server at {}: {}", r.options.link.server, r.control.reason()));
    }
  }
  if (!r.failure.empty()) throw link_error(r.failure);
}

void relay::stop() {
  impl_->stopped = true;
  eventfd_write(impl_->wake.get(), 1);
}

std::uint64_t relay::forwarded() const { return impl_->forwarded; }
std::uint64_t relay::dropped() const { return impl_->dropped; }

}  // namespace osteon::bridge::wire
