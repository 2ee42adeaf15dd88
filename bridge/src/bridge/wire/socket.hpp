#pragma once
/// @file
/// TCP sockets: owned descriptors, addresses as text, non-blocking dialling.
#include <bridge/wire/settings.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace osteon::bridge::wire {

/// Owns a file descriptor.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor();
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void close() noexcept;

 private:
  int fd_ = -1;
};

struct host_port {
  std::string host;
  std::uint16_t port = 0;
};

/// "host:port" or "[v6]:port". @throws link_error
host_port split_address(const std::string& text);
std::string join_address(const std::string& host, std::uint16_t port);

/// Listen on all interfaces on any port of the range "first-last" ("" for any port, "p" for one), or on `host` only.
/// @return the socket, non-blocking, and its port @throws link_error
std::pair<descriptor, std::uint16_t> listen_on(const std::string& ports, const std::string& host = "");

/// Start to connect. The connection is complete when the socket becomes writable (socket_error). After a failure, the
/// descriptor is empty and `reason` is set.
descriptor dial(const std::string& address, const settings& options, std::string& reason);

/// Accept a waiting connection, and make its socket non-blocking and tuned. The result is empty if no connection waits.
/// @param may_accept set to false if a connection may wait, but there is no free descriptor; the caller must retry later
descriptor accept_one(int listener, const settings& options, bool* may_accept = nullptr);

/// `host` if `host` is a numeric address of this machine; in this case, the process listens only on this address. Otherwise
/// the result is empty, which means all addresses.
std::string own_numeric(const std::string& host);

/// Pending error of a socket as text; empty without an error.
std::string socket_error(int fd);

/// Local and remote address of a connected socket, without port; v4 addresses are in dotted form.
std::string own_address(int fd);
std::string other_address(int fd);

/// Address of this process for other processes. The address is determined from settings::address, by host name or unchanged;
/// otherwise the result is `fallback`.
std::string advertised_address(const settings& options, const std::string& host_name, const std::string& fallback);

std::string host_name();

}  // namespace osteon::bridge::wire
