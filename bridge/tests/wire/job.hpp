#pragma once
/// @file
/// A joined job inside one test process. The job consists of a server and of an endpoint for each rank. Each endpoint joins
/// in a thread of its own.
#include <bridge/wire/link.hpp>
#include <bridge/wire/servers/server.hpp>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace test {

namespace wire = osteon::bridge::wire;

struct job {
  std::unique_ptr<wire::startup_server> server;
  std::vector<std::unique_ptr<wire::endpoint>> ranks;
};

using adjust = std::function<void(wire::settings&, int cluster, int local_rank)>;

inline wire::settings settings_for(const wire::startup_server& server, int cluster, int local, int size, bool tls) {
  wire::settings s;
  s.server = "127.0.0.1:" + std::to_string(server.port());
  s.key = "a key of the tests, long enough";
  s.tls = tls;
  s.cluster = cluster;
  s.local_rank = local;
  s.local_size = size;
  s.join_seconds = 5;
  s.cut_seconds = 3;
  s.heartbeat_seconds = 0.5;
  return s;
}

inline std::unique_ptr<wire::startup_server> start_server(const std::vector<int>& sizes, bool tls,
                                                          const std::vector<std::string>& relays = {}) {
  wire::server_settings s;
  s.key = "a key of the tests, long enough";
  s.tls = tls;
  s.host = "127.0.0.1";
  s.join_seconds = 3;
  s.cut_seconds = 3;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    s.clusters.push_back({std::string(1, static_cast<char>('a' + c)), sizes[c], c < relays.size() ? relays[c] : ""});
  }
  return std::make_unique<wire::startup_server>(s);
}

/// Join all ranks of clusters with these sizes. @throws the exception of the first failed rank
inline job join(const std::vector<int>& sizes, bool tls, const adjust& change = {},
                const std::vector<std::string>& relays = {}) {
  job j;
  j.server = start_server(sizes, tls, relays);
  std::vector<std::future<std::unique_ptr<wire::endpoint>>> all;
  for (int c = 0; c < static_cast<int>(sizes.size()); ++c) {
    for (int l = 0; l < sizes[static_cast<std::size_t>(c)]; ++l) {
      wire::settings s = settings_for(*j.server, c, l, sizes[static_cast<std::size_t>(c)], tls);
      if (change) change(s, c, l);
      all.push_back(std::async(std::launch::async, [s] { return wire::endpoint::join(s, "facts"); }));
    }
  }
  for (auto& f : all) j.ranks.push_back(f.get());
  return j;
}

inline void close(job& j) {
  std::vector<std::future<void>> all;
  for (auto& r : j.ranks) all.push_back(std::async(std::launch::async, [&r] { r->close(); }));
  for (auto& f : all) f.get();
}

inline std::vector<std::byte> pattern(std::size_t n, unsigned seed) {
  std::vector<std::byte> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::byte>((i * 31 + seed * 17 + (i >> 8)) & 0xff);
  return v;
}

/// Return the next message. If no message arrives within `seconds`, the test fails.
inline wire::message next(wire::endpoint& e, double seconds = 5) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const auto seen = e.events();
    if (auto m = e.take()) return std::move(*m);
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("no message came in time");
    e.wait_event(seen, 0.2);
  }
}

}  // namespace test
