#include <fmt/format.h>

#include <bridge/wire/packet.hpp>
#include <bridge/wire/settings.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <osteon/base/error.hpp>

namespace osteon::bridge::wire {
namespace {

std::string text(const char* name, const std::string& otherwise = "") {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

double number(const char* name, double otherwise) {
  const std::string value = text(name);
  if (value.empty()) return otherwise;
  char* end = nullptr;
  const double v = std::strtod(value.c_str(), &end);
  if (end == value.c_str() || *end != 0 || !std::isfinite(v)) {
    throw usage_error(fmt::format("{} = '{}' is no number", name, value));
  }
  return v;
}

int whole(const char* name, int otherwise) {
  const double v = number(name, otherwise);
  if (v != std::floor(v) || std::abs(v) > 2e9) throw usage_error(fmt::format("{} = {} is no whole number", name, v));
  return static_cast<int>(v);
}

std::size_t bytes(const char* name, std::size_t otherwise) {
  const double v = number(name, static_cast<double>(otherwise));
  if (v < 0 || v > 1e12) throw usage_error(fmt::format("{} = {} bytes is not in 0 .. 1e12", name, v));
  return static_cast<std::size_t>(v);
}

std::string key_from_environment() {
  if (const std::string key = text("OSTEON_WIRE_KEY"); !key.empty()) return key;
  const std::string path = text("OSTEON_WIRE_KEY_FILE");
  if (path.empty()) return {};
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.empty()) {
    throw usage_error(fmt::format("OSTEON_WIRE_KEY_FILE = '{}' holds no key in its first line", path));
  }
  return line;
}

template <class T>
void limit(const char* name, T value, T low, T high) {
  if (!(value >= low && value <= high)) {
    throw usage_error(fmt::format("{} = {} is not in {} .. {}", name, value, low, high));
  }
}

}  // namespace

bool joined_by_environment() { return !text("OSTEON_WIRE_SERVER").empty(); }

settings settings_from_environment() {
  settings s;
  s.server = text("OSTEON_WIRE_SERVER");
  s.key = key_from_environment();
  const std::string tls = text("OSTEON_WIRE_TLS", "on");
  if (tls != "on" && tls != "off") throw usage_error(fmt::format("OSTEON_WIRE_TLS = '{}' is neither on nor off", tls));
  s.tls = tls == "on";
  s.cluster = whole("OSTEON_WIRE_CLUSTER", s.cluster);
  s.address = text("OSTEON_WIRE_ADDRESS");
  s.ports = text("OSTEON_WIRE_PORTS");
  s.relay = text("OSTEON_WIRE_RELAY");
  s.streams = whole("OSTEON_WIRE_STREAMS", s.streams);
  s.pacing_mbit = number("OSTEON_WIRE_PACING_MBIT", s.pacing_mbit);
  s.congestion = text("OSTEON_WIRE_CONGESTION");
  s.zstd_below_mbit = number("OSTEON_WIRE_ZSTD_BELOW_MBIT", s.zstd_below_mbit);
  const std::string progress = text("OSTEON_WIRE_PROGRESS", "thread");
  if (progress != "thread" && progress != "polling") {
    throw usage_error(fmt::format("OSTEON_WIRE_PROGRESS = '{}' is neither thread nor polling", progress));
  }
  s.progress = progress == "thread" ? progress_mode::thread : progress_mode::polling;
  s.short_bytes = bytes("OSTEON_WIRE_SHORT", s.short_bytes);
  s.eager_bytes = bytes("OSTEON_WIRE_EAGER", s.eager_bytes);
  s.ackmark = whole("OSTEON_WIRE_ACKMARK", s.ackmark);
  s.hiwater = whole("OSTEON_WIRE_HIWATER", s.hiwater);
  s.heartbeat_seconds = number("OSTEON_WIRE_HEARTBEAT_S", s.heartbeat_seconds);
  s.cut_seconds = number("OSTEON_WIRE_CUT_S", s.cut_seconds);
  s.join_seconds = number("OSTEON_WIRE_JOIN_S", s.join_seconds);
  return s;
}

void validate(const settings& s) {
  if (s.server.empty()) throw usage_error("OSTEON_WIRE_SERVER is not set: start the program with `osteon join`");
  if (s.key.size() < 8) {
    throw usage_error(fmt::format("the job key has {} characters; at least 8 are needed (OSTEON_WIRE_KEY)", s.key.size()));
  }
  limit("OSTEON_WIRE_CLUSTER", s.cluster, 0, 31);  // IMPI's client mask has 32 bits
  limit("local size", s.local_size, 1, 1 << 20);
  limit("local rank", s.local_rank, 0, s.local_size - 1);
  limit("OSTEON_WIRE_STREAMS", s.streams, 1, 16);
  limit("OSTEON_WIRE_PACING_MBIT", s.pacing_mbit, 0.0, 1e6);
  limit("OSTEON_WIRE_SHORT", s.short_bytes, std::size_t{1}, max_payload);
  limit("OSTEON_WIRE_EAGER", s.eager_bytes, std::size_t{0}, std::size_t{1} << 36);
  limit("OSTEON_WIRE_HIWATER", s.hiwater, 1, 1 << 20);
  limit("OSTEON_WIRE_ACKMARK", s.ackmark, 1, s.hiwater);
  limit("OSTEON_WIRE_HEARTBEAT_S", s.heartbeat_seconds, 0.05, 3600.0);
  limit("OSTEON_WIRE_CUT_S", s.cut_seconds, 0.1, 86400.0);
  limit("OSTEON_WIRE_JOIN_S", s.join_seconds, 0.1, 86400.0);
}

}  // namespace osteon::bridge::wire
