#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bridge/wire/link.hpp>
#include <bridge/wire/socket.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

namespace osteon::bridge::wire {
namespace {

std::uint16_t port_of(const std::string& digits, const std::string& whole) {
  unsigned port = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (code != std::errc{} || end != digits.data() + digits.size() || port > 65535) {
    throw link_error(fmt::format("'{}' is not host:port: the port must be a number up to 65535", whole));
  }
  return static_cast<std::uint16_t>(port);
}

void option(int fd, int level, int name, int value) { setsockopt(fd, level, name, &value, sizeof value); }

void tune(int fd, const settings& options) {
  option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  // Heartbeats detect an interrupted path. The kernel must close the connection after about the same time, instead of after
  // 15 minutes.
  option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(options.cut_seconds * 1000));
  if (options.pacing_mbit > 0) {
    const auto rate = static_cast<std::uint64_t>(options.pacing_mbit * 125000);
    setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate);
  }
  if (!options.congestion.empty()) {  // some systems do not permit this change; the default of the system then remains
    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, options.congestion.data(),
               static_cast<socklen_t>(options.congestion.size()));
  }
}

struct endpoint_address {
  sockaddr_storage where{};
  socklen_t size = sizeof(sockaddr_in);
};

/// A numeric address of either kind.
std::optional<endpoint_address> numeric(const std::string& host, std::uint16_t port) {
  endpoint_address a;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&a.where);
  v4->sin_family = AF_INET;
  v4->sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) return a;
  a = {};
  a.size = sizeof(sockaddr_in6);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&a.where);
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) return a;
  return std::nullopt;
}

std::string text_of(const sockaddr_storage& a) {
  char text[NI_MAXHOST] = "?";
  const socklen_t size = a.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  getnameinfo(reinterpret_cast<const sockaddr*>(&a), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  const std::string address = text;
  return address.rfind("::ffff:", 0) == 0 ? address.substr(7) : address;
}

}  // namespace

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

descriptor::~descriptor() { close(); }

void descriptor::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

host_port split_address(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) throw link_error(fmt::format("'{}' is not host:port", text));
  std::string host = text.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return {host, port_of(text.substr(colon + 1), text)};
}

std::string join_address(const std::string& host, std::uint16_t port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

std::pair<descriptor, std::uint16_t> listen_on(const std::string& ports, const std::string& host) {
  unsigned first = 0, last = 0;
  if (!ports.empty()) {
    const auto dash = ports.find('-');
    first = port_of(ports.substr(0, dash), ports);
    last = dash == std::string::npos ? first : port_of(ports.substr(dash + 1), ports);
  }
  std::string reason = "the range is empty";
  for (unsigned port = first; port <= last; ++port) {
    const std::optional<endpoint_address> to = numeric(host.empty() ? "0.0.0.0" : host, static_cast<std::uint16_t>(port));
    if (!to) throw link_error(fmt::format("cannot listen on '{}': not a numeric address", host));
    sockaddr_storage where = to->where;
    socklen_t size = to->size;
    descriptor fd(socket(where.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (fd) option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (fd && bind(fd.get(), reinterpret_cast<sockaddr*>(&where), size) == 0 && listen(fd.get(), 1024) == 0) {
      getsockname(fd.get(), reinterpret_cast<sockaddr*>(&where), &size);
      return {std::move(fd), ntohs(reinterpret_cast<sockaddr_in*>(&where)->sin_port)};  // sin6_port has the same offset
    }
    reason = std::strerror(errno);
  }
  throw link_error(fmt::format("cannot listen on port {}: {}", ports.empty() ? "0" : ports, reason));
}

descriptor dial(const std::string& address, const settings& options, std::string& reason) {
  const host_port to = split_address(address);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (const int code = getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &found); code != 0) {
    reason = fmt::format("{}: {}", to.host, gai_strerror(code));
    return {};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    descriptor fd(socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd) continue;
    tune(fd.get(), options);
    if (connect(fd.get(), a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS) return fd;
    reason = fmt::format("{}: {}", address, std::strerror(errno));
  }
  return {};
}

descriptor accept_one(int listener, const settings& options, bool* may_accept) {
  descriptor fd(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (may_accept != nullptr) *may_accept = fd || (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM);
  if (fd) tune(fd.get(), options);
  return fd;
}

std::string own_numeric(const std::string& host) {
  const std::optional<endpoint_address> a = numeric(host, 0);
  if (!a) return "";
  const descriptor fd(socket(a->where.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return fd && bind(fd.get(), reinterpret_cast<const sockaddr*>(&a->where), a->size) == 0 ? host : "";
}

std::string socket_error(int fd) {
  int code = 0;
  socklen_t size = sizeof code;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size);
  return code == 0 ? "" : std::strerror(code);
}

std::string own_address(int fd) {
  sockaddr_storage a{};
  socklen_t size = sizeof a;
  return getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size) == 0 ? text_of(a) : "";
}

std::string other_address(int fd) {
  sockaddr_storage a{};
  socklen_t size = sizeof a;
  return getpeername(fd, reinterpret_cast<sockaddr*>(&a), &size) == 0 ? text_of(a) : "";
}

std::string advertised_address(const settings& options, const std::string& host, const std::string& fallback) {
  if (options.address.empty()) return fallback;
  if (options.address.find('=') == std::string::npos) return options.address;
  std::size_t at = 0;
  while (at < options.address.size()) {
    const auto end = std::min(options.address.find(',', at), options.address.size());
    const std::string entry = options.address.substr(at, end - at);
    const auto equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (equals != std::string::npos && (name == host || name == fallback || name == "*")) return entry.substr(equals + 1);
    at = end + 1;
  }
  throw link_error(fmt::format("the address map '{}' has no entry for this host: neither '{}' nor '{}' nor '*'",
                               options.address, host, fallback));
}

std::string host_name() {
  char name[256] = "?";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace osteon::bridge::wire
