#pragma once
/// @file
/// TCP sockets. The file contains owned descriptors, addresses as text, and non-blocking dialling.
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

/// Split "host:port" or "[v6]:port". @throws link_error
host_port split_address(const std::string& text);
std::string join_address(const std::string& host, std::uint16_t port);

/// Listen on all interfaces, or only on `host`. The port is any port of the range "first-last". "" means any port, and "p"
/// means one port.
/// @return non-blocking socket, and its port @throws link_error
std::pair<descriptor, std::uint16_t> listen_on(const std::string& ports, const std::string& host = "");

/// Start to connect. When the socket becomes writable, the connection is complete (socket_error). After a failure, the
/// descriptor is empty, and `reason` contains the reason.
descriptor dial(const std::string& address, const settings& options, std::string& reason);

/// Accept a waiting connection. The socket becomes non-blocking and receives the options of the link. If no connection is
/// waiting, the result is empty.
/// @param may_accept set to false if a connection may be waiting while there is no free descriptor; the caller must try
/// again later
descriptor accept_one(int listener, const settings& options, bool* may_accept = nullptr);

/// `host` if `host` is a numeric address of this machine. The process then listens only on this address. Otherwise, the
/// result is empty, which means all addresses.
std::string own_numeric(const std::string& host);

/// Pending error of a socket as text. Without an error, the text is empty.
std::string socket_error(int fd);

/// Local and remote address of a connected socket without port. Addresses of IPv4 have the dotted form.
std::string own_address(int fd);
std::string other_address(int fd);

/// Address of this process for other processes. The address is settings::address, or the entry for the host name in
/// settings::address. Otherwise, the result is `fallback`.
std::string advertised_address(const settings& options, const std::string& host_name, const std::string& fallback);

std::string host_name();

}  // namespace osteon::bridge::wire
