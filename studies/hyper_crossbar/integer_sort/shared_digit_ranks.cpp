#include <algorithm>
#include <array>
#include <numeric>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/shared_window.hpp>
#include <osteon/plan/partition.hpp>
#include <studies/hyper_crossbar/integer_sort/digit_ranks.hpp>
#include <thread>
#include <vector>

namespace osteon::studies::integer_sort {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

/// Data of a rank in shared memory. Two arrays of counts are used alternately. A rank may count the next digit while other
/// ranks still sum the previous counts. A rank cannot be further ahead. `counted` of the next round implies that the rank
/// has summed the previous counts.
class stretch {
 public:
  stretch(std::byte* at, std::int64_t values, std::size_t count_bytes, int ranks)
      : at_(at), values_(static_cast<std::size_t>(values)), count_bytes_(count_bytes), ranks_(ranks) {}
  std::size_t bytes() const { return starts_at() + pages(4 * values_); }

  struct head {
    std::atomic<std::uint64_t> counted, summed;  ///< numbers of completed rounds
    std::array<bool, 2> wrapped;                 ///< for each of two arrays, true if the counts of a round have overflowed
  };
  head& state() const { return *reinterpret_cast<head*>(at_); }
  /// Number of keys of this rank in each part of the values, shape (ranks).
  std::uint32_t* sums(std::uint64_t turn) const { return at<std::uint32_t>(page + turn % 2 * sums_bytes()); }
  template <class Count>
  Count* counts(std::uint64_t turn) const {
    return at<Count>(page + 2 * sums_bytes() + turn % 2 * counts_bytes());
  }
  std::uint32_t* starts() const { return at<std::uint32_t>(starts_at()); }

 private:
  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(at_ + offset);
  }
  std::size_t sums_bytes() const { return pages(4 * static_cast<std::size_t>(ranks_)); }
  std::size_t counts_bytes() const { return pages(count_bytes_ * values_); }
  std::size_t starts_at() const { return page + 2 * sums_bytes() + 2 * counts_bytes(); }

  std::byte* at_;
  std::size_t values_, count_bytes_;
  int ranks_;
};

class shared_digit_ranks final : public digit_ranks {
 public:
  shared_digit_ranks(MPI_Comm host, std::int64_t keys, std::span<const digit> digits)
      : host_(host), rank_(comm::rank(host)), ranks_(comm::size(host)), most_values_(most_values(digits)) {
    MPI_Allreduce(MPI_IN_PLACE, &keys, 1, MPI_INT64_T, MPI_MAX, host);
    crowded_ = static_cast<unsigned>(ranks_) > std::thread::hardware_concurrency();
    take_memory(bytes_may_do(keys, digits));
  }

  void rank(std::span<const std::int32_t> keys, digit which, phase_seconds& seconds) override {
    const stopwatch watch;
    ++turn_;
    values_ = which.values();
    if (narrow_)
      count<std::uint8_t>(keys, which);
    else
      count<std::uint32_t>(keys, which);
    const double counted = watch.seconds();
    for (const stretch& s : stretches_) comm::wait_until(s.state().counted, turn_, crowded_);
    const double met = watch.seconds();
    seconds.trans += met - counted;
    seconds.exec += counted;
    if (narrow_ && any_wrapped()) {  // the condition is equal on all ranks
      take_memory(false);
      rank(keys, which, seconds);
      return;
    }
    if (narrow_)
      sum<std::uint8_t>();
    else
      sum<std::uint32_t>();
    own().state().summed.store(turn_, std::memory_order_release);
    seconds.exec += watch.seconds() - met;
  }

  std::span<std::uint32_t> starts(phase_seconds& seconds) override {
    const stopwatch watch;
    for (const stretch& s : stretches_) comm::wait_until(s.state().summed, turn_, crowded_);
    seconds.trans += watch.seconds();
    return {own().starts(), static_cast<std::size_t>(values_)};
  }

 private:
  void take_memory(bool narrow) {
    narrow_ = narrow;
    turn_ = 0;
    stretches_.clear();
    const std::size_t count_bytes = narrow ? 1 : 4;
    window_ = comm::shared_window::make(host_, stretch(nullptr, most_values_, count_bytes, ranks_).bytes());
    for (int r = 0; r < ranks_; ++r) stretches_.emplace_back(window_.of(r), most_values_, count_bytes, ranks_);
  }

  const stretch& own() const { return stretches_[static_cast<std::size_t>(rank_)]; }
  plan::partition parts() const { return {values_, ranks_}; }
  bool any_wrapped() const {
    return std::any_of(stretches_.begin(), stretches_.end(), [&](const auto& s) { return s.state().wrapped[turn_ % 2]; });
  }

  template <class Count>
  void count(std::span<const std::int32_t> keys, digit which) {
    Count* const counts = own().counts<Count>(turn_);
    count_digits(keys, which, std::span(counts, static_cast<std::size_t>(values_)));
    std::uint32_t all = 0;
    for (int part = 0; part < ranks_; ++part)
      all += own().sums(turn_)[part] =
          std::accumulate(counts + parts().cut(part), counts + parts().cut(part + 1), std::uint32_t{0});
    own().state().wrapped[turn_ % 2] = all != keys.size();
    own().state().counted.store(turn_, std::memory_order_release);
  }

  // Convert the counts of all ranks to starts, for the values assigned to this rank.
  template <class Count>
  void sum() {
    std::uint32_t before = 0;
    for (const stretch& s : stretches_) before = std::accumulate(s.sums(turn_), s.sums(turn_) + rank_, before);
    const plan::span part = parts().part(rank_);
    for (std::int64_t begin = part.begin; begin < part.end; begin += chunk)
      before = sum_chunk<Count>({begin, std::min(begin + chunk, part.end)}, before);
  }

  template <class Count>
  std::uint32_t sum_chunk(plan::span values, std::uint32_t before) {
    std::array<std::uint32_t, chunk> next;
    const auto length = static_cast<std::size_t>(values.size());
    std::fill_n(next.begin(), length, 0u);
    const auto add = [&](const stretch& s) {
      const Count* const counts = s.counts<Count>(turn_) + values.begin;
      for (std::size_t v = 0; v < length; ++v) next[v] += counts[v];
    };
    for (const stretch& s : stretches_) add(s);
    for (std::size_t v = 0; v < length; ++v) before += std::exchange(next[v], before);
    for (const stretch& s : stretches_) {
      std::copy_n(next.begin(), length, s.starts() + values.begin);
      add(s);
    }
    return before;
  }

  /// Number of values that are processed at a time. The sums of these values remain in the first-level cache.
  static constexpr std::int64_t chunk = 2048;

  MPI_Comm host_;
  int rank_, ranks_;
  std::int64_t most_values_;
  bool crowded_ = false, narrow_ = false;
  comm::shared_window window_;
  std::vector<stretch> stretches_;
  std::uint64_t turn_ = 0;
  std::int64_t values_ = 0;
};

}  // namespace

std::unique_ptr<digit_ranks> digit_ranks_in_shared_memory(MPI_Comm host, std::int64_t keys, std::span<const digit> digits) {
  return std::make_unique<shared_digit_ranks>(host, keys, digits);
}

}  // namespace osteon::studies::integer_sort
