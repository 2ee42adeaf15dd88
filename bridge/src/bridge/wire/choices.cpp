#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bridge/wire/choices.hpp>
#include <charconv>
#include <cstdlib>

namespace osteon::bridge::wire {
namespace {

const std::vector<std::string> choice_names{"mode", "progress", "short", "data", "arithmetic", "reductions", "yield"};

std::string variable_of_choice(const std::string& key) {
  std::string name = "OSTEON_BRIDGE_";
  for (const char c : key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

const std::vector<std::string>& choices_of_file() { return choice_names; }

choices read_choices(const given_values& given, std::vector<problem>& faults) {
  const auto text = [&](const char* key) {
    const auto at = given.find(key);
    return at == given.end() ? std::string() : at->second;
  };
  // Index of a value in the list of allowed values. The first value is the default.
  const auto one_of = [&](const char* key, const std::vector<std::string>& allowed) -> std::size_t {
    const std::string value = text(key);
    const auto at = std::find(allowed.begin(), allowed.end(), value);
    if (at != allowed.end()) return static_cast<std::size_t>(at - allowed.begin());
    if (!value.empty()) faults.push_back({key, fmt::format("'{}' is not one of: {}", value, fmt::join(allowed, ", "))});
    return 0;
  };
  choices c;
  c.bytes = one_of("mode", {"direct", "bytes"}) == 1;
  c.threads = one_of("progress", {"polling", "threads"}) == 1;
  c.external32 = one_of("data", {"native", "external32"}) == 1;
  c.order_of_ranks = one_of("reductions", {"clusters", "ranks"}) == 1;
  c.on_difference = static_cast<choices::arithmetic>(one_of("arithmetic", {"warn", "require", "ignore"}));
  if (!text("yield").empty()) c.yields = one_of("yield", {"0", "1"}) == 1;
  if (const std::string bytes = text("short"); !bytes.empty()) {
    const auto read = std::from_chars(bytes.data(), bytes.data() + bytes.size(), c.short_bytes);
    if (read.ec != std::errc() || read.ptr != bytes.data() + bytes.size() || c.short_bytes > std::size_t{1} << 30)
      faults.push_back({"short", fmt::format("'{}' must be a number of bytes from 0 to 2^30", bytes)});
  }
  return c;
}

choices choices_from_environment() {
  given_values given;
  for (const std::string& key : choice_names) {
    if (const char* value = std::getenv(variable_of_choice(key).c_str())) given[key] = value;
  }
  std::vector<problem> faults;
  const choices c = read_choices(given, faults);
  std::string all;
  for (const problem& p : faults)
    all += fmt::format("{}{}: {}", all.empty() ? "" : "\n", variable_of_choice(p.where), p.text);
  if (!all.empty()) throw usage_error(all);
  return c;
}

}  // namespace osteon::bridge::wire
