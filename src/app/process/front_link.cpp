#include <app/process/front_link.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <app/process/stop_signal.hpp>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <osteon/base/error.hpp>
#include <thread>

namespace osteon::app {

namespace {

std::atomic<int> front{-1};  // descriptor of the connection of a rank
std::atomic<bool> others_report{false};

std::string this_host() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

// Socket names are valid within one network namespace.
std::string this_network() {
  std::array<char, 256> space{};
  [[maybe_unused]] const ssize_t ignored = readlink("/proc/self/ns/net", space.data(), space.size() - 1);
  return space.data();
}

// Abstract socket names begin with a zero byte.
socklen_t abstract_name(const std::string& name, sockaddr_un& address) {
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::copy_n(name.data(), length, address.sun_path + 1);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

// Check the user, because any user of this machine can connect to an abstract name or bind it.
bool is_of_this_user(int line) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(line, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

[[noreturn]] void end_here() { _exit(osteon::exit_code(error_kind::interrupted)); }

void obey(int line) {
  for (;;) {
    char urgency = 0;
    const ssize_t count = read(line, &urgency, 1);
    if (count < 0 && errno == EINTR) continue;
    if (!are_stop_signals_noted() || urgency > 1) end_here();
    request_stop();
    if (count <= 0) return;  // the parent has ended; this process keeps the results
  }
}

// Start a thread that blocks all signals, so that the main thread handles the signals.
template <class Work>
void start_aside(Work work, int line) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(work, line).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

rank_line::rank_line() {
  listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t length = sizeof(sa_family_t);  // the kernel selects a free name
  if (listening_ < 0 || bind(listening_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::listen(listening_, 1024) != 0)
    return;  // without a socket, only the launcher connects the processes
  length = sizeof address;
  getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &length);
  name_.assign(address.sun_path + 1, length - offsetof(sockaddr_un, sun_path) - 1);
}

void rank_line::describe(parent_process& parent) const {
  parent.host = this_host();
  parent.network = this_network();
  parent.socket = name_;
}

rank_line::~rank_line() {
  if (listening_ >= 0) close(listening_);
  for (const int rank : ranks_) close(rank);
}

void rank_line::wait(int also, std::chrono::milliseconds longest) {
  std::vector<pollfd> lines{{also, POLLIN, 0}, {listening_, POLLIN, 0}};
  for (const int rank : ranks_) lines.push_back({rank, POLLIN, 0});
  poll(lines.data(), lines.size(), static_cast<int>(longest.count()));
  listen();
}

void rank_line::listen() {
  while (listening_ >= 0) {
    const int rank = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (rank < 0) break;
    if (!is_of_this_user(rank)) {
      close(rank);
      continue;
    }
    ranks_.push_back(rank);
    had_ranks_ = true;
    if (urgency_ > 0) send_urgency(rank);
  }
  std::erase_if(ranks_, [&](int rank) {
    for (unsigned char code = 0;;) {
      const ssize_t count = read(rank, &code, 1);
      if (count < 0) return errno != EAGAIN && errno != EINTR && close(rank) == 0;
      if (count == 0) return close(rank) == 0;
      if (!code_ || *code_ == 0) code_ = code;
    }
  });
}

void rank_line::send_urgency(int rank) const {
  const char urgency = static_cast<char>(std::min(urgency_, SCHAR_MAX));
  send(rank, &urgency, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void rank_line::tell(int urgency) {
  urgency_ = urgency;
  for (const int rank : ranks_) send_urgency(rank);
}

void follow_lifeline() {
  const char* given = std::getenv("OSTEON_LIFELINE");
  if (!given) return;
  const int line = std::atoi(given);
  unsetenv("OSTEON_LIFELINE");
  if (line <= STDERR_FILENO || fcntl(line, F_SETFD, FD_CLOEXEC) != 0) return;
  start_aside(obey, line);
}

void follow_front() {
  if (!parent() || parent()->socket.empty()) return;
  // A rank on another host cannot connect; the ranks on the parent's host notify it.
  if (parent()->host != this_host() || parent()->network != this_network()) return;
  const int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  const socklen_t length = abstract_name(parent()->socket, address);
  if (line < 0) return;
  if (connect(line, reinterpret_cast<sockaddr*>(&address), length) != 0 || !is_of_this_user(line)) {
    close(line);
    throw interrupted_error("the osteon process that started these ranks has ended");
  }
  front = line;
  start_aside(obey, line);
}

bool has_front() { return front >= 0; }

void leave_code_to_others() { others_report = true; }

bool report_to_front(int code) {
  const int line = front;
  if (line < 0) return others_report;
  const auto byte = static_cast<unsigned char>(code);
  return send(line, &byte, 1, MSG_NOSIGNAL) == 1;
}

}  // namespace osteon::app
