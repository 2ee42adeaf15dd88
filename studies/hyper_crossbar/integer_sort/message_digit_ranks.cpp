#include <numeric>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/exchange/exchange.hpp>
#include <studies/hyper_crossbar/integer_sort/digit_ranks.hpp>
#include <vector>

namespace osteon::studies::integer_sort {

namespace {

class message_digit_ranks final : public digit_ranks {
 public:
  message_digit_ranks(MPI_Comm comm, std::int64_t keys, std::span<const digit> digits)
      : comm_(comm),
        narrow_(bytes_may_do(keys, digits) ? static_cast<std::size_t>(most_values(digits)) : 0),
        counts_(static_cast<std::size_t>(most_values(digits))),
        starts_(counts_.size()),
        bases_(counts_.size()) {}

  void rank(std::span<const std::int32_t> keys, digit which, phase_seconds& seconds) override {
    const stopwatch watch;
    values_ = static_cast<std::size_t>(which.values());
    const auto counts = std::span(counts_).first(values_), starts = std::span(starts_).first(values_),
               bases = std::span(bases_).first(values_);
    count(keys, which, counts);
    std::copy(counts.begin(), counts.end(), starts.begin());
    const double counted = watch.seconds();
    comm::prefix_sum(comm_, starts);
    const double columns = watch.seconds();
    const int last = comm::size(comm_) - 1;
    if (comm::rank(comm_) == last) std::exclusive_scan(starts.begin(), starts.end(), bases.begin(), 0u);
    const double summed = watch.seconds();
    comm::broadcast(comm_, bases, last);
    const double known = watch.seconds();
    for (std::size_t v = 0; v < values_; ++v) starts[v] += bases[v] - counts[v];
    seconds.trans += columns - counted + known - summed;
    seconds.exec += watch.seconds() - known + summed - columns + counted;
  }

  std::span<std::uint32_t> starts(phase_seconds&) override { return std::span(starts_).first(values_); }

 private:
  void count(std::span<const std::int32_t> keys, digit which, std::span<std::uint32_t> counts) {
    if (!narrow_.empty()) {
      count_digits(keys, which, std::span(narrow_).first(values_));
      std::copy_n(narrow_.begin(), values_, counts.begin());
      if (std::accumulate(counts.begin(), counts.end(), 0u) == keys.size()) return;
      narrow_.clear();
    }
    count_digits(keys, which, counts);
  }

  MPI_Comm comm_;
  std::vector<std::uint8_t> narrow_;  ///< empty if counts of 8 bits are not sufficient
  std::vector<std::uint32_t> counts_, starts_, bases_;
  std::size_t values_ = 0;
};

}  // namespace

std::unique_ptr<digit_ranks> digit_ranks_by_messages(MPI_Comm comm, std::int64_t keys, std::span<const digit> digits) {
  return std::make_unique<message_digit_ranks>(comm, keys, digits);
}

}  // namespace osteon::studies::integer_sort
