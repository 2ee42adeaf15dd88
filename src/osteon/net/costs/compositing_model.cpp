#include <osteon/net/costs/compositing_model.hpp>

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <osteon/base/error.hpp>

namespace osteon::net {

namespace {

void require_power_of_two(const char* quantity, int n) {
  if (n < 1 || !std::has_single_bit(static_cast<unsigned>(n)))
    throw usage_error(
        fmt::format("{} ({}) must be a power of two in the equations; evaluate the plan for other numbers", quantity, n));
}

int log2_of(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }

// Time of an exchange, and of the blend that follows the exchange. The exchange sends `bytes` bytes in each direction.
// `shared` messages use the same link.
double stage_time(const compositing_machine& m, double bytes, double shared) {
  return m.send_overhead + m.latency + bytes * shared / m.rate + m.blend_overhead + bytes / m.blend_rate;
}

// Equation 4 as printed.
frame_time letter(const compositing_machine& m, int ranks, double bytes) {
  if (ranks == 1) return {};
  return {bytes * (1 - 1.0 / ranks) * (m.latency + 1 / m.rate + m.blend_overhead + 1 / m.blend_rate),
          bytes * (m.collect_latency + 1 / m.collect_rate + m.reconstruct)};
}

}  // namespace

double collect_time(const compositing_machine& m, int ranks, double bytes, collect_method method) {
  if (ranks <= 1) return 0;
  const double moved = bytes / m.collect_rate + bytes * m.reconstruct;
  switch (method) {
    case collect_method::linear:
      return m.send_overhead + m.collect_latency + moved + m.fan_in(ranks - 1.0);
    case collect_method::tree:
      return std::ceil(std::log2(ranks)) * (m.send_overhead + m.collect_latency) + moved;
    case collect_method::leaders: {
      const double members = std::ceil(std::sqrt(ranks)), leaders = std::ceil(ranks / members);
      return 2 * (m.send_overhead + m.collect_latency) + bytes / leaders / m.collect_rate + m.fan_in(members - 1) + moved +
             m.fan_in(leaders - 1);
    }
  }
  return 0;
}

frame_time binary_swap_time(const compositing_machine& m, int ranks, double bytes, latency_reading reading,
                            collect_method method) {
  require_power_of_two("the number of ranks of a binary swap", ranks);
  if (reading == latency_reading::per_byte) return letter(m, ranks, bytes);
  frame_time result{0, collect_time(m, ranks, bytes, method)};
  for (int distance = 1; distance < ranks; distance *= 2)
    result.compose += stage_time(m, bytes / (2.0 * distance), sharing(m, distance));
  return result;
}

frame_time multi_step_time(const compositing_machine& m, int ranks, int group, double bytes, outer_method outer,
                           latency_reading reading, collect_method method) {
  require_power_of_two("the number of ranks", ranks);
  require_power_of_two("the group size", group);
  if (group > ranks) throw usage_error(fmt::format("the group size ({}) exceeds the number of ranks ({})", group, ranks));
  const int groups = ranks / group;
  frame_time result = binary_swap_time(m, group, bytes, reading, method);
  if (outer == outer_method::binary_swap) {
    const frame_time second = binary_swap_time(m, groups, bytes, reading, method);
    return {result.compose + second.compose, result.collect + second.collect};
  }
  // A tree transmits whole images between distant leaders. These messages use different links.
  const double letter_stage = bytes * (m.latency + 1 / m.rate + m.blend_overhead + 1 / m.blend_rate);
  const double stage = reading == latency_reading::per_byte ? letter_stage : stage_time(m, bytes, 1);
  result.compose += log2_of(groups) * stage;
  return result;
}

std::optional<int> group_in_equations(const std::string& method, int ranks) {
  const auto covered = [&](int n) { return n >= 1 && n <= ranks && std::has_single_bit(static_cast<unsigned>(n)); };
  const std::string_view name = std::string_view(method).substr(0, method.find('+'));
  if (!covered(ranks)) return {};
  if (name == "binary-swap") return ranks;
  constexpr std::string_view prefix = "multi-step:";
  if (!name.starts_with(prefix)) return {};
  int group = 0;
  const auto [rest, fault] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), group);
  if (fault != std::errc() || rest != name.data() + name.size() || !covered(group)) return {};
  return group;
}

}  // namespace osteon::net
