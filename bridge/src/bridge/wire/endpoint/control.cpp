// The connection between the endpoint and the start-up server.
#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <bridge/wire/endpoint/endpoint_core.hpp>

namespace osteon::bridge::wire {

/// Listen at the address that other processes receive. If this address belongs to this machine, listen only at this address.
void endpoint_core::listen_at(const std::string& host) {
  const std::string where = own_numeric(host);
  if (listener_ && where == listens_on_) return;
  listener_.close();
  std::tie(listener_, port_) = listen_on(options.ports, where);
  listens_on_ = where;
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u64 = 3;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener_.get(), &e);
  listening_ = true;
}

std::string endpoint_core::introduction(const frame_stream& stream) {
  if (joined_) {
    std::string data(reinterpret_cast<const char*>(job_.data()), job_.size());
    std::byte rank[4];
    put(rank, static_cast<std::int32_t>(world.rank));
    return encode(frame{command::rejoin, data + std::string(reinterpret_cast<const char*>(rank), 4)});
  }
  registration r;
  r.cluster = options.cluster;
  r.local_rank = options.local_rank;
  r.local_size = options.local_size;
  r.short_bytes = static_cast<std::int32_t>(options.short_bytes);
  r.eager_bytes = static_cast<std::int64_t>(options.eager_bytes);
  r.ackmark = options.ackmark;
  r.hiwater = options.hiwater;
  r.pid = getpid();
  r.host = host_name();
  r.address = advertised_address(options, r.host, own_address(stream.fd()));
  const auto colon = r.address.find(':');
  const bool forwarded = colon != std::string::npos && r.address.rfind(':') == colon;  // with NAT, another port is forwarded
  if (options.relay.empty()) listen_at(forwarded ? "" : r.address);
  r.port = port_;
  if (forwarded) {
    const host_port outside = split_address(r.address);
    r.address = outside.host;
    r.port = outside.port;
  }
  r.facts = facts_;
  r.representation = representation_here();
  r.capabilities =
      (options.address.empty() ? 0U : address_given) | (options.progress == progress_mode::polling ? polls : 0U);
#ifdef OSTEON_WIRE_ZSTD
  r.capabilities |= can_zstd;
#endif
  return encode(r);
}

void endpoint_core::handle_control(const frame& f) {
  if (f.kind == command::fail) return fail(f.data, false);
  if (f.kind == command::fini) {
    server_parted_ = true;
    event();
  } else if (!joined_ && f.kind != command::ping) {
    if (const std::string bad = absorb(collation_, f.kind, f.data); !bad.empty()) return fail(bad);
    joined_ = f.kind == command::done;
  }
}

void endpoint_core::serve_control() {
  if (server_parted_) return;
  control_.serve([this](const frame& f) { handle_control(f); });
  if (!control_.refusal().empty()) fail(control_.refusal(), false);
  if (control_.fd() < 0) return;
  epoll_event e{};
  e.events = EPOLLIN | (control_.wants_writable() ? std::uint32_t{EPOLLOUT} : 0U);
  e.data.u64 = 2;
  const bool fresh = control_.generation() != control_known_;
  control_known_ = control_.generation();
  epoll_ctl(epoll_.get(), fresh ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, control_.fd(), &e);
}

void endpoint_core::join_server() {
  const auto began = steady::now();
  for (;;) {
    {
      const std::lock_guard lock(m_);
      serve_control();
      if (!failure_.empty()) throw link_error(failure_);
      if (joined_) return;
    }
    // Usually, the server ends the wait and reports more details. This time limit is for an unreachable server.
    if (seconds_since(began) > options.join_seconds + (control_.open() ? 5 : 0)) {
      throw link_error(
          fmt::format("cluster {}, local rank {} (host {}): no answer from the start-up server at {} within {} s: {}",
                      options.cluster, options.local_rank, host_name(), options.server, options.join_seconds,
                      control_.reason().empty() ? "no route?" : control_.reason()));
    }
    turn(0.05);
  }
}

void endpoint_core::learn_world() {
  job_ = collation_.job;
  for (std::size_t r = 0; r < collation_.processes.size(); ++r) {
    const registration& p = collation_.processes[r];
    world.processes.push_back({p.cluster, p.local_rank, p.pid, p.host, p.facts, p.representation});
    if (p.cluster == options.cluster && p.local_rank == options.local_rank) world.rank = static_cast<int>(r);
  }
  world.cluster = options.cluster;
  for (std::size_t c = 0; c < collation_.names.size(); ++c) {
    cluster_info info{collation_.names[c], 0, 0};
    for (std::size_t r = collation_.processes.size(); r-- > 0;) {
      if (collation_.processes[r].cluster != static_cast<int>(c)) continue;
      info.first_rank = static_cast<int>(r);
      ++info.size;
    }
    world.clusters.push_back(info);
  }
  peers_.resize(collation_.processes.size());
  for (std::size_t r = 0; r < collation_.processes.size(); ++r) {
    const registration& p = collation_.processes[r];
    if (p.cluster == options.cluster) continue;
    pair_limits limits;
    // Each pair uses the smaller of the limits at both ends.
    limits.short_bytes = std::min(options.short_bytes, static_cast<std::size_t>(std::max(p.short_bytes, 1)));
    limits.eager_bytes = std::min(options.eager_bytes, static_cast<std::size_t>(std::max<std::int64_t>(p.eager_bytes, 0)));
    limits.hiwater = static_cast<std::uint64_t>(std::max(1, std::min(options.hiwater, p.hiwater)));
    limits.ackmark = std::min(limits.hiwater, static_cast<std::uint64_t>(std::max(1, std::min(options.ackmark, p.ackmark))));
    peers_[r] = std::make_unique<peer>();
    peers_[r]->pair = std::make_unique<pair_protocol>(world.rank, static_cast<int>(r), limits);
  }
}

}  // namespace osteon::bridge::wire
