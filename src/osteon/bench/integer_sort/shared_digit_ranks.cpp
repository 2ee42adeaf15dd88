#include <algorithm>
#include <array>
#include <numeric>
#include <osteon/base/stopwatch.hpp>
#include <osteon/bench/integer_sort/digit_ranks.hpp>
#include <osteon/comm/shared_window.hpp>
#include <osteon/plan/partition.hpp>
#include <thread>
#include <vector>

namespace osteon::bench::integer_sort {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

/// What a rank has in shared memory. Counts are there twice, in turn: a rank counts anew while others still sum the last
/// ones. It cannot overtake them by more, because `counted` of the next turn says that a rank has summed the last.
class stretch {
 public:
  stretch(std::byte* at, std::int64_t keys, std::int64_t values, int ranks)
      : at_(at), values_(static_cast<std::size_t>(values)), carries_(digit_counts::carries_of(keys)), ranks_(ranks) {}
  std::size_t bytes() const { return starts_at() + pages(4 * values_); }

  struct head {
    std::atomic<std::uint64_t> counted, summed;  ///< turns
    std::array<std::size_t, 2> carried;
  };
  head& state() const { return *reinterpret_cast<head*>(at_); }
  /// Keys of this rank in each stretch of values, shape (ranks).
  std::uint32_t* sums(std::uint64_t turn) const { return at<std::uint32_t>(page + turn % 2 * sums_bytes()); }
  digit_counts counts(std::uint64_t turn) const {
    std::byte* begin = at_ + page + 2 * sums_bytes() + turn % 2 * counts_bytes();
    return {{reinterpret_cast<std::uint16_t*>(begin), values_},
            {reinterpret_cast<std::uint32_t*>(begin + pages(2 * values_)), carries_}};
  }
  std::uint32_t* starts() const { return at<std::uint32_t>(starts_at()); }

 private:
  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(at_ + offset);
  }
  std::size_t sums_bytes() const { return pages(4 * static_cast<std::size_t>(ranks_)); }
  std::size_t counts_bytes() const { return pages(2 * values_) + pages(4 * carries_); }
  std::size_t starts_at() const { return page + 2 * sums_bytes() + 2 * counts_bytes(); }

  std::byte* at_;
  std::size_t values_, carries_;
  int ranks_;
};

class shared_digit_ranks final : public digit_ranks {
 public:
  shared_digit_ranks(MPI_Comm host, std::int64_t keys, std::int64_t values)
      : rank_(comm::rank(host)), ranks_(comm::size(host)) {
    MPI_Allreduce(MPI_IN_PLACE, &keys, 1, MPI_INT64_T, MPI_MAX, host);
    window_ = comm::shared_window::make(host, stretch(nullptr, keys, values, ranks_).bytes());
    for (int r = 0; r < ranks_; ++r) stretches_.emplace_back(window_.of(r), keys, values, ranks_);
    crowded_ = static_cast<unsigned>(ranks_) > std::thread::hardware_concurrency();
  }

  void rank(std::span<const std::int32_t> keys, digit which, phase_seconds& seconds) override {
    const stopwatch watch;
    ++turn_;
    values_ = which.values();
    count(keys, which);
    const double counted = watch.seconds();
    for (const stretch& s : stretches_) comm::wait_until(s.state().counted, turn_, crowded_);
    const double met = watch.seconds();
    sum();
    own().state().summed.store(turn_, std::memory_order_release);
    seconds.trans += met - counted;
    seconds.exec += watch.seconds() - met + counted;
  }

  std::span<std::uint32_t> starts(phase_seconds& seconds) override {
    const stopwatch watch;
    for (const stretch& s : stretches_) comm::wait_until(s.state().summed, turn_, crowded_);
    seconds.trans += watch.seconds();
    return {own().starts(), static_cast<std::size_t>(values_)};
  }

 private:
  const stretch& own() const { return stretches_[static_cast<std::size_t>(rank_)]; }
  plan::partition parts() const { return {values_, ranks_}; }

  digit_counts counts(const stretch& of) const {
    digit_counts all = of.counts(turn_);
    return {all.low.first(static_cast<std::size_t>(values_)), all.carries};
  }

  void count(std::span<const std::int32_t> keys, digit which) {
    const digit_counts mine = counts(own());
    const std::size_t carried = count_digits(keys, which, mine);
    own().state().carried[turn_ % 2] = carried;
    for (int part = 0; part < ranks_; ++part) {
      const auto first = mine.low.begin() + parts().cut(part), last = mine.low.begin() + parts().cut(part + 1);
      own().sums(turn_)[part] = std::accumulate(first, last, std::uint32_t{0});
    }
    for (const std::uint32_t value : mine.carries.first(carried)) own().sums(turn_)[parts().part_of(value)] += 1u << 16;
    own().state().counted.store(turn_, std::memory_order_release);
  }

  // Turn all ranks' counts of this rank's part of the values into starts.
  void sum() {
    std::uint32_t before = 0;
    for (const stretch& s : stretches_) before = std::accumulate(s.sums(turn_), s.sums(turn_) + rank_, before);
    // So many values at a time that their sums stay in the first cache.
    constexpr std::int64_t chunk = 2048;
    const plan::span part = parts().part(rank_);
    for (std::int64_t begin = part.begin; begin < part.end; begin += chunk)
      before = sum_chunk({begin, std::min(begin + chunk, part.end)}, before);
  }

  std::uint32_t sum_chunk(plan::span chunk, std::uint32_t before) {
    std::array<std::uint32_t, 2048> next{};
    const auto length = static_cast<std::size_t>(chunk.size());
    for (const stretch& s : stretches_) add(s, chunk, next.data());
    for (std::size_t v = 0; v < length; ++v) {
      const std::uint32_t total = next[v];
      next[v] = before;
      before += total;
    }
    for (const stretch& s : stretches_) {
      std::copy_n(next.begin(), length, s.starts() + chunk.begin);
      add(s, chunk, next.data());
    }
    return before;
  }

  void add(const stretch& from, plan::span chunk, std::uint32_t* to) const {
    const digit_counts from_counts = counts(from);
    const std::uint16_t* const low = from_counts.low.data() + chunk.begin;
    for (std::int64_t v = 0; v < chunk.size(); ++v) to[v] += low[v];
    for (const std::uint32_t value : from_counts.carries.first(from.state().carried[turn_ % 2]))
      if (value >= chunk.begin && value < chunk.end) to[value - chunk.begin] += 1u << 16;
  }

  int rank_, ranks_;
  bool crowded_ = false;
  comm::shared_window window_;
  std::vector<stretch> stretches_;
  std::uint64_t turn_ = 0;
  std::int64_t values_ = 0;
};

}  // namespace

std::unique_ptr<digit_ranks> digit_ranks_in_shared_memory(MPI_Comm host, std::int64_t keys, std::int64_t values) {
  return std::make_unique<shared_digit_ranks>(host, keys, values);
}

}  // namespace osteon::bench::integer_sort
