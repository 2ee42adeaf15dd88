#include <bit>
#include <osteon/plan/exchange/pairs.hpp>

namespace osteon::plan {

namespace {

int next_power_of_two(int n) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))); }

}  // namespace

int pairing::rounds() const {
  if (count < 2) return 0;
  if (method == pairing_method::exclusive_or) return next_power_of_two(count) - 1;
  return count - 1 + count % 2;
}

int pairing::partner(int participant, int round) const {
  if (method == pairing_method::exclusive_or) {
    const int other = participant ^ (round + 1);
    return other < count ? other : -1;
  }
  // Seats 0 to m - 1 form a circle. In this circle, seat i is paired with seat 2 round - i. A seat i = 2 round - i is paired
  // with the middle seat. If the number of participants is odd, the middle seat is empty.
  const int m = count - 1 + count % 2, middle = m;
  const auto on_circle = [m](std::int64_t i) { return static_cast<int>(((i % m) + m) % m); };
  int other = 0;
  if (participant == middle)
    other = on_circle(round);
  else if (participant == on_circle(round))
    other = middle;
  else
    other = on_circle(std::int64_t{2} * round - participant);
  return other < count ? other : -1;
}

std::vector<std::pair<int, int>> pairing::pairs(int round) const {
  std::vector<std::pair<int, int>> result;
  for (int a = 0; a < count; ++a)
    if (const int b = partner(a, round); b > a) result.emplace_back(a, b);
  return result;
}

pairing best_pairing(int count) {
  const bool power_of_two = count > 0 && std::has_single_bit(static_cast<unsigned>(count));
  return {count, power_of_two ? pairing_method::exclusive_or : pairing_method::circle};
}

plan exchange_all_pairs(const pairing& schedule, std::int64_t elements) {
  const char* name = schedule.method == pairing_method::circle ? "all pairs, round robin" : "all pairs, exclusive or";
  plan result{.name = name, .ranks = schedule.count, .rounds = schedule.rounds(), .elements = elements};
  result.of = [schedule, elements](int rank, std::int64_t number) {
    round now;
    if (const int peer = schedule.partner(rank, static_cast<int>(number)); peer >= 0)
      now.sends = now.receives = {{peer, {0, elements}}};
    return now;
  };
  return result;
}

}  // namespace osteon::plan
