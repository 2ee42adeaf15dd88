#include <array>
#include <bridge/wire/endpoint/cache_warmer.hpp>
#include <bridge/wire/link.hpp>
#include <bridge/wire/packet.hpp>
#include <bridge/wire/settings.hpp>
#include <bridge/wire/socket.hpp>
#include <thread>

namespace osteon::bridge::wire {
namespace {

constexpr std::chrono::microseconds interval(250);

}  // namespace

cache_warmer::cache_warmer(const tls_context* tls) {
  const settings options;
  std::string reason;
  try {
    auto [listener, port] = listen_on("", "127.0.0.1");
    descriptor dialled = dial(join_address("127.0.0.1", port), options, reason), accepted;
    for (int i = 0; i < 100 && dialled && !accepted; ++i) {
      accepted = accept_one(listener.get(), options);
      if (!accepted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!accepted) return;
    from_.emplace(std::move(dialled), tls, side::dialled);
    to_.emplace(std::move(accepted), tls, side::accepted);
    for (int i = 0; i < 10; ++i) send_and_receive();  // these packets complete the handshake of TLS
  } catch (const link_error&) {                       // there is no loopback interface; continue without the connection
  }
}

void cache_warmer::now_and_then() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < interval) return;
  last_ = now;
  send_and_receive();
}

void cache_warmer::send_and_receive() {
  if (!from_) return;
  std::array<std::byte, header_bytes + 8> word{};
  std::array<std::byte, 4096> into;
  const std::ptrdiff_t sent = from_->write(word), got = sent < 0 ? -1 : to_->read(into);
  if (got < 0) from_.reset();  // continue without the connection, because the connection only saves time
  if (got > 0) ++packets_;
}

}  // namespace osteon::bridge::wire
