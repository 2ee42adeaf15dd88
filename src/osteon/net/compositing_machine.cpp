#include <osteon/net/compositing_machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>

namespace osteon::net {

namespace {

constexpr double bit_per_second = 1.0 / 8;  // in bytes per second

compositing_machine by_figures(const char* name, double link, double latency, double blend) {
  compositing_machine m;
  m.name = name;
  m.rate = m.collect_rate = link * bit_per_second;
  m.latency = m.collect_latency = latency;
  m.blend_rate = blend * bit_per_second;
  return m;
}

struct key {
  const char* name;
  double compositing_machine::* value;
  bool required, positive;
};

constexpr key keys[] = {
    {"bytes_per_second", &compositing_machine::rate, true, true},
    {"latency_s", &compositing_machine::latency, true, false},
    {"blend_bytes_per_second", &compositing_machine::blend_rate, true, true},
    {"blend_overhead_s", &compositing_machine::blend_overhead, false, false},
    {"collect_bytes_per_second", &compositing_machine::collect_rate, false, true},
    {"collect_latency_s", &compositing_machine::collect_latency, false, false},
    {"reconstruct_s_per_byte", &compositing_machine::reconstruct, false, false},
    {"send_overhead_s", &compositing_machine::send_overhead, false, false},
    {"arrival_overhead_s", &compositing_machine::arrival_overhead, false, false},
    {"match_s", &compositing_machine::match_time, false, false},
    {"host_bytes_per_second", &compositing_machine::host_rate, false, true},
};
constexpr const char* schema = "osteon.compositing-machine/1";

using json = nlohmann::ordered_json;

class reader {
 public:
  reader(const json& text, std::string source) : text_(text), source_(std::move(source)) {}

  compositing_machine read() {
    if (!text_.is_object()) fail("it must be an object of keys and values");
    compositing_machine m;
    if (text_.value("schema", json()) != schema) fault("schema", fmt::format("must be \"{}\"", schema));
    if (!text_.contains("name") || !text_["name"].is_string() || text_["name"] == "")
      fault("name", "must be a text");
    else
      m.name = text_["name"];
    for (const key& k : keys) number(k, m);
    if (!text_.contains("collect_bytes_per_second")) m.collect_rate = m.rate;
    if (!text_.contains("collect_latency_s")) m.collect_latency = m.latency;
    if (text_.contains("ranks_per_host")) m.ranks_per_host = count(text_["ranks_per_host"], "ranks_per_host");
    if (text_.contains("torus_zyx")) torus(text_["torus_zyx"], m);
    for (const auto& [name, value] : text_.items())
      if (!known(name)) fault(name, "is no key of a machine");
    if (!faults_.empty()) fail(faults_);
    return m;
  }

 private:
  void number(const key& k, compositing_machine& m) {
    if (!text_.contains(k.name)) {
      if (k.required) fault(k.name, "is missing");
      return;
    }
    const json& value = text_[k.name];
    const double x = value.is_number() ? value.get<double>() : -1;
    if (std::isfinite(x) && (k.positive ? x > 0 : x >= 0))
      m.*k.value = x;
    else
      fault(k.name, fmt::format("is {}; it must be a number {} 0", value.dump(), k.positive ? "above" : "not below"));
  }

  int count(const json& value, const char* name) {
    if (value.is_number_integer() && value >= 1 && value <= 1'000'000) return value.get<int>();
    fault(name, fmt::format("is {}; it must be a whole number from 1 to 1000000", value.dump()));
    return 1;
  }

  void torus(const json& value, compositing_machine& m) {
    if (!value.is_array() || value.size() != 3) return fault("torus_zyx", "must be three numbers of hosts");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      m.torus[axis] = count(value[axis], "torus_zyx");
      if (!std::has_single_bit(static_cast<unsigned>(m.torus[axis])))
        fault("torus_zyx", fmt::format("has {} hosts along an axis; only powers of two are modelled", m.torus[axis]));
    }
  }

  static bool known(const std::string& name) {
    return name == "schema" || name == "name" || name == "ranks_per_host" || name == "torus_zyx" ||
           std::any_of(std::begin(keys), std::end(keys), [&](const key& k) { return name == k.name; });
  }

  void fault(const std::string& where, const std::string& text) {
    faults_ += fmt::format("{}{} {}", faults_.empty() ? "" : "; ", where, text);
  }
  [[noreturn]] void fail(const std::string& text) const {
    throw data_error(fmt::format("'{}' describes no machine: {}", source_, text));
  }

  const json& text_;
  std::string source_, faults_;
};

}  // namespace

compositing_machine blue_gene_l() { return by_figures("IBM Blue Gene/L", 2.8e9, 6e-6, 0.7e9); }
compositing_machine ha8000() { return by_figures("Hitachi HA8000 (T2K Tokyo)", 5e9, 8.5e-6, 2.3e9); }

double sharing(const compositing_machine& m, int distance) {
  if (distance < m.ranks_per_host) return 1;
  const double of_host = std::max(1.0, m.ranks_per_host * m.rate / m.host_rate);
  if (m.torus[0] == 0) return of_host;
  // Hosts are numbered along x, then y, then z. Along the line of its dimension a message passes `hops` links, and so
  // many messages pass the link in the middle.
  int hops = distance / m.ranks_per_host;
  for (const int axis : {2, 1}) {
    const int size = m.torus[static_cast<std::size_t>(axis)];
    if (hops < size) break;
    hops /= size;
  }
  return std::max(of_host, static_cast<double>(hops) * m.ranks_per_host);
}

compositing_machine parse_machine(const std::string& json_text, const std::string& source) {
  const json parsed = json::parse(json_text, nullptr, false);
  if (parsed.is_discarded()) throw data_error(fmt::format("'{}' describes no machine: it is not valid JSON", source));
  return reader(parsed, source).read();
}

std::string describe_machine(const compositing_machine& m) {
  json text = {{"schema", schema}, {"name", m.name}};
  for (const key& k : keys)
    if (std::isfinite(m.*k.value)) text[k.name] = m.*k.value;
  text["ranks_per_host"] = m.ranks_per_host;
  if (m.torus[0] > 0) text["torus_zyx"] = m.torus;
  return text.dump(2);
}

}  // namespace osteon::net
