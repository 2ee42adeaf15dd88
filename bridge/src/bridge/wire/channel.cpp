#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bridge/error.hpp>
#include <bridge/wire/channel.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace osteon::bridge::wire {
namespace {

constexpr const char* identity = "osteon-wire";

// OpenSSL writes with write(2). If the connection is closed, write(2) raises SIGPIPE in the application. The channel
// therefore uses a BIO of its own.
int bio_write(BIO* bio, const char* data, int size) {
  const auto fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  BIO_clear_retry_flags(bio);
  const ssize_t n = send(fd, data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN)) BIO_set_retry_write(bio);
  return static_cast<int>(n);
}

int bio_read(BIO* bio, char* data, int size) {
  const auto fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  BIO_clear_retry_flags(bio);
  const ssize_t n = recv(fd, data, static_cast<std::size_t>(size), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN)) BIO_set_retry_read(bio);
  return static_cast<int>(n);
}

long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

int bio_create(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

unsigned give_key(const std::string& key, unsigned char* psk, unsigned room) {
  if (key.size() > room) return 0;
  std::memcpy(psk, key.data(), key.size());
  return static_cast<unsigned>(key.size());
}

const std::string& key_of(SSL* ssl) { return *static_cast<const std::string*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl))); }

unsigned client_key(SSL* ssl, const char*, char* name, unsigned name_room, unsigned char* psk, unsigned room) {
  if (name_room <= std::strlen(identity)) return 0;
  std::strcpy(name, identity);
  return give_key(key_of(ssl), psk, room);
}

unsigned server_key(SSL* ssl, const char* name, unsigned char* psk, unsigned room) {
  return std::strcmp(name, identity) == 0 ? give_key(key_of(ssl), psk, room) : 0;
}

}  // namespace

struct tls_context::impl {
  std::string key;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> ctx{SSL_CTX_new(TLS_method()), SSL_CTX_free};
  std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> bio{
      BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "osteon"), BIO_meth_free};
};

tls_context::tls_context(const std::string& key) : impl_(std::make_unique<impl>()) {
  impl_->key = keyed_digest(key, "osteon wire: key of TLS");
  SSL_CTX* ctx = impl_->ctx.get();
  if (ctx == nullptr || !impl_->bio) throw machine_error("OpenSSL cannot create a TLS context: out of memory");
  SSL_CTX_set_app_data(ctx, &impl_->key);
  SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
  // In TLS 1.3, a pre-shared key belongs to a hash function. The callbacks below use SHA-256.
  SSL_CTX_set_ciphersuites(ctx, "TLS_AES_128_GCM_SHA256");
  SSL_CTX_set_num_tickets(ctx, 0);
  SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(ctx, 1);
  SSL_CTX_set_psk_client_callback(ctx, client_key);
  SSL_CTX_set_psk_server_callback(ctx, server_key);
  BIO_METHOD* bio = impl_->bio.get();
  BIO_meth_set_write(bio, bio_write);
  BIO_meth_set_read(bio, bio_read);
  BIO_meth_set_ctrl(bio, bio_control);
  BIO_meth_set_create(bio, bio_create);
}

tls_context::~tls_context() = default;

channel::channel(descriptor fd, const tls_context* tls, side which) : fd_(std::move(fd)) {
  if (tls == nullptr) return;
  SSL* ssl = SSL_new(tls->impl_->ctx.get());
  BIO* bio = ssl != nullptr ? BIO_new(tls->impl_->bio.get()) : nullptr;
  if (bio == nullptr) {
    SSL_free(ssl);
    throw machine_error("OpenSSL cannot create a TLS connection: out of memory");
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd_.get())));
  SSL_set_bio(ssl, bio, bio);
  which == side::dialled ? SSL_set_connect_state(ssl) : SSL_set_accept_state(ssl);
  ssl_ = ssl;
}

channel::channel(channel&& other) noexcept
    : fd_(std::move(other.fd_)),
      ssl_(std::exchange(other.ssl_, nullptr)),
      shaken_(other.shaken_),
      unreachable_(other.unreachable_),
      wants_writable_(other.wants_writable_),
      reason_(std::move(other.reason_)) {}

channel& channel::operator=(channel&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(ssl_, other.ssl_);
  std::swap(shaken_, other.shaken_);
  std::swap(unreachable_, other.unreachable_);
  std::swap(wants_writable_, other.wants_writable_);
  std::swap(reason_, other.reason_);
  return *this;
}

channel::~channel() { SSL_free(static_cast<SSL*>(ssl_)); }

void channel::broke(int code) {
  reason_ = code == 0 ? "" : std::strerror(code);
  unreachable_ = code == ECONNREFUSED || code == ETIMEDOUT || code == EHOSTUNREACH || code == ENETUNREACH;
}

std::ptrdiff_t channel::settle(int result) {
  SSL* ssl = static_cast<SSL*>(ssl_);
  if (!shaken_ && SSL_is_init_finished(ssl) != 0) shaken_ = true;
  wants_writable_ = false;
  if (result > 0) return result;
  const int system = errno;
  switch (SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_WRITE:
      wants_writable_ = true;
      return 0;
    case SSL_ERROR_WANT_READ:
      return 0;
    case SSL_ERROR_ZERO_RETURN:
      return -1;
    case SSL_ERROR_SSL: {
      const unsigned long code = ERR_get_error();
      const char* text = ERR_reason_error_string(code);
      reason_ = shaken_ ? fmt::format("TLS: {}", text != nullptr ? text : "unknown error")
                        : fmt::format("the TLS handshake failed ({}): the other side has another job key, or is not osteon",
                                      text != nullptr ? text : "unknown error");
      if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        reason_ =
            shaken_ ? ""
                    : "the connection ended during the TLS handshake: the other side rejected the job key, or is not osteon";
      }
      break;
    }
    default:
      broke(result == 0 ? 0 : system);
      if (!shaken_ && reason_.empty()) reason_ = "the connection ended during the TLS handshake";
  }
  ERR_clear_error();
  return -1;
}

std::ptrdiff_t channel::read(std::span<std::byte> into) {
  if (ssl_ != nullptr) {
    ERR_clear_error();
    errno = 0;
    return settle(SSL_read(static_cast<SSL*>(ssl_), into.data(), static_cast<int>(into.size())));
  }
  const ssize_t n = recv(fd_.get(), into.data(), into.size(), 0);
  if (n > 0) return n;
  if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN)) return 0;
  broke(n == 0 ? 0 : errno);
  return -1;
}

bool channel::holds_more() const noexcept { return ssl_ != nullptr && SSL_has_pending(static_cast<const SSL*>(ssl_)) != 0; }

std::ptrdiff_t channel::write(std::span<const std::byte> from) {
  if (from.empty()) return 0;
  if (ssl_ != nullptr) {
    ERR_clear_error();
    errno = 0;
    return settle(SSL_write(static_cast<SSL*>(ssl_), from.data(), static_cast<int>(from.size())));
  }
  const ssize_t n = send(fd_.get(), from.data(), from.size(), MSG_NOSIGNAL);
  wants_writable_ = n >= 0 && static_cast<std::size_t>(n) < from.size();
  if (n >= 0) return n;
  wants_writable_ = errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
  if (wants_writable_) return 0;
  broke(errno);
  return -1;
}

void channel::finish() noexcept {
  if (ssl_ != nullptr) {
    SSL_shutdown(static_cast<SSL*>(ssl_));
    ERR_clear_error();
  }
  shutdown(fd_.get(), SHUT_WR);
}

std::string keyed_digest(const std::string& key, const std::string& text) {
  unsigned char out[32];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), out, &size);
  return {reinterpret_cast<const char*>(out), 32};
}

bool same_secret(const std::string& a, const std::string& b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_bytes(std::size_t n) {
  std::string out(n, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(n)) != 1) {
    throw machine_error("OpenSSL cannot generate random numbers");
  }
  return out;
}

}  // namespace osteon::bridge::wire
