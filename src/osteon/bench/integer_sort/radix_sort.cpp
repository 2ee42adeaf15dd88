#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/bench/integer_sort/radix_sort.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::bench::integer_sort {

std::vector<digit> digits_of(const problem_class& what, const std::vector<int>& widths) {
  std::vector<digit> digits;
  int low = 0;
  for (const int width : widths) {
    if (width < 1 || width > what.log2_values)
      throw usage_error(fmt::format("a digit of {} bits: keys of class {} have {}", width, what.letter, what.log2_values));
    digits.push_back({low, width});
    low += width;
  }
  if (low != what.log2_values)
    throw usage_error(fmt::format("digits of {} bits make up {} bits: keys of class {} have {}", fmt::join(widths, "+"), low,
                                  what.letter, what.log2_values));
  return digits;
}

radix_sort::radix_sort(MPI_Comm comm, const problem_class& what, std::vector<digit> digits, tables way,
                       const std::string& schedule)
    : comm_(comm),
      rank_(comm::rank(comm)),
      ranks_(comm::size(comm)),
      blocks_(what.keys(), ranks_),
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
  // Keys whose lower digits are below those of a test key are as many as the place that a key like it would get if it stood
  // in front of all others, digit after digit.
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

void radix_sort::move(std::size_t pass, arrangement& into) {
  static_assert(sizeof(record) == bytes_of_sent_key);
  const digit by = digits_[pass];
  std::vector<std::int64_t>& sent = sent_[pass];
  const std::span<std::uint32_t> next = digit_ranks_->starts(seconds_);
  stopwatch watch;
  std::fill(sent.begin(), sent.end(), 0);
  places_.resize(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    places_[i] = next[by.of(keys_[i])]++;
    ++sent[static_cast<std::size_t>(blocks_.owner(places_[i]))];
  }
  const std::int64_t kept = std::exchange(sent[static_cast<std::size_t>(rank_)], 0);
  const auto to = comm::parcels::packed(sent);
  sends_.resize(static_cast<std::size_t>(to.elements()));
  into.keys.resize(static_cast<std::size_t>(blocks_.count(rank_)));
  into.origins.resize(into.keys.size());
  const auto put = [&](const record& r) {
    into.keys[r.place] = r.key;
    into.origins[r.place] = r.origin;
  };
  std::vector<std::int64_t> at = to.offsets;
  const auto first = static_cast<std::uint32_t>(blocks_.begin(rank_));
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const int owner = blocks_.owner(places_[i]);
    const record r{keys_[i], origins_.empty() ? first + static_cast<std::uint32_t>(i) : origins_[i],
                   places_[i] - static_cast<std::uint32_t>(blocks_.begin(owner))};
    if (owner == rank_)
      put(r);
    else
      sends_[static_cast<std::size_t>(at[static_cast<std::size_t>(owner)]++)] = r;
  }
  seconds_.exec += watch.seconds();

  watch.restart();
  const auto from = comm::parcels::packed(exchange_.counts_from(sent));
  arrivals_.resize(static_cast<std::size_t>(from.elements()));
  exchange_.run<record>(sends_, to, arrivals_, from);
  seconds_.trans += watch.seconds();

  watch.restart();
  for (const record& r : arrivals_) put(r);
  sent[static_cast<std::size_t>(rank_)] = kept;
  seconds_.exec += watch.seconds();
}

}  // namespace osteon::bench::integer_sort
