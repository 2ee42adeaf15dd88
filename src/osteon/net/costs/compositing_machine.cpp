#include <osteon/net/costs/compositing_machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/net/json_value.hpp>

namespace osteon::net {

namespace {

constexpr double bit_per_second = 1.0 / 8;  // rate in bytes/s

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
constexpr const char* file_schema = "osteon.compositing-machine/1";

class file_reader {
 public:
  file_reader(const json_value& text, std::string source) : text_(text), source_(std::move(source)) {}

  compositing_machine read() {
    if (text_.is != json_value::kind::object) fail("must be a JSON object");
    compositing_machine m;
    if (const json_value* given = text_.find("schema"); !given || !(*given == file_schema))
      fault("schema", fmt::format("must be \"{}\"", file_schema));
    if (const json_value* name = text_.find("name"); name && name->is_word())
      m.name = name->text;
    else
      fault("name", "must be a non-empty string");
    for (const key& k : keys) number(k, m);
    if (!text_.find("collect_bytes_per_second")) m.collect_rate = m.rate;
    if (!text_.find("collect_latency_s")) m.collect_latency = m.latency;
    if (const json_value* ranks = text_.find("ranks_per_host")) m.ranks_per_host = count(*ranks, "ranks_per_host");
    if (const json_value* sizes = text_.find("torus_zyx")) torus(*sizes, m);
    for (const std::string& name : text_.names)
      if (!known(name)) fault(name, "is an unknown key");
    if (!faults_.empty()) fail(faults_);
    return m;
  }

 private:
  void number(const key& k, compositing_machine& m) {
    const json_value* const value = text_.find(k.name);
    if (!value) {
      if (k.required) fault(k.name, "is missing");
      return;
    }
    const double x = value->is_number() ? value->number : -1;
    if (std::isfinite(x) && (k.positive ? x > 0 : x >= 0))
      m.*k.value = x;
    else
      fault(k.name, fmt::format("is {}; must be a number {} 0", value->shown(), k.positive ? ">" : ">="));
  }

  int count(const json_value& value, const char* name) {
    if (value.is == json_value::kind::whole && value.number >= 1 && value.number <= 1'000'000)
      return static_cast<int>(value.number);
    fault(name, fmt::format("is {}; must be an integer from 1 to 1000000", value.shown()));
    return 1;
  }

  void torus(const json_value& value, compositing_machine& m) {
    if (value.is != json_value::kind::list || value.items.size() != 3)
      return fault("torus_zyx", "must be three integers, the numbers of hosts along z, y and x");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      m.torus[axis] = count(value.items[axis], "torus_zyx");
      if (!std::has_single_bit(static_cast<unsigned>(m.torus[axis])))
        fault("torus_zyx", fmt::format("contains {}; each number of hosts must be a power of two", m.torus[axis]));
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
    throw data_error(fmt::format("'{}' is not a valid machine file: {}", source_, text));
  }

  const json_value& text_;
  std::string source_, faults_;
};

}  // namespace

compositing_machine blue_gene_l() { return by_figures("IBM Blue Gene/L", 2.8e9, 6e-6, 0.7e9); }
compositing_machine ha8000() { return by_figures("Hitachi HA8000 (T2K Tokyo)", 5e9, 8.5e-6, 2.3e9); }

compositing_machine extended(compositing_machine m, double slowdown, double arrival_overhead, double match_time) {
  m.rate /= slowdown;
  m.blend_rate /= slowdown;
  m.collect_rate /= slowdown;
  m.latency *= slowdown;
  m.collect_latency *= slowdown;
  m.arrival_overhead = arrival_overhead;
  m.match_time = match_time;
  return m;
}

compositing_machine measured_blue_gene_l() {
  return extended(blue_gene_l(), 1.0573462982285096, 3.424827474580288e-05, 1.7627380369485058e-08);
}
compositing_machine measured_ha8000() { return extended(ha8000(), 1.3068596210684937, 0, 8.59903638163036e-09); }

double sharing(const compositing_machine& m, int distance) {
  if (distance < m.ranks_per_host) return 1;
  const double of_host = std::max(1.0, m.ranks_per_host * m.rate / m.host_rate);
  if (m.torus[0] == 0) return of_host;
  // Hosts are numbered along x, then along y, then along z. A message uses `hops` links along its dimension. The link in the
  // middle therefore transmits `hops` messages.
  int hops = distance / m.ranks_per_host;
  for (const int axis : {2, 1}) {
    const int size = m.torus[static_cast<std::size_t>(axis)];
    if (hops < size) break;
    hops /= size;
  }
  return std::max(of_host, static_cast<double>(hops) * m.ranks_per_host);
}

compositing_machine parse_machine(const std::string& json_text, const std::string& source) {
  const auto parsed = parse_json(json_text);
  if (!parsed) throw data_error(fmt::format("'{}' is not a valid machine file: invalid JSON", source));
  return file_reader(*parsed, source).read();
}

std::string describe_machine(const compositing_machine& m) {
  std::string text = fmt::format("{{\n  \"schema\": \"{}\",\n  \"name\": {}", file_schema, json_quoted(m.name));
  for (const key& k : keys)
    if (std::isfinite(m.*k.value)) text += fmt::format(",\n  \"{}\": {}", k.name, m.*k.value);
  text += fmt::format(",\n  \"ranks_per_host\": {}", m.ranks_per_host);
  if (m.torus[0] > 0) text += fmt::format(",\n  \"torus_zyx\": [{}, {}, {}]", m.torus[0], m.torus[1], m.torus[2]);
  return text + "\n}";
}

}  // namespace osteon::net
