#include "mixed/choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <osteon/base/error.hpp>
#include <string>
#include <vector>

#include "front/front.hpp"

namespace osteon::bridge {
namespace {

/// The place of a variable's value among those allowed; the first is the default.
std::size_t one_of(const char* name, const std::vector<std::string>& allowed) {
  const std::string value = variable(name);
  if (value.empty()) return 0;
  const auto at = std::find(allowed.begin(), allowed.end(), value);
  if (at == allowed.end()) throw usage_error(fmt::format("{} = '{}' is none of: {}", name, value, fmt::join(allowed, ", ")));
  return static_cast<std::size_t>(at - allowed.begin());
}

}  // namespace

choices choices_from_environment() {
  choices c;
  c.bytes = one_of("OSTEON_BRIDGE_MODE", {"direct", "bytes"}) == 1;
  c.threads = one_of("OSTEON_BRIDGE_PROGRESS", {"polling", "threads"}) == 1;
  c.external32 = one_of("OSTEON_BRIDGE_DATA", {"native", "external32"}) == 1;
  c.order_of_ranks = one_of("OSTEON_BRIDGE_REDUCTIONS", {"clusters", "ranks"}) == 1;
  c.on_difference = static_cast<choices::arithmetic>(one_of("OSTEON_BRIDGE_ARITHMETIC", {"warn", "require", "ignore"}));
  if (const std::string text = variable("OSTEON_BRIDGE_SHORT"); !text.empty()) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), c.short_bytes);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || c.short_bytes > std::size_t{1} << 30)
      throw usage_error(fmt::format("OSTEON_BRIDGE_SHORT = '{}' is no number of bytes from 0 to 2^30", text));
  }
  return c;
}

}  // namespace osteon::bridge
