#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <bridge/wire/guests.hpp>
#include <bridge/wire/servers/server_impl.hpp>

namespace osteon::bridge::wire {
namespace {

using clock = std::chrono::steady_clock;
double since(clock::time_point t) { return std::chrono::duration<double>(clock::now() - t).count(); }

}  // namespace

/// Process time-outs, ended connections, and the end of the job.
void startup_server::impl::watch() {
  const double patience = guest_seconds(guests());
  for (auto x = members.begin(); x != members.end();) {
    const bool late = !x->proved && since(x->began) > patience;
    if (!x->stream.ended() && !late) {
      ++x;
      continue;
    }
    if (!x->proved) refuse(*x, x->stream.reason());
    if (x->rank >= 0 && parted[static_cast<std::size_t>(x->rank)] == 0) {
      away[static_cast<std::size_t>(x->rank)] = 1;
      lost[static_cast<std::size_t>(x->rank)] = clock::now();
    }
    const bool joiner_left = x->registered && now == state::joining;
    const registration entry = x->entry;
    x = members.erase(x);
    if (joiner_left) {
      fail_all(fmt::format("local rank {} of cluster '{}' (host {}, pid {}) ended before all had joined", entry.local_rank,
                           options.clusters[static_cast<std::size_t>(entry.cluster)].name, entry.host, entry.pid));
    }
  }
  if (now == state::joining && since(began) > options.join_seconds) {
    std::vector<registration> registrations;
    for (const server_member& x : members) {
      if (x.registered) registrations.push_back(x.entry);
    }
    std::string fault = diagnose(options.clusters, registrations, true);
    if (fault.empty()) fault = "not all processes have joined";
    fault += fmt::format(" (time to join: {} s)", options.join_seconds);
    if (!last_refusal.empty()) fault += fmt::format("\na connection was rejected: {}", last_refusal);
    fail_all(fault);
  }
  if (now != state::running) return;
  for (std::size_t r = 0; r < away.size(); ++r) {
    if (away[r] != 0 && since(lost[r]) > options.cut_seconds) {
      return fail_all(fmt::format("{} is lost: its connection to the server ended and was not restored within {} s",
                                  name(static_cast<int>(r)), options.cut_seconds));
    }
  }
  if (!parted.empty() && std::find(parted.begin(), parted.end(), 0) == parted.end()) {
    for (server_member& x : members) {
      if (x.watches) x.stream.send(command::fini);
    }
    const std::lock_guard lock(m);
    now = state::finished;
    changed.notify_all();
  }
}

std::size_t startup_server::impl::guests() const {
  return static_cast<std::size_t>(std::count_if(members.begin(), members.end(), [](const auto& x) { return !x.proved; }));
}

void startup_server::impl::serve() {
  bool may_accept = true;
  for (;;) {
    const bool room = std::exchange(may_accept, true) && guests() < most_guests;
    std::vector<pollfd> fds{{listener.get(), static_cast<short>(room ? POLLIN : 0), 0}, {wake.get(), POLLIN, 0}};
    int wait_ms = 100;
    for (server_member& x : members) {
      fds.push_back({x.stream.fd(), static_cast<short>(POLLIN | (x.stream.wants_writable() ? POLLOUT : 0)), 0});
      if (x.stream.unfinished()) wait_ms = 0;
    }
    poll(fds.data(), fds.size(), wait_ms);
    std::string outside;
    {
      const std::lock_guard lock(m);
      outside.swap(outside_failure);
    }
    if (!outside.empty()) fail_all(outside);
    if (fds[1].revents != 0) {
      std::uint64_t n = 0;
      if (read(wake.get(), &n, sizeof n) < 0) n = 0;
    }
    for (std::size_t n = guests(); n < most_guests; ++n) {
      descriptor fd = accept_one(listener.get(), socket_settings(), &may_accept);
      if (!fd) break;
      members.emplace_back(frame_stream(channel(std::move(fd), tls.get(), side::accepted)));
    }
    for (server_member& x : members) {
      x.stream.serve([&](const frame& f) { handle(x, f); });
    }
    watch();
    const bool notified =
        std::all_of(members.begin(), members.end(), [](const server_member& x) { return x.stream.flushed(); });
    const std::lock_guard lock(m);
    const bool over = now == state::finished || now == state::failed;
    if ((over && notified) || (now == state::failed && since(failed_at) > 2)) {
      gone = true;
      changed.notify_all();
    }
    if (stop) break;
  }
}

startup_server::startup_server(server_settings s) : impl_(std::make_unique<impl>()) {
  impl_->options = std::move(s);
  if (impl_->options.tls) impl_->tls = std::make_unique<tls_context>(impl_->options.key);
  impl_->counts.assign(impl_->options.clusters.size(), 0);
  std::tie(impl_->listener, impl_->port) = listen_on(impl_->options.ports, impl_->options.host);
  impl_->wake = descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  // Signals are delivered to a thread that waits for signals.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  impl_->thread = std::thread([this] { impl_->serve(); });
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

startup_server::~startup_server() {
  {
    const std::lock_guard lock(impl_->m);
    impl_->stop = true;
  }
  eventfd_write(impl_->wake.get(), 1);
  impl_->thread.join();
}

std::uint16_t startup_server::port() const { return impl_->port; }

void startup_server::set_relay(int cluster, const std::string& address) {
  const std::lock_guard lock(impl_->m);
  impl_->options.clusters.at(static_cast<std::size_t>(cluster)).relay = address;
}

startup_server::state startup_server::now() const {
  const std::lock_guard lock(impl_->m);
  return impl_->now;
}

std::string startup_server::failure() const {
  const std::lock_guard lock(impl_->m);
  return impl_->failure;
}

std::string startup_server::refusal() const {
  const std::lock_guard lock(impl_->m);
  return impl_->last_refusal;
}

int startup_server::joined(int cluster) const {
  const std::lock_guard lock(impl_->m);
  return impl_->counts.at(static_cast<std::size_t>(cluster));
}

void startup_server::fail(const std::string& reason) {
  {
    const std::lock_guard lock(impl_->m);
    if (impl_->outside_failure.empty()) impl_->outside_failure = reason;
  }
  eventfd_write(impl_->wake.get(), 1);
}

bool startup_server::wait(double seconds) {
  std::unique_lock lock(impl_->m);
  return impl_->changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return impl_->gone; });
}

}  // namespace osteon::bridge::wire
