#include <osteon/net/networks/conflicts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>

namespace osteon::net {

namespace {

// Loads in one round. The cost of clearing is proportional to the number of used links, not to the number of all links.
class counter {
 public:
  explicit counter(const network& net) : net_(net), load_(net.links.size()), last_(net.links.size()) {}

  round_load count(const plan::plan& plan, std::int64_t r, std::span<const int> place, std::optional<collision>& first) {
    round_load result;
    result.round = r;
    for (int rank = 0; rank < plan.ranks; ++rank)
      for (const plan::transfer& m : plan::transfers(plan, plan.of(rank, r).sends)) {
        ++result.messages;
        route_.clear();
        net_.append_route(place[static_cast<std::size_t>(rank)], place[static_cast<std::size_t>(m.peer)], route_);
        for (const int l : route_) add(result, l, {rank, m.peer}, first);
      }
    std::int64_t sum = 0;
    for (const int l : used_) {
      sum += load_[static_cast<std::size_t>(l)];
      load_[static_cast<std::size_t>(l)] = 0;
    }
    if (!used_.empty()) result.mean = static_cast<double>(sum) / static_cast<double>(used_.size());
    used_.clear();
    return result;
  }

 private:
  void add(round_load& result, int l, plan::parcel message, std::optional<collision>& first) {
    const auto i = static_cast<std::size_t>(l);
    if (load_[i]++ == 0) used_.push_back(l);
    if (load_[i] > result.largest) {
      result.largest = load_[i];
      result.busiest = l;
    }
    if (load_[i] > net_.links[i].channels) {
      result.collision = true;
      if (!first) first = collision{result.round, l, last_[i], message};
    }
    last_[i] = message;
  }

  const network& net_;
  std::vector<int> load_, used_, route_;
  std::vector<plan::parcel> last_;
};

}  // namespace

conflict_report count_conflicts(const network& net, const plan::plan& plan, std::span<const int> places,
                                const round_range& rounds) {
  if (rounds.begin < 0 || rounds.step < 1)
    throw usage_error(fmt::format("rounds from {} in steps of {}: the first round must be >= 0 and the step >= 1",
                                  rounds.begin, rounds.step));
  const auto place = place_ranks(net, plan.ranks, places);
  const std::int64_t end = std::min(rounds.end, plan.rounds);
  const std::int64_t count = end > rounds.begin ? (end - rounds.begin + rounds.step - 1) / rounds.step : 0;
  if (count == 0 && plan.rounds > 0)
    throw usage_error(fmt::format("rounds {} to {}: out of range; plan '{}' has the rounds 0 to {}", rounds.begin,
                                  rounds.end, plan.name, plan.rounds - 1));
  if (count > most_messages_to_count / plan.ranks)
    throw usage_error(fmt::format("{} rounds of {} ranks exceed the limit of {} messages; select fewer rounds", count,
                                  plan.ranks, most_messages_to_count));
  conflict_report result;
  counter counter(net);
  for (std::int64_t r = rounds.begin; r < end; r += rounds.step) {
    result.rounds.push_back(counter.count(plan, r, place, result.first));
    const round_load& now = result.rounds.back();
    result.largest = std::max(result.largest, now.largest);
    result.mean_largest += now.largest / static_cast<double>(count);
    result.free_rounds += !now.collision;
  }
  return result;
}

link_loads loads_of(const network& net, const plan::plan& plan, std::int64_t round, std::span<const int> places) {
  const auto place = place_ranks(net, plan.ranks, places);
  link_loads result{std::vector<int>(net.links.size()), std::vector<double>(net.links.size())};
  std::vector<int> route;
  for (std::int64_t r = std::max<std::int64_t>(round, 0); r < (round < 0 ? plan.rounds : round + 1); ++r)
    for (int rank = 0; rank < plan.ranks; ++rank)
      for (const plan::transfer& m : plan::transfers(plan, plan.of(rank, r).sends)) {
        route.clear();
        net.append_route(place[static_cast<std::size_t>(rank)], place[static_cast<std::size_t>(m.peer)], route);
        for (const int l : route) {
          ++result.messages[static_cast<std::size_t>(l)];
          result.bytes[static_cast<std::size_t>(l)] += static_cast<double>(m.bytes);
        }
      }
  return result;
}

}  // namespace osteon::net
