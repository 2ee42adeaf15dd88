#pragma once
/// @file
/// A non-blocking stream of bytes over a connected socket. The stream uses plain TCP, or TLS 1.3 with a pre-shared key.
#include <bridge/wire/socket.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace osteon::bridge::wire {

/// The TLS context of one job. Both sides prove that they have the key. Certificates are not used.
class tls_context {
 public:
  explicit tls_context(const std::string& key);
  ~tls_context();
  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;

 private:
  friend class channel;
  struct impl;
  std::unique_ptr<impl> impl_;
};

enum class side { dialled, accepted };

class channel {
 public:
  /// @param tls context; null for plain TCP; must outlive the channel
  channel(descriptor fd, const tls_context* tls, side which);
  channel(channel&&) noexcept;
  channel& operator=(channel&&) noexcept;
  ~channel();

  /// Read or write without waiting.
  /// @return number of bytes; 0: no data at present; -1: the connection has ended (`reason`)
  std::ptrdiff_t read(std::span<std::byte> into);
  std::ptrdiff_t write(std::span<const std::byte> from);

  /// True if more bytes have been read from the socket than read() has returned.
  bool holds_more() const noexcept;

  /// After a call that has returned 0: true if the caller must wait until the socket is writable. With TLS, reading may also
  /// need a writable socket.
  bool wants_writable() const noexcept { return wants_writable_; }
  /// Reason of the end. If the other side has closed the connection, the text is empty.
  const std::string& reason() const noexcept { return reason_; }
  /// True if the connection has ended because there is no route or no listener.
  bool never_connected() const noexcept { return unreachable_; }
  int fd() const noexcept { return fd_.get(); }
  /// Shut down writing. Data that were written before this call still arrive.
  void finish() noexcept;

 private:
  std::ptrdiff_t settle(int result);
  void broke(int code);
  descriptor fd_;
  void* ssl_ = nullptr;
  bool shaken_ = false, unreachable_ = false;
  bool wants_writable_ = false;
  std::string reason_;
};

/// HMAC-SHA256 of `text` with the key `key`, 32 bytes.
std::string keyed_digest(const std::string& key, const std::string& text);
/// Compare two texts. The time is independent of the position of a difference.
bool same_secret(const std::string& a, const std::string& b);
/// Unpredictable random bytes. @throws machine_error
std::string random_bytes(std::size_t n);

}  // namespace osteon::bridge::wire
