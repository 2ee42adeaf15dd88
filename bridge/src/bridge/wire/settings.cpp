#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bridge/error.hpp>
#include <bridge/wire/job_key.hpp>
#include <bridge/wire/packet.hpp>
#include <bridge/wire/settings.hpp>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace osteon::bridge::wire {
namespace {

/// Call f(key, value, low, high) for all numeric settings with their limits.
template <class S, class F>
void numbers(S& s, F&& f) {
  f("cluster", s.cluster, 0, 31);  // the client mask of IMPI has 32 bits
  f("streams", s.streams, 1, 16);
  f("pacing_mbit", s.pacing_mbit, 0.0, 1e6);
  f("zstd_below_mbit", s.zstd_below_mbit, 0.0, 1e6);
  f("short", s.short_bytes, std::size_t{1}, max_payload);
  f("eager", s.eager_bytes, std::size_t{0}, std::size_t{1} << 36);
  f("hiwater", s.hiwater, 1, 1 << 20);
  f("ackmark", s.ackmark, 1, 1 << 20);
  f("heartbeat_s", s.heartbeat_seconds, 0.05, 3600.0);
  f("cut_s", s.cut_seconds, 0.1, 86400.0);
  f("join_s", s.join_seconds, 0.1, 86400.0);
}

/// The fault of a range of ports. If the range is valid, the text is empty.
std::string fault_of_ports(const std::string& text) {
  const auto dash = text.find('-');
  unsigned ends[2] = {};
  const std::string bounds[2] = {text.substr(0, dash), dash == std::string::npos ? text : text.substr(dash + 1)};
  for (int i = 0; i < 2; ++i) {
    const auto read = std::from_chars(bounds[i].data(), bounds[i].data() + bounds[i].size(), ends[i]);
    if (read.ec != std::errc() || read.ptr != bounds[i].data() + bounds[i].size() || ends[i] < 1 || ends[i] > 65535)
      return fmt::format("'{}' must be a range of ports from 1 to 65535, such as 7000-7099", text);
  }
  return ends[0] <= ends[1] ? "" : fmt::format("'{}' is an empty range of ports: the first is above the last", text);
}

/// Contradictions between values.
void contradictions(const settings& s, std::vector<problem>& faults) {
  if (s.ackmark > s.hiwater)
    faults.push_back({"ackmark", fmt::format("{} is above hiwater = {}: senders would wait forever", s.ackmark, s.hiwater)});
}

template <class T>
std::string out_of_limits(T value, T low, T high) {
  return value >= low && value <= high ? "" : fmt::format("{} must be in {} .. {}", value, low, high);
}

/// Parse a number. @return fault of the number; empty for a valid number
template <class T>
std::string read_number(const std::string& text, T low, T high, T& into) {
  double v = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), v);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(v))
    return fmt::format("'{}' is not a number", text);
  if (std::is_integral_v<T> && v != std::floor(v)) return fmt::format("{} must be an integer", text);
  if (std::string fault = out_of_limits(v, static_cast<double>(low), static_cast<double>(high)); !fault.empty())
    return fault;
  into = static_cast<T>(v);
  return "";
}

std::string variable_of(const std::string& key) {
  std::string name = "OSTEON_WIRE_";
  for (const char c : key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

[[noreturn]] void refuse(const std::vector<problem>& faults) {
  std::string text;
  for (const problem& p : faults) text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", variable_of(p.where), p.text);
  throw usage_error(text);
}

const std::vector<std::string> names_in_file{"tls",         "streams", "pacing_mbit", "congestion", "zstd_below_mbit",
                                             "progress",    "short",   "eager",       "ackmark",    "hiwater",
                                             "heartbeat_s", "cut_s",   "join_s",      "ports"};

}  // namespace

const std::vector<std::string>& settings_of_file() { return names_in_file; }

settings read_settings(const given_values& given, std::vector<problem>& faults) {
  settings s;
  const auto text = [&](const char* key, const std::string& otherwise = "") {
    const auto at = given.find(key);
    return at == given.end() || at->second.empty() ? otherwise : at->second;
  };
  const auto one_of = [&](const char* key, const char* first, const char* second) {
    const std::string value = text(key, first);
    if (value != first && value != second)
      faults.push_back({key, fmt::format("'{}' must be {} or {}", value, first, second)});
    return value != second;
  };
  s.server = text("server");
  s.key = text("key");
  s.address = text("address");
  s.relay = text("relay");
  s.ports = text("ports");
  if (!s.ports.empty()) {
    if (const std::string fault = fault_of_ports(s.ports); !fault.empty()) faults.push_back({"ports", fault});
  }
  s.congestion = text("congestion");
  if (s.congestion.size() > 15)
    faults.push_back(
        {"congestion", fmt::format("'{}' is not a congestion control of Linux: bbr, cubic, ...", s.congestion)});
  s.tls = one_of("tls", "on", "off");
  s.progress = one_of("progress", "thread", "polling") ? progress_mode::thread : progress_mode::polling;
  numbers(s, [&](const char* key, auto& value, auto low, auto high) {
    if (text(key).empty()) return;
    if (const std::string fault = read_number(text(key), low, high, value); !fault.empty()) faults.push_back({key, fault});
  });
  contradictions(s, faults);
  return s;
}

bool joined_by_environment() {
  const char* server = std::getenv("OSTEON_WIRE_SERVER");
  return server != nullptr && *server != 0;
}

settings settings_from_environment() {
  given_values given;
  const auto look = [&](const std::string& key) {
    if (const char* value = std::getenv(variable_of(key).c_str())) given[key] = value;
  };
  for (const std::string& key : names_in_file) look(key);
  for (const char* key : {"server", "key", "key_file", "cluster", "address", "relay"}) look(key);
  if (given["key"].empty() && !given["key_file"].empty()) given["key"] = read_key_file(given["key_file"]);
  std::vector<problem> faults;
  settings s = read_settings(given, faults);
  if (!faults.empty()) refuse(faults);
  return s;
}

void validate(const settings& s) {
  if (s.server.empty()) throw usage_error("OSTEON_WIRE_SERVER is not set: start the program with `osteon join`");
  std::vector<problem> faults;
  if (const std::string fault = fault_of_key(s.key); !fault.empty()) faults.push_back({"key", fault});
  numbers(s, [&](const char* key, auto value, auto low, auto high) {
    if (const std::string fault = out_of_limits(value, low, high); !fault.empty()) faults.push_back({key, fault});
  });
  contradictions(s, faults);
  if (!faults.empty()) refuse(faults);
  if (s.local_size < 1 || s.local_rank < 0 || s.local_rank >= s.local_size)
    throw usage_error(fmt::format("local rank {} is outside of 0 .. {} - 1", s.local_rank, s.local_size));
}

}  // namespace osteon::bridge::wire
