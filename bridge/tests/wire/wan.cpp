#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <ctime>
#include <wire/wan.hpp>

namespace test {

namespace wire = osteon::bridge::wire;

namespace {

constexpr std::size_t part_bytes = 32 << 10;

}  // namespace

wan::wan(const std::string& target, wan_settings s, const std::string& ports)
    : target_(target), options_(s), part_(part_bytes) {
  std::tie(listener_, port_) = wire::listen_on(ports, "127.0.0.1");
  thread_ = std::thread([this] { serve(); });
}

wan::~wan() {
  stop_ = true;
  thread_.join();
}

/// True if at least one of the packets with this number of bytes is lost.
bool wan::lost(std::size_t bytes) {
  if (options_.loss_percent <= 0) return false;
  const double whole = std::pow(1 - options_.loss_percent / 100, std::ceil(static_cast<double>(bytes) / 1500));
  return std::bernoulli_distribution(1 - whole)(random_);
}

/// One direction of one connection. Read data up to the capacity of the link, and write the data whose delay has passed.
/// @return false on an error
bool wan::move(int from, int to, direction& d, clock::time_point& free) {
  const double delay = options_.one_way_ms * 1e-3;
  const double bits = options_.mbit > 0 ? options_.mbit * 1e6 : 40e9;
  const auto most = static_cast<std::size_t>(bits / 8 * delay) + (512 << 10);
  while (d.held < most && !d.ended) {
    const ssize_t n = recv(from, part_.data(), part_.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == ENOTCONN)) break;
    if (n < 0) return false;
    const auto now = clock::now();
    d.ended = n == 0;
    if (n == 0) break;
    const auto span = std::chrono::duration<double>(static_cast<double>(n) * 8 / bits);
    free = std::max(free, now) + std::chrono::duration_cast<clock::duration>(span);
    auto due = free + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(delay));
    if (lost(static_cast<std::size_t>(n))) {
      const double again = static_cast<std::size_t>(n) < part_.size() ? 0.2 : 2 * delay;
      d.stalled = due + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(again));
    }
    due = std::max(due, d.stalled);
    d.queue.push_back({due, {part_.begin(), part_.begin() + n}, 0});
    d.held += static_cast<std::size_t>(n);
    if (free - now > std::chrono::milliseconds(5)) break;  // the link is full, and further data would only wait
  }
  while (!d.queue.empty() && d.queue.front().due <= clock::now()) {
    chunk& c = d.queue.front();
    const ssize_t n = send(to, c.bytes.data() + c.begin, c.bytes.size() - c.begin, MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == ENOTCONN)) break;
    if (n < 0) return false;
    c.begin += static_cast<std::size_t>(n);
    d.held -= static_cast<std::size_t>(n);
    if (c.begin < c.bytes.size()) break;
    d.queue.pop_front();
  }
  if (d.ended && d.queue.empty() && !d.notified) {
    shutdown(to, SHUT_WR);
    d.notified = true;
  }
  return true;
}

void wan::serve() {
  wire::settings options;
  prctl(PR_SET_TIMERSLACK, 1UL);  // value in ns; by default, the kernel permits a delay of timers of 50 us
  while (!stop_) {
    const state now = state_;
    std::vector<pollfd> fds{{listener_.get(), POLLIN, 0}};
    auto wake = clock::now() + std::chrono::milliseconds(20);
    for (line& l : lines_) {
      if (now != state::whole) break;
      const auto watch = [&](int from, int to, direction& d, clock::time_point free) {
        const bool room = !d.ended && free - clock::now() < std::chrono::milliseconds(5);
        if (room) fds.push_back({from, POLLIN, 0});
        if (!room && !d.ended) wake = std::min(wake, free - std::chrono::milliseconds(4));
        if (d.queue.empty()) return;
        if (d.queue.front().due <= clock::now()) {
          fds.push_back({to, POLLOUT, 0});
        } else {
          wake = std::min(wake, d.queue.front().due);
        }
      };
      watch(l.a.get(), l.b.get(), l.ab, free_[0]);
      watch(l.b.get(), l.a.get(), l.ba, free_[1]);
    }
    const auto ns =
        std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::nanoseconds>(wake - clock::now()).count());
    const timespec wait = options_.polling ? timespec{} : timespec{ns / 1000000000, ns % 1000000000};
    ppoll(fds.data(), fds.size(), &wait, nullptr);
    while (wire::descriptor a = wire::accept_one(listener_.get(), options)) {
      std::string reason;
      wire::descriptor b = now == state::broken ? wire::descriptor() : wire::dial(target_, options, reason);
      if (b) lines_.push_back({std::move(a), std::move(b), {}, {}});
    }
    if (now == state::broken) lines_.clear();
    if (now != state::whole) continue;
    for (auto l = lines_.begin(); l != lines_.end();) {
      const bool good = move(l->a.get(), l->b.get(), l->ab, free_[0]) && move(l->b.get(), l->a.get(), l->ba, free_[1]);
      const bool over = l->ab.notified && l->ba.notified;
      l = good && !over ? std::next(l) : lines_.erase(l);
    }
  }
}

}  // namespace test
