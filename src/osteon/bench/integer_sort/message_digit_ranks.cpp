#include <algorithm>
#include <numeric>
#include <osteon/base/stopwatch.hpp>
#include <osteon/bench/integer_sort/digit_ranks.hpp>
#include <osteon/comm/exchange.hpp>
#include <vector>

namespace osteon::bench::integer_sort {

namespace {

class message_digit_ranks final : public digit_ranks {
 public:
  message_digit_ranks(MPI_Comm comm, std::int64_t keys, std::int64_t values)
      : comm_(comm),
        low_(static_cast<std::size_t>(values)),
        carries_(digit_counts::carries_of(keys)),
        counts_(low_.size()),
        starts_(low_.size()),
        totals_(low_.size()) {}

  void rank(std::span<const std::int32_t> keys, digit which, phase_seconds& seconds) override {
    const stopwatch watch;
    values_ = static_cast<std::size_t>(which.values());
    const std::size_t carried = count_digits(keys, which, {{low_.data(), values_}, carries_});
    std::copy_n(low_.begin(), values_, counts_.begin());
    for (std::size_t i = 0; i < carried; ++i) counts_[carries_[i]] += 1u << 16;
    const double counted = watch.seconds();
    std::copy_n(counts_.begin(), values_, starts_.begin());
    const std::span columns_of_keys(starts_.data(), values_);
    comm::prefix_sum(comm_, columns_of_keys);
    const double columns = watch.seconds();
    const int last = comm::size(comm_) - 1;
    if (comm::rank(comm_) == last)
      std::exclusive_scan(starts_.begin(), starts_.begin() + static_cast<std::ptrdiff_t>(values_), totals_.begin(), 0u);
    const double summed = watch.seconds();
    comm::broadcast(comm_, std::span(totals_.data(), values_), last);
    const double known = watch.seconds();
    for (std::size_t v = 0; v < values_; ++v) starts_[v] += totals_[v] - counts_[v];
    seconds.trans += columns - counted + known - summed;
    seconds.exec += watch.seconds() - known + summed - columns + counted;
  }

  std::span<std::uint32_t> starts(phase_seconds&) override { return {starts_.data(), values_}; }

 private:
  MPI_Comm comm_;
  std::vector<std::uint16_t> low_;
  std::vector<std::uint32_t> carries_, counts_, starts_, totals_;
  std::size_t values_ = 0;
};

}  // namespace

std::unique_ptr<digit_ranks> digit_ranks_by_messages(MPI_Comm comm, std::int64_t keys, std::int64_t values) {
  return std::make_unique<message_digit_ranks>(comm, keys, values);
}

}  // namespace osteon::bench::integer_sort
