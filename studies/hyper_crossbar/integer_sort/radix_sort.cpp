#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/communicator.hpp>
#include <studies/hyper_crossbar/integer_sort/radix_sort.hpp>

namespace osteon::studies::integer_sort {

std::vector<digit> digits_of(const problem_class& problem, const std::vector<int>& widths) {
  std::vector<digit> digits;
  int low = 0;
  for (const int width : widths) {
    if (width < 1 || width > problem.log2_values)
      throw usage_error(
          fmt::format("a digit of {} bits: keys of class {} have {}", width, problem.letter, problem.log2_values));
    digits.push_back({low, width});
    low += width;
  }
  if (low != problem.log2_values)
    throw usage_error(fmt::format("digits of {} bits make up {} bits: keys of class {} have {}", fmt::join(widths, "+"), low,
                                  problem.letter, problem.log2_values));
  return digits;
}

radix_sort::radix_sort(MPI_Comm comm, const problem_class& problem, std::vector<digit> digits, tables way,
                       const std::string& schedule)
    : comm_(comm),
      rank_(comm::rank(comm)),
      ranks_(comm::size(comm)),
      blocks_(problem.keys(), ranks_),
      digits_(std::move(digits)),
      sent_(digits_.size(), std::vector<std::int64_t>(static_cast<std::size_t>(ranks_))),
      exchange_(comm, {schedule}) {
  digit_ranks_ = way == tables::shared ? digit_ranks_in_shared_memory(comm, blocks_.count(rank_), digits_)
                                       : digit_ranks_by_messages(comm, blocks_.count(rank_), digits_);
}

std::int64_t radix_sort::owned_place(std::int64_t place) const {
  const std::int64_t local = place - blocks_.begin(rank_);
  return local >= 0 && local < blocks_.count(rank_) ? local : -1;
}

std::array<std::int64_t, tests> radix_sort::rank(std::span<const std::int32_t> keys,
                                                 const std::array<std::int32_t, tests>& test_keys) {
  keys_ = keys;
  origins_ = {};
  // Compute the number of keys below a test key, one digit after another. This number is the position of the first of all
  // keys that are equal to the test key.
  std::array<std::int64_t, tests> places{};
  for (std::size_t pass = 0; pass < digits_.size(); ++pass) {
    const digit d = digits_[pass];
    digit_ranks_->rank(keys_, d, seconds_);
    std::array<std::int64_t, tests> next;
    next.fill(-1);
    for (std::size_t t = 0; t < tests; ++t)
      if (const std::int64_t front = owned_place(places[t]); front >= 0)
        next[t] = digit_ranks_->starts(seconds_)[d.of(test_keys[t])] +
                  std::count_if(keys_.begin(), keys_.begin() + front,
                                [&](std::int32_t key) { return d.of(key) == d.of(test_keys[t]); });
    places = next;
    if (pass + 1 == digits_.size()) break;
    const stopwatch watch;
    MPI_Allreduce(MPI_IN_PLACE, places.data(), tests, MPI_INT64_T, MPI_MAX, comm_);
    seconds_.trans += watch.seconds();
    arrangement& moved = held_[pass % 2];
    move(pass, moved);
    keys_ = moved.keys;
    origins_ = moved.origins;
  }
  return places;
}

arrangement radix_sort::arrange() {
  arrangement result;
  move(digits_.size() - 1, result);
  return result;
}

void radix_sort::count_sent(digit by, std::span<const std::uint32_t> starts, std::vector<std::int64_t>& sent) {
  std::fill(sent.begin(), sent.end(), 0);
  counts_.resize(static_cast<std::size_t>(by.values()));
  count_digits(keys_, by, counts_);
  for (std::size_t v = 0; v < counts_.size(); ++v)
    for (std::int64_t place = starts[v], end = place + counts_[v]; place < end;) {
      const int owner = blocks_.owner(static_cast<std::uint32_t>(place));
      const std::int64_t here = std::min(end, blocks_.begin(owner + 1)) - place;
      sent[static_cast<std::size_t>(owner)] += here;
      place += here;
    }
}

template <class Take>
void radix_sort::in_runs(digit by, std::span<std::uint32_t> next, Take take) {
  const auto first = static_cast<std::uint32_t>(blocks_.begin(rank_));
  const auto element = [&](std::size_t i) -> origin_and_key {
    return {origins_.empty() ? first + static_cast<std::uint32_t>(i) : origins_[i], keys_[i]};
  };
  constexpr std::uint32_t line = 64 / sizeof(std::int32_t);
  constexpr std::int64_t most_lines = 4096;  // capacity of a second-level cache
  if (by.values() > most_lines) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const origin_and_key one = element(i);
      take(next[by.of(one.key)]++, std::span(&one, 1));
    }
    return;
  }
  lines_.resize(static_cast<std::size_t>(by.values()) * line);
  std::vector<std::uint32_t> held(static_cast<std::size_t>(by.values()));
  const auto flush = [&](std::uint32_t value) {
    take(next[value], std::span(&lines_[value * line], held[value]));
    next[value] += std::exchange(held[value], 0);
  };
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const origin_and_key one = element(i);
    const std::uint32_t value = by.of(one.key);
    lines_[value * line + held[value]++] = one;
    if ((next[value] + held[value]) % line == 0) flush(value);
  }
  for (std::uint32_t value = 0; value < held.size(); ++value)
    if (held[value] > 0) flush(value);
}

void radix_sort::move(std::size_t pass, arrangement& into) {
  static_assert(sizeof(record) == bytes_of_sent_key);
  const digit by = digits_[pass];
  std::vector<std::int64_t>& sent = sent_[pass];
  const std::span<std::uint32_t> next = digit_ranks_->starts(seconds_);
  stopwatch watch;
  count_sent(by, next, sent);
  const std::int64_t kept = std::exchange(sent[static_cast<std::size_t>(rank_)], 0);
  const auto to = comm::parcels::packed(sent);
  sends_.resize(static_cast<std::size_t>(to.elements()));
  into.keys.resize(static_cast<std::size_t>(blocks_.count(rank_)));
  into.origins.resize(into.keys.size());
  std::vector<std::int64_t> at = to.offsets;
  in_runs(by, next, [&](std::uint32_t place, std::span<const origin_and_key> run) {
    while (!run.empty()) {
      const int owner = blocks_.owner(place);
      auto local = static_cast<std::size_t>(place - blocks_.begin(owner));
      const auto here = std::min(run.size(), static_cast<std::size_t>(blocks_.count(owner)) - local);
      place += static_cast<std::uint32_t>(here);
      if (owner == rank_)
        for (const auto& [origin, key] : run.first(here)) {
          into.keys[local] = key;
          into.origins[local++] = origin;
        }
      else
        for (const auto& [origin, key] : run.first(here))
          sends_[static_cast<std::size_t>(at[static_cast<std::size_t>(owner)]++)] = {key, origin,
                                                                                     static_cast<std::uint32_t>(local++)};
      run = run.subspan(here);
    }
  });
  seconds_.exec += watch.seconds();

  watch.restart();
  const auto from = comm::parcels::packed(exchange_.counts_from(sent));
  arrivals_.resize(static_cast<std::size_t>(from.elements()));
  exchange_.run<record>(sends_, to, arrivals_, from);
  seconds_.trans += watch.seconds();

  watch.restart();
  for (const record& r : arrivals_) {
    into.keys[r.place] = r.key;
    into.origins[r.place] = r.origin;
  }
  sent[static_cast<std::size_t>(rank_)] = kept;
  seconds_.exec += watch.seconds();
}

}  // namespace osteon::studies::integer_sort
