// Requests of the processes of a job to the start-up server, and answers of the server.
#include <fmt/format.h>

#include <algorithm>
#include <bridge/wire/servers/server_impl.hpp>
#include <cstring>

namespace osteon::bridge::wire {

std::string startup_server::impl::name(int rank) const {
  const registration& r = world.processes[static_cast<std::size_t>(rank)];
  return fmt::format("rank {} (cluster '{}', local rank {}, host {}, pid {})", rank,
                     world.names[static_cast<std::size_t>(r.cluster)], r.local_rank, r.host, r.pid);
}

void startup_server::impl::fail_all(const std::string& reason) {
  {
    const std::lock_guard lock(m);
    if (now == state::failed || now == state::finished) return;
    now = state::failed;
    failure = reason;
    failed_at = impl::clock::now();
  }
  for (server_member& x : members) x.stream.send(command::fail, reason);
  changed.notify_all();
}

void startup_server::impl::complete() {
  std::vector<registration> all;
  for (const server_member& x : members) {
    if (x.registered) all.push_back(x.entry);
  }
  std::sort(all.begin(), all.end(), [](const registration& a, const registration& b) {
    return std::pair(a.cluster, a.local_rank) < std::pair(b.cluster, b.local_rank);
  });
  const std::string id = random_bytes(world.job.size());
  std::memcpy(world.job.data(), id.data(), id.size());
  const std::lock_guard lock(m);  // until this call, relays may be set
  for (const expected_cluster& c : options.clusters) {
    world.names.push_back(c.name);
    world.relays.push_back(c.relay);
  }
  world.processes = std::move(all);
  const auto n = world.processes.size();
  lost.resize(n);
  away.assign(n, 0);
  parted.assign(n, 0);
  const std::string text = encode(world);
  for (server_member& x : members) {
    if (x.watches) x.stream.send(text);
    if (!x.registered) continue;
    for (std::size_t r = 0; r < n; ++r) {
      if (world.processes[r].cluster == x.entry.cluster && world.processes[r].local_rank == x.entry.local_rank) {
        x.rank = static_cast<int>(r);
      }
    }
    x.stream.send(text);
  }
  now = state::running;
  changed.notify_all();
}

void startup_server::impl::join(server_member& member) {
  if (now != state::joining) {
    member.stream.send(command::fail, failure.empty() ? "the job has already started: no process can join it now" : failure);
    return;
  }
  member.registered = true;
  std::vector<registration> registrations;
  std::vector<int> count(options.clusters.size());
  for (const server_member& x : members) {
    if (!x.registered) continue;
    registrations.push_back(x.entry);
    const int c = x.entry.cluster;
    if (c >= 0 && static_cast<std::size_t>(c) < count.size()) ++count[static_cast<std::size_t>(c)];
  }
  {
    const std::lock_guard lock(m);
    counts = count;
  }
  if (const std::string fault = diagnose(options.clusters, registrations, false); !fault.empty()) return fail_all(fault);
  bool all = true;
  for (std::size_t c = 0; c < options.clusters.size(); ++c) {
    int size = options.clusters[c].size;
    for (const registration& r : registrations) {
      if (size == 0 && static_cast<std::size_t>(r.cluster) == c) size = r.local_size;
    }
    all = all && size > 0 && count[c] == size;
  }
  if (all) complete();
}

void startup_server::impl::after_proof(server_member& member, const frame& f) {
  switch (f.kind) {
    case command::impi:
    case command::coll:
    case command::done:
      if (member.registered) break;
      if (const std::string bad = absorb(member.entry, f.kind, f.data); !bad.empty()) {
        member.stream.send(command::fail, bad);
      } else if (f.kind == command::done) {
        join(member);
      }
      break;
    case command::rejoin: {
      const auto* data = reinterpret_cast<const std::byte*>(f.data.data());
      const bool ours = now == state::running && f.data.size() == 20 && std::memcmp(data, world.job.data(), 16) == 0;
      const int rank = ours ? get<std::int32_t>(data + 16) : -1;
      if (rank < 0 || static_cast<std::size_t>(rank) >= world.processes.size()) {
        member.stream.send(command::fail, failure.empty() ? "unknown job: this server serves another job" : failure);
        break;
      }
      for (server_member& x : members) {
        if (x.rank == rank) x.rank = -1;  // this connection is broken, but the break has not yet been detected
      }
      member.rank = rank;
      member.registered = true;
      away[static_cast<std::size_t>(rank)] = 0;
      member.stream.send(command::ping);
      break;
    }
    case command::watch:
      member.watches = true;
      if (now == state::running) member.stream.send(encode(world));
      if (now == state::failed) member.stream.send(command::fail, failure);
      break;
    case command::ping:
      member.stream.send(command::ping);
      break;
    case command::abort:
      fail_all(f.data.substr(0, 65536));
      break;
    case command::fini:
      if (member.rank >= 0) parted[static_cast<std::size_t>(member.rank)] = 1;
      member.stream.send(command::fini);
      break;
    default:
      break;
  }
}

void startup_server::impl::handle(server_member& member, const frame& f) {
  if (member.proved) return after_proof(member, f);
  if (f.kind != command::auth)
    return member.stream.send(command::fail, "authentication is required before any other command");
  if (member.nonce.empty()) {
    member.nonce = random_bytes(32);
    member.other_nonce = f.data;
    return member.stream.send(command::challenge, member.nonce);
  }
  if (!same_secret(f.data, proof(options.key, "process", member.nonce, member.other_nonce))) {
    refuse(member, "has another job key");
    return member.stream.send(command::fail, "wrong job key: this process and the server have different keys");
  }
  member.proved = true;
  member.stream.trust();
  member.stream.send(command::auth, proof(options.key, "server", member.nonce, member.other_nonce));
}

void startup_server::impl::refuse(const server_member& member, const std::string& reason) {
  const std::lock_guard lock(m);
  last_refusal = fmt::format("{}: {}", member.address, reason.empty() ? "ended before authentication" : reason);
}

}  // namespace osteon::bridge::wire
