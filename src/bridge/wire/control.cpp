// The endpoint's connection to the start-up server.
#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <bridge/wire/endpoint_core.hpp>

namespace osteon::bridge::wire {

void endpoint_core::dial_server() {
  std::string why;
  descriptor fd = dial(how.server, how, why);
  if (!fd) {
    control_why_ = why;
    control_next_ = steady::now() + std::chrono::milliseconds(500);
    return;
  }
  control_ = std::make_unique<frame_stream>(channel(std::move(fd), tls_.get(), side::dialled), max_frame);
  epoll_event e{};
  e.events = EPOLLIN | EPOLLOUT;
  e.data.u64 = 2;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, control_->fd(), &e);
  nonce_ = random_bytes(32);
  control_->send(command::auth, nonce_);
  control_state_ = control_state::dialled;
}

void endpoint_core::handle_control(const frame& f) {
  if (f.what == command::fail) return fail(f.data, false);
  if (control_state_ == control_state::dialled && f.what == command::challenge) {
    server_nonce_ = f.data;
    control_->send(command::auth, proof(how.key, "process", server_nonce_, nonce_));
    control_state_ = control_state::proving;
  } else if (control_state_ == control_state::proving && f.what == command::auth) {
    if (!same_secret(f.data, proof(how.key, "server", server_nonce_, nonce_))) {
      return fail(fmt::format("what answers at {} does not know the job key: it is not this job's server", how.server),
                  false);
    }
    control_state_ = control_state::open;
    if (joined_) {
      std::string data(reinterpret_cast<const char*>(job_.data()), job_.size());
      std::byte rank[4];
      put(rank, static_cast<std::int32_t>(world.rank));
      control_->send(command::rejoin, data + std::string(reinterpret_cast<const char*>(rank), 4));
      return;
    }
    registration r;
    r.cluster = how.cluster;
    r.local_rank = how.local_rank;
    r.local_size = how.local_size;
    r.short_bytes = static_cast<std::int32_t>(how.short_bytes);
    r.eager_bytes = static_cast<std::int64_t>(how.eager_bytes);
    r.ackmark = how.ackmark;
    r.hiwater = how.hiwater;
    r.port = port_;
    r.pid = getpid();
    r.host = host_name();
    r.address = advertised_address(how, r.host, own_address(control_->fd()));
    r.facts = facts_;
    r.representation = representation_here();
    r.capabilities = (how.address.empty() ? 0U : address_given) | (how.progress == progress_mode::polling ? polls : 0U);
#ifdef OSTEON_WIRE_ZSTD
    r.capabilities |= can_zstd;
#endif
    control_->send(encode(r));
  } else if (control_state_ == control_state::open && f.what == command::fini) {
    server_parted_ = true;
    event();
  } else if (control_state_ == control_state::open && !joined_ && f.what != command::ping) {
    if (const std::string bad = absorb(told_, f.what, f.data); !bad.empty()) return fail(bad);
    if (f.what == command::done) joined_ = true;
  }
}

void endpoint_core::serve_control() {
  if (!control_) {
    if (steady::now() >= control_next_ && !server_parted_) dial_server();
    if (!control_) return;
  }
  control_->pump();
  while (auto f = control_->next()) handle_control(*f);
  control_->pump();
  if (control_->ended()) {
    control_why_ = control_->why().empty() ? "the connection was closed" : control_->why();
    if (!joined_ && control_state_ == control_state::open) control_why_ += " before all had joined";
    const bool reached =
        control_why_.find("refused") == std::string::npos && control_why_.find("timed out") == std::string::npos &&
        control_why_.find("route") == std::string::npos && control_why_.find("unreachable") == std::string::npos;
    const bool keyless = !joined_ && control_state_ != control_state::open && reached;
    if (keyless && failure_.empty() && seconds_since(control_lost_) > 0.2) {
      fail(fmt::format(
               "the server at {} did not let this process in: {}. Usual causes: another job key, tls on one side only, "
               "or another program on that port",
               how.server, control_why_),
           false);
    }
    if (control_state_ == control_state::open) control_lost_ = steady::now();
    control_.reset();
    control_state_ = control_state::away;
    control_next_ = steady::now() + std::chrono::milliseconds(300);
    return;
  }
  epoll_event e{};
  e.events = EPOLLIN | (control_->wants_writable() ? std::uint32_t{EPOLLOUT} : 0U);
  e.data.u64 = 2;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, control_->fd(), &e);
}

void endpoint_core::join_server() {
  if (how.relay.empty()) {
    std::tie(listener_, port_) = listen_on(how.ports);
    epoll_event e{};
    e.events = EPOLLIN;
    e.data.u64 = 3;
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener_.get(), &e);
  }
  const auto began = steady::now();
  control_lost_ = began;
  while (!joined_) {
    {
      const std::lock_guard lock(m_);
      serve_control();
      if (!failure_.empty()) throw link_error(failure_);
    }
    if (joined_) break;
    // The server ends the wait itself and knows more; this is for the case that it cannot be reached.
    if (seconds_since(began) > how.join_seconds + (control_state_ == control_state::open ? 5 : 0)) {
      throw link_error(fmt::format(
          "cluster {}, local rank {} (host {}): no answer from the start-up server at {} within {} s: {}", how.cluster,
          how.local_rank, host_name(), how.server, how.join_seconds, control_why_.empty() ? "no route?" : control_why_));
    }
    turn(50);
  }
}

void endpoint_core::learn_world() {
  job_ = told_.job;
  for (std::size_t r = 0; r < told_.processes.size(); ++r) {
    const registration& p = told_.processes[r];
    world.processes.push_back({p.cluster, p.local_rank, p.pid, p.host, p.facts, p.representation});
    if (p.cluster == how.cluster && p.local_rank == how.local_rank) world.rank = static_cast<int>(r);
  }
  world.cluster = how.cluster;
  for (std::size_t c = 0; c < told_.names.size(); ++c) {
    cluster_info info{told_.names[c], 0, 0};
    for (std::size_t r = told_.processes.size(); r-- > 0;) {
      if (told_.processes[r].cluster != static_cast<int>(c)) continue;
      info.first_rank = static_cast<int>(r);
      ++info.size;
    }
    world.clusters.push_back(info);
  }
  peers_.resize(told_.processes.size());
  for (std::size_t r = 0; r < told_.processes.size(); ++r) {
    const registration& p = told_.processes[r];
    if (p.cluster == how.cluster) continue;
    pair_limits limits;
    // Each pair takes the smaller of what both ends allow.
    limits.short_bytes = std::min(how.short_bytes, static_cast<std::size_t>(std::max(p.short_bytes, 1)));
    limits.eager_bytes = std::min(how.eager_bytes, static_cast<std::size_t>(std::max<std::int64_t>(p.eager_bytes, 0)));
    limits.hiwater = static_cast<std::uint64_t>(std::max(1, std::min(how.hiwater, p.hiwater)));
    limits.ackmark = std::min(limits.hiwater, static_cast<std::uint64_t>(std::max(1, std::min(how.ackmark, p.ackmark))));
    peers_[r] = std::make_unique<peer>();
    peers_[r]->pair = std::make_unique<pair_protocol>(world.rank, static_cast<int>(r), limits);
  }
}

}  // namespace osteon::bridge::wire
