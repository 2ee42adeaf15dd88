#include <osteon/net/networks/conflicts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>

namespace osteon::net {

namespace {

// Loads of one round; the cost of clearing is proportional to the counted links, not to all links.
class counter {
 public:
  explicit counter(const network& where) : where_(where), load_(where.links.size()), last_(where.links.size()) {}

  round_load count(const plan::plan& what, std::int64_t r, std::span<const int> place, std::optional<collision>& first) {
    round_load result;
    result.round = r;
    for (int rank = 0; rank < what.ranks; ++rank)
      for (const plan::transfer& m : plan::transfers(what, what.of(rank, r).sends)) {
        ++result.messages;
        way_.clear();
        where_.append_route(place[static_cast<std::size_t>(rank)], place[static_cast<std::size_t>(m.peer)], way_);
        for (const int l : way_) add(result, l, {rank, m.peer}, first);
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
    if (load_[i] > where_.links[i].channels) {
      result.collision = true;
      if (!first) first = collision{result.round, l, last_[i], message};
    }
    last_[i] = message;
  }

  const network& where_;
  std::vector<int> load_, used_, way_;
  std::vector<plan::parcel> last_;
};

}  // namespace

conflict_report count_conflicts(const network& where, const plan::plan& what, std::span<const int> places,
                                const round_range& rounds) {
  if (rounds.begin < 0 || rounds.step < 1)
    throw usage_error(fmt::format("rounds from {} in steps of {}: must begin at 0 or later, with a step of at least 1",
                                  rounds.begin, rounds.step));
  const auto place = place_ranks(where, what.ranks, places);
  const std::int64_t end = std::min(rounds.end, what.rounds);
  const std::int64_t count = end > rounds.begin ? (end - rounds.begin + rounds.step - 1) / rounds.step : 0;
  if (count == 0 && what.rounds > 0)
    throw usage_error(
        fmt::format("rounds {} to {}: '{}' has rounds 0 to {}", rounds.begin, rounds.end, what.name, what.rounds - 1));
  if (count > most_messages_to_count / what.ranks)
    throw usage_error(fmt::format(
        "{} rounds of {} ranks are more than the {} messages that are counted one by one: choose fewer rounds, or some",
        count, what.ranks, most_messages_to_count));
  conflict_report result;
  counter counter(where);
  for (std::int64_t r = rounds.begin; r < end; r += rounds.step) {
    result.rounds.push_back(counter.count(what, r, place, result.first));
    const round_load& now = result.rounds.back();
    result.largest = std::max(result.largest, now.largest);
    result.mean_largest += now.largest / static_cast<double>(count);
    result.free_rounds += !now.collision;
  }
  return result;
}

link_loads loads_of(const network& where, const plan::plan& what, std::int64_t round, std::span<const int> places) {
  const auto place = place_ranks(where, what.ranks, places);
  link_loads result{std::vector<int>(where.links.size()), std::vector<double>(where.links.size())};
  std::vector<int> way;
  for (std::int64_t r = std::max<std::int64_t>(round, 0); r < (round < 0 ? what.rounds : round + 1); ++r)
    for (int rank = 0; rank < what.ranks; ++rank)
      for (const plan::transfer& m : plan::transfers(what, what.of(rank, r).sends)) {
        way.clear();
        where.append_route(place[static_cast<std::size_t>(rank)], place[static_cast<std::size_t>(m.peer)], way);
        for (const int l : way) {
          ++result.messages[static_cast<std::size_t>(l)];
          result.bytes[static_cast<std::size_t>(l)] += static_cast<double>(m.bytes);
        }
      }
  return result;
}

}  // namespace osteon::net
