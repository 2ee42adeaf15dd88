// Usage: wire_bench WHAT [ONE_WAY_MS] [MBIT]. The program measures the link between clusters, and plain TCP, over a
// wide-area link. The wide-area link is emulated in user space (wan.hpp). The program prints one line of JSON for each
// measurement. docs/reference/performance.md contains results.
//   latency    ping-pong of 8 bytes: plain TCP, then the link with thread and with polling
//   software   latency without wake-ups of the machine: one thread polls both ends, and the emulated link also polls
//   bandwidth  one way, windows of 16 messages of 1 MiB: plain TCP, then the link plain, with TLS, with 4 streams
//   slow       memory of a receiver that does not read
//   cut        recovery time of the link after a cut of one second
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <wire/job.hpp>
#include <wire/wan.hpp>

using namespace osteon::bridge::wire;

namespace {

using clock_type = std::chrono::steady_clock;
double since(clock_type::time_point t) { return std::chrono::duration<double>(clock_type::now() - t).count(); }

std::string free_port() { return std::to_string(listen_on("", "127.0.0.1").second); }

/// A plain, blocking TCP connection through the emulated link.
struct plain {
  explicit plain(test::wan_settings s) {
    auto [listener, port] = listen_on("", "127.0.0.1");
    link = std::make_unique<test::wan>("127.0.0.1:" + std::to_string(port), s);
    const settings options;
    std::string reason;
    a = dial("127.0.0.1:" + std::to_string(link->port()), options, reason);
    while (!b) b = accept_one(listener.get(), options);
  }
  static void all(int fd, char* data, std::size_t n, bool sending) {
    for (std::size_t at = 0; at < n;) {
      const ssize_t k = sending ? send(fd, data + at, n - at, MSG_NOSIGNAL) : recv(fd, data + at, n - at, 0);
      if (k > 0) {
        at += static_cast<std::size_t>(k);
        continue;
      }
      pollfd p{fd, static_cast<short>(sending ? POLLOUT : POLLIN), 0};
      poll(&p, 1, 1000);
    }
  }
  std::unique_ptr<test::wan> link;
  descriptor a, b;
};

struct linked {
  linked(test::wan_settings s, const test::adjust& change, bool tls) {
    const std::string port = free_port();
    link = std::make_unique<test::wan>("127.0.0.1:" + port, s);
    j = test::join({1, 1}, tls, [&](settings& x, int cluster, int local) {
      if (cluster == 0) {
        x.ports = port;
        x.address = "127.0.0.1:" + std::to_string(link->port());
      }
      x.heartbeat_seconds = 1;
      x.cut_seconds = 20;
      if (change) change(x, cluster, local);
    });
  }
  std::unique_ptr<test::wan> link;
  test::job j;
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void latency(test::wan_settings s) {
  const int rounds = s.one_way_ms > 1 ? 60 : 1000;
  double base = 0;
  {
    plain p(s);
    char word[8]{};
    std::thread echo([&] {
      char back[8];
      for (int i = 0; i < rounds; ++i) {
        plain::all(p.b.get(), back, 8, false);
        plain::all(p.b.get(), back, 8, true);
      }
    });
    std::vector<double> t;
    for (int i = 0; i < rounds; ++i) {
      const auto began = clock_type::now();
      plain::all(p.a.get(), word, 8, true);
      plain::all(p.a.get(), word, 8, false);
      t.push_back(since(began) / 2);
    }
    echo.join();
    base = median(t);
    fmt::print("{{\"what\": \"latency\", \"way\": \"plain TCP\", \"one_way_ms\": {}, \"half_round_trip_us\": {:.1f}}}\n",
               s.one_way_ms, base * 1e6);
  }
  for (const auto& [name, tls, mode] :
       {std::tuple("thread, TLS", true, progress_mode::thread), std::tuple("thread, plain", false, progress_mode::thread),
        std::tuple("polling, TLS", true, progress_mode::polling)}) {
    linked l(s, [mode = mode](settings& x, int, int) { x.progress = mode; }, tls);
    const auto ping = [&](endpoint& e, int other, bool first, std::vector<double>& t) {
      std::byte word[8]{};
      for (int i = 0; i < rounds; ++i) {
        const auto began = clock_type::now();
        if (first) e.send(other, {}, word);
        message m = test::next(e);
        e.accept(m, word);
        if (!first) e.send(other, {}, word);
        t.push_back(since(began) / 2);
      }
    };
    std::vector<double> t, unused;
    std::thread echo([&] { ping(*l.j.ranks[1], 0, false, unused); });
    ping(*l.j.ranks[0], 1, true, t);
    echo.join();
    test::close(l.j);
    fmt::print(
        "{{\"what\": \"latency\", \"way\": \"link, {}\", \"one_way_ms\": {}, \"half_round_trip_us\": {:.1f}, \"more_us\": "
        "{:.1f}}}\n",
        name, s.one_way_ms, median(t) * 1e6, (median(t) - base) * 1e6);
  }
}

void software(test::wan_settings s) {
  s.polling = true;
  const int rounds = s.one_way_ms > 1 ? 100 : 1000;
  const auto report = [&](const char* way, std::vector<double>& t) {
    std::sort(t.begin(), t.end());
    const double half = median(t) * 1e6;
    fmt::print(
        "{{\"what\": \"software\", \"way\": \"{}\", \"one_way_ms\": {}, \"half_round_trip_us\": {:.1f}, "
        "\"more_than_the_delay_us\": {:.1f}}}\n",
        way, s.one_way_ms, half, half - 1000 * s.one_way_ms);
  };
  {
    plain p(s);
    char word[8]{};
    std::vector<double> t;
    for (int i = 0; i < 2 * rounds; ++i) {
      const auto began = clock_type::now();
      const int from = i % 2 == 0 ? p.a.get() : p.b.get(), to = i % 2 == 0 ? p.b.get() : p.a.get();
      if (send(from, word, 8, MSG_NOSIGNAL) != 8) return;
      while (recv(to, word, 8, 0) < 0) continue;
      t.push_back(since(began));
    }
    report("plain TCP", t);
  }
  for (const bool tls : {false, true}) {
    linked l(s, {}, tls);
    std::byte word[8]{};
    std::vector<double> t;
    for (int i = 0; i < 2 * rounds; ++i) {
      const auto began = clock_type::now();
      const int from = i % 2;
      endpoint& to = *l.j.ranks[static_cast<std::size_t>(1 - from)];
      l.j.ranks[static_cast<std::size_t>(from)]->send(1 - from, {}, word);
      while (!to.anything_new()) to.progress();
      auto m = to.take();
      to.accept(*m, word);
      t.push_back(since(began));
    }
    test::close(l.j);
    report(tls ? "link, TLS" : "link, plain", t);
  }
}

void bandwidth(test::wan_settings s) {
  constexpr std::size_t size = 1 << 20;
  constexpr int window = 16, windows = 16;
  const auto data = test::pattern(size, 1);
  const double bits = 8e-6 * static_cast<double>(size) * window * windows;
  double base = 0;
  {
    plain p(s);
    std::thread sink([&] {
      std::vector<char> into(size);
      for (int i = 0; i < window * windows; ++i) plain::all(p.b.get(), into.data(), size, false);
      plain::all(p.b.get(), into.data(), 1, true);
    });
    std::vector<char> from(size);
    const auto began = clock_type::now();
    for (int i = 0; i < window * windows; ++i) plain::all(p.a.get(), from.data(), size, true);
    plain::all(p.a.get(), from.data(), 1, false);
    sink.join();
    base = bits / since(began);
    fmt::print("{{\"what\": \"bandwidth\", \"way\": \"plain TCP\", \"one_way_ms\": {}, \"mbit\": {:.0f}}}\n", s.one_way_ms,
               base);
  }
  for (const auto& [name, tls, streams] :
       {std::tuple("plain", false, 1), std::tuple("TLS", true, 1), std::tuple("TLS, 4 streams", true, 4)}) {
    linked l(s, [streams = streams](settings& x, int, int) { x.streams = streams; }, tls);
    std::thread sink([&] {
      endpoint& e = *l.j.ranks[1];
      std::vector<std::vector<std::byte>> into(window, std::vector<std::byte>(size));
      std::vector<ticket> open;
      for (int i = 0; i < window * windows; ++i) {
        message m = test::next(e, 30);
        if (open.size() == static_cast<std::size_t>(window)) {
          e.wait(open.front());
          open.erase(open.begin());
        }
        open.push_back(e.accept(m, into[static_cast<std::size_t>(i % window)]));
      }
      for (const ticket& t : open) e.wait(t);
      e.send(0, {}, {});
    });
    endpoint& e = *l.j.ranks[0];
    const auto began = clock_type::now();
    std::deque<ticket> open;
    for (int i = 0; i < window * windows; ++i) {
      if (open.size() == static_cast<std::size_t>(2 * window)) {
        e.wait(open.front());
        open.pop_front();
      }
      open.push_back(e.send(1, {}, data));
    }
    test::next(e, 60);
    const double mbit = bits / since(began);
    sink.join();
    for (const ticket& t : open) e.wait(t);
    test::close(l.j);
    fmt::print(
        "{{\"what\": \"bandwidth\", \"way\": \"link, {}\", \"one_way_ms\": {}, \"mbit\": {:.0f}, \"of_plain_tcp\": "
        "{:.3f}}}\n",
        name, s.one_way_ms, mbit, mbit / base);
  }
}

void slow(test::wan_settings s) {
  linked l(s, [](settings& x, int, int) { x.eager_bytes = 4 << 20; }, true);
  const auto data = test::pattern(60000, 1);
  constexpr int count = 5000;
  std::vector<ticket> sent;
  for (int i = 0; i < count; ++i) sent.push_back(l.j.ranks[0]->send(1, {.tag = i}, data));
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    most = std::max(most, l.j.ranks[1]->memory_in_use());
  }
  std::vector<std::byte> into(data.size());
  for (int i = 0; i < count; ++i) {
    message m = test::next(*l.j.ranks[1], 30);
    l.j.ranks[1]->wait(l.j.ranks[1]->accept(m, into));
  }
  for (const ticket& t : sent) l.j.ranks[0]->wait(t);
  test::close(l.j);
  fmt::print("{{\"what\": \"slow reader\", \"sent_MB\": {:.1f}, \"held_MB\": {:.2f}, \"credit_MB\": {:.2f}}}\n",
             1e-6 * count * static_cast<double>(data.size()), 1e-6 * static_cast<double>(most), 1e-6 * (4 << 20));
}

void cut(test::wan_settings s) {
  for (const auto& [name, kind] : {std::pair("connections closed", test::wan::state::broken),
                                   std::pair("nothing gets through", test::wan::state::frozen)}) {
    linked l(s, {}, true);
    const std::byte word[8]{};
    l.link->set(kind);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    l.j.ranks[0]->send(1, {}, word);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    l.link->set(test::wan::state::whole);
    const auto began = clock_type::now();
    test::next(*l.j.ranks[1], 15);
    const double t = since(began);
    test::close(l.j);
    fmt::print("{{\"what\": \"cut of 1 s\", \"kind\": \"{}\", \"message_after_ms\": {:.0f}}}\n", name, t * 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string measurement = argc > 1 ? argv[1] : "";
  test::wan_settings s;
  s.one_way_ms = argc > 2 ? std::atof(argv[2]) : 25;
  s.mbit = argc > 3 ? std::atof(argv[3]) : 1000;
  if (measurement == "latency") {
    latency(s);
  } else if (measurement == "software") {
    software(s);
  } else if (measurement == "bandwidth") {
    bandwidth(s);
  } else if (measurement == "slow") {
    slow(s);
  } else if (measurement == "cut") {
    cut(s);
  } else {
    fmt::print(stderr, "usage: wire_bench latency|software|bandwidth|slow|cut [ONE_WAY_MS [MBIT]]\n");
    return 2;
  }
  return 0;
}
