#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <bridge/wire/frame_stream.hpp>
#include <bridge/wire/server.hpp>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>

namespace osteon::bridge::wire {
namespace {

using clock = std::chrono::steady_clock;
double since(clock::time_point t) { return std::chrono::duration<double>(clock::now() - t).count(); }

/// A connection to a process, from its first byte to FINI.
struct member {
  explicit member(frame_stream s) : stream(std::move(s)), address(other_address(stream.fd())) {}
  frame_stream stream;
  std::string address;
  std::string nonce, other_nonce;
  bool proved = false, registered = false, watches = false;
  registration told;
  int rank = -1;  ///< world rank, once the world is complete
  clock::time_point began = clock::now();
};

constexpr double handshake_seconds = 10;

}  // namespace

struct startup_server::impl {
  server_settings how;
  std::unique_ptr<tls_context> tls;
  descriptor listener, wake;
  std::uint16_t port = 0;
  std::list<member> members;
  collation world;
  std::vector<clock::time_point> lost;  ///< by world rank: since when its connection is away
  std::vector<char> away, parted;
  std::vector<int> counts;  ///< by cluster: registered
  clock::time_point began = clock::now(), failed_at;
  std::string last_refusal;
  mutable std::mutex m;
  std::condition_variable changed;
  state now = state::joining;
  std::string failure, asked;  ///< `asked`: failure from outside, not yet told
  bool stop = false, gone = false;
  std::thread thread;

  void serve();
  void handle(member& who, const frame& f);
  void after_proof(member& who, const frame& f);
  void join(member& who);
  void complete();
  void fail_all(const std::string& why);
  void refuse(const member& who, const std::string& why);
  void watch();
  std::string name(int rank) const;
  settings socket_settings() const {
    settings s;
    s.cut_seconds = how.cut_seconds;
    return s;
  }
};

std::string startup_server::impl::name(int rank) const {
  const registration& r = world.processes[static_cast<std::size_t>(rank)];
  return fmt::format("rank {} (cluster '{}', local rank {}, host {}, pid {})", rank,
                     world.names[static_cast<std::size_t>(r.cluster)], r.local_rank, r.host, r.pid);
}

void startup_server::impl::fail_all(const std::string& why) {
  {
    const std::lock_guard lock(m);
    if (now == state::failed || now == state::finished) return;
    now = state::failed;
    failure = why;
    failed_at = clock::now();
  }
  for (member& x : members) x.stream.send(command::fail, why);
  changed.notify_all();
}

void startup_server::impl::complete() {
  std::vector<registration> all;
  for (const member& x : members) {
    if (x.registered) all.push_back(x.told);
  }
  std::sort(all.begin(), all.end(), [](const registration& a, const registration& b) {
    return std::pair(a.cluster, a.local_rank) < std::pair(b.cluster, b.local_rank);
  });
  const std::string id = random_bytes(world.job.size());
  std::memcpy(world.job.data(), id.data(), id.size());
  const std::lock_guard lock(m);  // relays may be named until now
  for (const expected_cluster& c : how.clusters) {
    world.names.push_back(c.name);
    world.relays.push_back(c.relay);
  }
  world.processes = std::move(all);
  const auto n = world.processes.size();
  lost.resize(n);
  away.assign(n, 0);
  parted.assign(n, 0);
  const std::string text = encode(world);
  for (member& x : members) {
    if (x.watches) x.stream.send(text);
    if (!x.registered) continue;
    for (std::size_t r = 0; r < n; ++r) {
      if (world.processes[r].cluster == x.told.cluster && world.processes[r].local_rank == x.told.local_rank) {
        x.rank = static_cast<int>(r);
      }
    }
    x.stream.send(text);
  }
  now = state::running;
  changed.notify_all();
}

void startup_server::impl::join(member& who) {
  if (now != state::joining) {
    who.stream.send(command::fail, failure.empty() ? "the job has already begun: no process can join it now" : failure);
    return;
  }
  who.registered = true;
  std::vector<registration> come;
  std::vector<int> count(how.clusters.size());
  for (const member& x : members) {
    if (!x.registered) continue;
    come.push_back(x.told);
    const int c = x.told.cluster;
    if (c >= 0 && static_cast<std::size_t>(c) < count.size()) ++count[static_cast<std::size_t>(c)];
  }
  {
    const std::lock_guard lock(m);
    counts = count;
  }
  if (const std::string fault = diagnose(how.clusters, come, false); !fault.empty()) return fail_all(fault);
  bool all = true;
  for (std::size_t c = 0; c < how.clusters.size(); ++c) {
    int size = how.clusters[c].size;
    for (const registration& r : come) {
      if (size == 0 && static_cast<std::size_t>(r.cluster) == c) size = r.local_size;
    }
    all = all && size > 0 && count[c] == size;
  }
  if (all) complete();
}

void startup_server::impl::after_proof(member& who, const frame& f) {
  switch (f.what) {
    case command::impi:
    case command::coll:
    case command::done:
      if (who.registered) break;
      if (const std::string bad = absorb(who.told, f.what, f.data); !bad.empty()) {
        who.stream.send(command::fail, bad);
      } else if (f.what == command::done) {
        join(who);
      }
      break;
    case command::rejoin: {
      const auto* data = reinterpret_cast<const std::byte*>(f.data.data());
      const bool ours = now == state::running && f.data.size() == 20 && std::memcmp(data, world.job.data(), 16) == 0;
      const int rank = ours ? get<std::int32_t>(data + 16) : -1;
      if (rank < 0 || static_cast<std::size_t>(rank) >= world.processes.size()) {
        who.stream.send(command::fail, failure.empty() ? "this job is not known here" : failure);
        break;
      }
      for (member& x : members) {
        if (x.rank == rank) x.rank = -1;  // a connection that is not yet known to be dead
      }
      who.rank = rank;
      who.registered = true;
      away[static_cast<std::size_t>(rank)] = 0;
      who.stream.send(command::ping);
      break;
    }
    case command::watch:
      who.watches = true;
      if (now == state::running) who.stream.send(encode(world));
      if (now == state::failed) who.stream.send(command::fail, failure);
      break;
    case command::ping:
      who.stream.send(command::ping);
      break;
    case command::abort:
      fail_all(f.data.substr(0, 65536));
      break;
    case command::fini:
      if (who.rank >= 0) parted[static_cast<std::size_t>(who.rank)] = 1;
      who.stream.send(command::fini);
      break;
    default:
      break;
  }
}

void startup_server::impl::handle(member& who, const frame& f) {
  if (who.proved) return after_proof(who, f);
  if (f.what != command::auth) return who.stream.send(command::fail, "authentication comes first");
  if (who.nonce.empty()) {
    who.nonce = random_bytes(32);
    who.other_nonce = f.data;
    return who.stream.send(command::challenge, who.nonce);
  }
  if (!same_secret(f.data, proof(how.key, "process", who.nonce, who.other_nonce))) {
    refuse(who, "has another job key");
    return who.stream.send(command::fail, "wrong job key: this process and the server were given different ones");
  }
  who.proved = true;
  who.stream.trust();
  who.stream.send(command::auth, proof(how.key, "server", who.nonce, who.other_nonce));
}

void startup_server::impl::refuse(const member& who, const std::string& why) {
  const std::lock_guard lock(m);
  last_refusal = fmt::format("{}: {}", who.address, why.empty() ? "ended before it was known" : why);
}

/// Time-outs, connections that ended, the end of the job.
void startup_server::impl::watch() {
  for (auto x = members.begin(); x != members.end();) {
    const bool late = !x->proved && since(x->began) > handshake_seconds;
    if (!x->stream.ended() && !late) {
      ++x;
      continue;
    }
    if (!x->proved) refuse(*x, x->stream.why());
    if (x->rank >= 0 && parted[static_cast<std::size_t>(x->rank)] == 0) {
      away[static_cast<std::size_t>(x->rank)] = 1;
      lost[static_cast<std::size_t>(x->rank)] = clock::now();
    }
    const bool joiner_left = x->registered && now == state::joining;
    const registration told = x->told;
    x = members.erase(x);
    if (joiner_left) {
      fail_all(fmt::format("local rank {} of cluster '{}' (host {}, pid {}) ended before all had joined", told.local_rank,
                           how.clusters[static_cast<std::size_t>(told.cluster)].name, told.host, told.pid));
    }
  }
  if (now == state::joining && since(began) > how.join_seconds) {
    std::vector<registration> come;
    for (const member& x : members) {
      if (x.registered) come.push_back(x.told);
    }
    std::string fault = diagnose(how.clusters, come, true);
    if (fault.empty()) fault = "not all processes have joined";
    fault += fmt::format(" (time to join: {} s)", how.join_seconds);
    if (!last_refusal.empty()) fault += fmt::format("\na connection was refused: {}", last_refusal);
    fail_all(fault);
  }
  if (now != state::running) return;
  for (std::size_t r = 0; r < away.size(); ++r) {
    if (away[r] != 0 && since(lost[r]) > how.cut_seconds) {
      return fail_all(fmt::format("{} has gone: its connection to the server ended and did not come back within {} s",
                                  name(static_cast<int>(r)), how.cut_seconds));
    }
  }
  if (!parted.empty() && std::find(parted.begin(), parted.end(), 0) == parted.end()) {
    for (member& x : members) {
      if (x.watches) x.stream.send(command::fini);
    }
    const std::lock_guard lock(m);
    now = state::finished;
    changed.notify_all();
  }
}

void startup_server::impl::serve() {
  for (;;) {
    std::vector<pollfd> fds{{listener.get(), POLLIN, 0}, {wake.get(), POLLIN, 0}};
    for (member& x : members) {
      fds.push_back({x.stream.fd(), static_cast<short>(POLLIN | (x.stream.wants_writable() ? POLLOUT : 0)), 0});
    }
    poll(fds.data(), fds.size(), 100);
    std::string outside;
    {
      const std::lock_guard lock(m);
      outside.swap(asked);
    }
    if (!outside.empty()) fail_all(outside);
    if (fds[1].revents != 0) {
      std::uint64_t n = 0;
      if (read(wake.get(), &n, sizeof n) < 0) n = 0;
    }
    while (descriptor fd = accept_one(listener.get(), socket_settings())) {
      members.emplace_back(frame_stream(channel(std::move(fd), tls.get(), side::accepted)));
    }
    for (member& x : members) {
      x.stream.pump();
      while (auto f = x.stream.next()) handle(x, *f);
      x.stream.pump();
    }
    watch();
    const bool told = std::all_of(members.begin(), members.end(), [](const member& x) { return x.stream.flushed(); });
    const std::lock_guard lock(m);
    const bool over = now == state::finished || now == state::failed;
    if ((over && told) || (now == state::failed && since(failed_at) > 2)) {
      gone = true;
      changed.notify_all();
    }
    if (stop) break;
  }
}

startup_server::startup_server(server_settings s) : impl_(std::make_unique<impl>()) {
  impl_->how = std::move(s);
  if (impl_->how.tls) impl_->tls = std::make_unique<tls_context>(impl_->how.key);
  impl_->counts.assign(impl_->how.clusters.size(), 0);
  std::tie(impl_->listener, impl_->port) = listen_on(impl_->how.ports, impl_->how.host);
  impl_->wake = descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  // Signals are for the thread that waits for them.
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
  impl_->how.clusters.at(static_cast<std::size_t>(cluster)).relay = address;
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

void startup_server::fail(const std::string& why) {
  {
    const std::lock_guard lock(impl_->m);
    if (impl_->asked.empty()) impl_->asked = why;
  }
  eventfd_write(impl_->wake.get(), 1);
}

bool startup_server::wait(double seconds) {
  std::unique_lock lock(impl_->m);
  return impl_->changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return impl_->gone; });
}

}  // namespace osteon::bridge::wire
