// Timed events of an endpoint, such as heartbeats, acknowledgements and time-outs.
#include <fmt/format.h>

#include <algorithm>
#include <bridge/wire/endpoint/endpoint_core.hpp>
#include <bridge/wire/guests.hpp>

namespace osteon::bridge::wire {
namespace {

/// If a host refuses connections for this time in s, the host is reachable, but the process has ended.
constexpr double refusal_seconds = 5;
constexpr double resend_seconds = 1;  ///< time without progress in s after which lost packets are requested

}  // namespace

void endpoint_core::timers() {
  if (seconds_since(last_turn_) > 1) {
    // The silence of the other processes is ignored, because this process was stopped, or because this polling process was
    // computing.
    const auto now = steady::now();
    for (auto& [id, c] : connections_) c->heard = now;
    for (auto& p : peers_) {
      if (p) p->heard = p->moved = now;
    }
    for (auto& r : routes_) r->down_since = now;
    control_.forgive();
  }
  last_turn_ = steady::now();
  if (seconds_since(last_timers_) < 0.02) return;
  last_timers_ = steady::now();
  if (joined_ && control_.open() && seconds_since(control_sent_) > options.heartbeat_seconds) {
    control_.send(command::ping);
    control_sent_ = steady::now();
  }
  if (control_.unfinished()) serve_control();
  if (!failure_.empty() || !joined_ || routes_.empty()) return;
  if (control_.away() > options.cut_seconds && !server_parted_) {
    return fail(fmt::format("{}: the connection to the start-up server at {} was not restored within {} s: {}",
                            name_of(world.rank), options.server, options.cut_seconds, control_.reason()));
  }
  if (!finished_) dial_streams();
  watch_listener(guests_.size() < most_guests);
  watch_routes();
  watch_peers();
}

void endpoint_core::watch_routes() {
  const double silence = std::min(3 * options.heartbeat_seconds, options.cut_seconds);
  const double greeting = std::min(guest_seconds(guests_.size()), options.cut_seconds);
  std::vector<std::pair<std::uint64_t, std::string>> dead;
  for (auto& [id, c] : connections_) {
    if (!c->greeted) {
      if (seconds_since(c->began) > (c->route < 0 ? greeting : std::min(guest_seconds(0), options.cut_seconds)))
        dead.emplace_back(id, "no answer to the greeting");
      continue;
    }
    const route& r = *routes_[static_cast<std::size_t>(c->route)];
    const bool may_be_silent =
        r.relay == 0 && (collation_.processes[static_cast<std::size_t>(r.peers.front())].capabilities & polls) != 0;
    if (seconds_since(c->heard) > silence && !may_be_silent) {
      dead.emplace_back(id, fmt::format("silent for {:.3g} s", silence));
    } else if (seconds_since(c->sent) > options.heartbeat_seconds && c->waiting() == 0) {
      packet_header h;
      h.type = packet_type::heartbeat;
      h.source = world.rank;
      h.dest = r.relay != 0 ? r.relay : r.peers.front();
      c->put(h, job_, {});
      busy_.push_back(id);
    }
  }
  for (const auto& [id, reason] : dead) lose(*connections_.at(id), reason);
  for (const std::uint64_t id : busy_) {
    if (const auto c = connections_.find(id); c != connections_.end()) pump(*c->second);
  }
  busy_.clear();
  if (finished_) return;
  for (const auto& r : routes_) {
    const bool needed = std::any_of(r->peers.begin(), r->peers.end(),
                                    [&](int p) { return !peers_[static_cast<std::size_t>(p)]->pair->over(); });
    if (!needed) continue;
    if (r->faults > 3)
      return fail(fmt::format("{} received invalid packets from {}: {}", name_of(world.rank), r->name, r->reason));
    if (r->open() || !r->was_open) continue;
    const bool refused = r->refused_since != steady::time_point{} &&
                         seconds_since(r->refused_since) > std::min(refusal_seconds, options.cut_seconds);
    if (refused && r->relay == 0) {
      return fail(
          fmt::format("{} has ended: its host answers, but refuses connections at {} ({})", r->name, r->address, r->reason));
    }
    if (seconds_since(r->down_since) > options.cut_seconds) {
      return fail(fmt::format("{} has lost {}: the connection broke and was not restored within {} s ({})",
                              name_of(world.rank), r->name, options.cut_seconds, r->reason));
    }
  }
}

void endpoint_core::watch_peers() {
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    peer* p = peers_[rank].get();
    if (p == nullptr) continue;
    if (const std::uint64_t bytes = p->released.exchange(0); bytes > 0) p->pair->give_back(bytes);
    p->pair->acknowledge();
    const std::uint64_t done = p->pair->acknowledged();
    if (done != p->acknowledged || !p->pair->awaits_acknowledgement()) {
      p->acknowledged = done;
      p->moved = steady::now();
    }
    const route& r = *routes_[static_cast<std::size_t>(p->route)];
    if (seconds_since(p->moved) > resend_seconds && steady::now() > p->next_probe && r.open()) {
      p->next_probe = steady::now() + std::chrono::seconds(1);
      p->pair->probe();
    }
    const bool may_be_silent = (collation_.processes[rank].capabilities & polls) != 0;
    if (r.relay != 0 && seconds_since(p->moved) > options.cut_seconds && seconds_since(p->heard) > options.cut_seconds &&
        !may_be_silent && !finished_) {
      return fail(fmt::format("{} has lost {}: no acknowledgement within {} s", name_of(world.rank),
                              name_of(static_cast<int>(rank)), options.cut_seconds));
    }
    make_ready(static_cast<int>(rank));
  }
}

}  // namespace osteon::bridge::wire
