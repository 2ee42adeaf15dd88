#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <bridge/wire/endpoint/endpoint_core.hpp>
#include <cstring>

namespace osteon::bridge::wire {
namespace {

/// While the application polls, the side thread only checks periodically that the polling continues. If the side thread woke
/// up for each packet, the side thread would compete with the application for the packets.
constexpr double nap_seconds = 1e-3;

}  // namespace

endpoint_core::endpoint_core(endpoint& endpoint, settings s, const std::string& facts)
    : options(std::move(s)),
      endpoint_(endpoint),
      facts_(facts),
      tls_(options.tls ? std::make_unique<tls_context>(options.key) : nullptr),
      control_(options, tls_.get()) {
  control_.introduce = [this](const frame_stream& stream) { return introduction(stream); };
  epoll_ = descriptor(epoll_create1(EPOLL_CLOEXEC));
  wake_ = descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!epoll_ || !wake_) throw machine_error(fmt::format("no descriptor for the link: {}", std::strerror(errno)));
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u64 = 1;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &e);
  sink_.deliver = [this](message&& m) {
    m.owner_ = this;
    inbox_bytes_ += m.bytes.size();
    {
      const std::lock_guard lock(inbox_m_);
      inbox_.push_back(std::move(m));
    }
    endpoint_.waiting_.fetch_add(1, std::memory_order_release);
    event();
  };
  sink_.finished = [this](ticket::state& t) {
    t.done.store(true, std::memory_order_release);
    event();
  };
  sink_.cancel_answered = [this](ticket::state& t, bool given_back) {
    t.cancel.store(given_back ? ticket::cancelling::cancelled : ticket::cancelling::refused, std::memory_order_release);
    if (given_back) t.done.store(true, std::memory_order_release);
    event();
  };
}

endpoint_core::~endpoint_core() {
  if (joined_ && !finished_ && !endpoint_.broken()) abort("the process ended without closing the link");
  stop_thread();
  for (message& m : inbox_) m.owner_ = nullptr;
}

void endpoint_core::join() {
  join_server();
  learn_world();
  make_routes();
  wait_for_routes();
  if (options.progress == progress_mode::polling) return;
  // Signals are delivered to the threads of the application, not to this thread.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  thread_ = std::thread([this] { loop(); });
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void endpoint_core::loop() {
  while (!stop_) {
    if (driving_) {
      rest();
    } else if (seconds_since(steady::time_point(steady::duration(polled_.load(std::memory_order_relaxed)))) < nap_seconds) {
      std::unique_lock lock(rest_m_);
      rest_.wait_for(lock, std::chrono::duration<double>(nap_seconds), [&] { return stop_.load(); });
    } else {
      turn(0.1);
    }
  }
}

/// The waiting thread of the application serves the sockets. After the wait of this thread, the side thread does not serve
/// the sockets for a short time, because the application probably waits again.
void endpoint_core::rest() {
  eventfd_write(wake_.get(), 1);  // an event may have arrived while both threads were listening; wake the thread
  std::unique_lock lock(rest_m_);
  do {
    side_ = side_thread::resting;
    rest_.wait(lock, [&] { return stop_ || !driving_; });
    side_ = side_thread::about_to_work;
  } while (!stop_ && rest_.wait_for(lock, std::chrono::milliseconds(1), [&] { return stop_ || driving_; }));
  side_ = side_thread::at_work;
}

void endpoint_core::drive(const std::function<bool()>& done, steady::time_point end) {
  driving_ = true;
  if (side_ == side_thread::at_work && thread_.joinable()) eventfd_write(wake_.get(), 1);
  do {
    const double left = std::chrono::duration<double>(end - steady::now()).count();
    turn(std::clamp(left, 0.0, 0.05));
  } while (!done() && !endpoint_.broken() && steady::now() < end);
  driving_ = false;
  if (side_ != side_thread::resting) return;
  {
    const std::lock_guard lock(rest_m_);
  }
  rest_.notify_one();
}

void endpoint_core::stop_thread() {
  stop_ = true;
  eventfd_write(wake_.get(), 1);
  {
    const std::lock_guard lock(rest_m_);
  }
  rest_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void endpoint_core::event() {
  endpoint_.events_.fetch_add(1);
  if (sleepers_ == 0) return;
  {
    const std::lock_guard lock(sleep_m_);
  }
  sleep_.notify_all();
}

void endpoint_core::fail(const std::string& reason, bool notifies_server) {
  if (!failure_.empty()) return;
  failure_ = reason;
  if (notifies_server && control_.open()) {
    control_.send(command::abort, reason);
    control_.flush();
  }
  endpoint_.broken_.store(true, std::memory_order_release);
  event();
}

void endpoint_core::check() const {
  const std::lock_guard lock(m_);
  if (!failure_.empty()) throw link_error(failure_);
}

ticket endpoint_core::send(int dest, const envelope& fields, std::span<const std::byte> bytes, bool synchronous) {
  const std::lock_guard lock(m_);
  if (!failure_.empty()) throw link_error(failure_);
  if (dest < 0 || dest >= world.size() || !peers_[static_cast<std::size_t>(dest)]) {
    throw usage_error(fmt::format("rank {} cannot be reached over the link: it is {}", dest,
                                  dest < 0 || dest >= world.size() ? "not in the world" : "in the same cluster"));
  }
  const std::uint64_t id = next_id_++;
  auto state = peers_[static_cast<std::size_t>(dest)]->pair->send(id, fields, bytes, synchronous);
  make_ready(dest);
  pump_route(peers_[static_cast<std::size_t>(dest)]->route);
  return {id, dest, std::move(state)};
}

std::optional<message> endpoint_core::take() {
  if (options.progress == progress_mode::polling && !endpoint_.anything_new()) progress();
  const std::lock_guard lock(inbox_m_);
  if (inbox_.empty()) return std::nullopt;
  std::optional<message> m(std::move(inbox_.front()));
  inbox_.pop_front();
  endpoint_.waiting_.fetch_sub(1, std::memory_order_release);
  return m;
}

ticket endpoint_core::accept(message& m, std::span<std::byte> buffer) {
  if (m.type != message::what_kind::data || m.owner_ == nullptr) {
    throw usage_error("cannot accept a message that was not taken, or that was accepted before");
  }
  if (!m.bytes.empty() && !buffer.empty())
    std::memcpy(buffer.data(), m.bytes.data(), std::min(m.bytes.size(), buffer.size()));
  ticket t;
  if (m.wants_reply) {
    const std::lock_guard lock(m_);
    if (!failure_.empty()) throw link_error(failure_);
    peer& p = *peers_[static_cast<std::size_t>(m.source)];
    const std::uint64_t id = next_id_++;
    t = ticket(id, m.source, p.pair->receive(id, m, buffer));
    make_ready(m.source);
    pump_route(p.route);
  }
  m.owner_ = nullptr;
  give_back(m.source, m.bytes.size());
  std::vector<std::byte>().swap(m.bytes);
  return t;
}

void endpoint_core::give_back(int source, std::uint64_t bytes) {
  if (bytes == 0) return;
  inbox_bytes_ -= bytes;
  peer& p = *peers_[static_cast<std::size_t>(source)];
  if (p.released.fetch_add(bytes) + bytes < options.eager_bytes / 8) return;  // the timer reports the returned bytes
  const std::lock_guard lock(m_);
  p.pair->give_back(p.released.exchange(0));
  make_ready(source);
  pump_route(p.route);
}

void endpoint_core::cancel(ticket& sent) {
  if (sent.id_ == 0 || sent.cancel_state() != ticket::cancelling::no) return;
  if (!sent.state_) {
    sent.state_ = std::make_shared<ticket::state>();
    sent.state_->done = true;
  }
  sent.state_->cancel = ticket::cancelling::requested;
  const std::lock_guard lock(m_);
  if (!failure_.empty()) throw link_error(failure_);
  peer& p = *peers_[static_cast<std::size_t>(sent.peer_)];
  p.pair->cancel(sent.id_, sent.state_);
  make_ready(sent.peer_);
  pump_route(p.route);
}

void endpoint_core::answer_cancel(const message& request, bool found) {
  const std::lock_guard lock(m_);
  if (!failure_.empty()) throw link_error(failure_);
  peer& p = *peers_[static_cast<std::size_t>(request.source)];
  p.pair->answer_cancel(request.id, found);
  make_ready(request.source);
  pump_route(p.route);
}

void endpoint_core::progress() {
  polled_.store(steady::now().time_since_epoch().count(), std::memory_order_relaxed);
  turn(0);
  if (endpoint_.broken()) check();
}

void endpoint_core::wait_event(std::uint32_t seen, double seconds) {
  const auto end = steady::now() + std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(seconds));
  const auto news = [&] { return endpoint_.events() != seen; };
  std::unique_lock driver(driver_m_, std::try_to_lock);
  if (driver.owns_lock()) {
    drive(news, end);
  } else {  // another thread of the application serves the sockets
    ++sleepers_;
    std::unique_lock lock(sleep_m_);
    sleep_.wait_until(lock, std::min(end, steady::now() + std::chrono::milliseconds(50)), news);
    --sleepers_;
  }
  if (endpoint_.broken()) check();
}

bool endpoint_core::abort(const std::string& text) noexcept {
  try {
    const std::lock_guard lock(m_);
    if (!failure_.empty()) return false;
    const bool open = control_.open();
    fail(joined_ ? fmt::format("{} has aborted: {}", name_of(world.rank), text) : text);
    // The server must be notified even if this process ends immediately.
    for (int i = 0; i < 100 && control_.open() && !control_.flushed(); ++i) {
      control_.flush();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return open && control_.flushed();
  } catch (...) {
    return false;
  }
}

void endpoint_core::close() {
  {
    const std::lock_guard lock(m_);
    if (!failure_.empty()) throw link_error(failure_);
    for (auto& p : peers_) {
      if (p) p->pair->finish();
    }
    for (int rank = 0; rank < world.size(); ++rank) make_ready(rank);
    for (int r = 0; r < static_cast<int>(routes_.size()); ++r) pump_route(r);
  }
  const auto until = [&](auto&& done, double patience) {
    const auto began = steady::now();
    for (;;) {
      const std::uint32_t seen = endpoint_.events();
      {
        const std::lock_guard lock(m_);
        if (done()) return;
        if (!failure_.empty()) throw link_error(failure_);
      }
      if (seconds_since(began) > patience) return;
      wait_event(seen, 0.02);
    }
  };
  // Other processes may compute for any time before they close their connections. Timers detect terminated processes.
  until([&] { return std::all_of(peers_.begin(), peers_.end(), [](auto& p) { return !p || p->pair->over(); }); }, 1e18);
  const auto written = [&] {
    for (auto& r : routes_) {
      if (!r->ready.empty() && r->open()) return false;
      for (auto& c : r->streams) {
        if (c && c->waiting() > 0) return false;
      }
    }
    return true;
  };
  until(written, 2);  // wait for the last acknowledgements
  {
    const std::lock_guard lock(m_);
    finished_ = true;
    control_.send(command::fini);
    serve_control();
  }
  until([&] { return server_parted_; }, 5);
  stop_thread();
  for (auto& r : routes_) {
    for (auto& c : r->streams) {
      if (c) c->stream.finish();
    }
  }
}

std::size_t endpoint_core::memory_in_use() {
  const std::lock_guard lock(m_);
  std::size_t n = inbox_bytes_;
  for (auto& p : peers_) {
    if (p) n += p->pair->bytes_held();
  }
  return n;
}

}  // namespace osteon::bridge::wire
