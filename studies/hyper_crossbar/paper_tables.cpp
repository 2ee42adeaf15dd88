#include <studies/hyper_crossbar/paper_tables.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <osteon/base/error.hpp>
#include <studies/hyper_crossbar/integer_sort/npb_random.hpp>

namespace osteon::studies {

namespace {

constexpr double startup = 5e-6, rate = 200e6;  // values of Table 1
constexpr std::int64_t keys = std::int64_t{1} << 23, range = std::int64_t{1} << 19;
constexpr int low_bits = 10, runs = 10;
constexpr double bytes_of_key = 12;  // bytes of the key, of its index at the source, and of its position at the destination
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::array machines = {64, 128, 256, 512, 1024};

double message_time(double bytes) { return startup + bytes / rate; }

// Number of keys by source PU and destination PU.
struct traffic {
  explicit traffic(int number)
      : pus(number),
        shift(std::countr_zero(static_cast<std::uint64_t>(keys / number))),
        count(static_cast<std::size_t>(number) * static_cast<std::size_t>(number)) {}
  void add(std::int64_t source, std::int64_t target) {
    ++count[static_cast<std::size_t>(source >> shift) * static_cast<std::size_t>(pus) +
            static_cast<std::size_t>(target >> shift)];
  }
  double skew() const {
    const auto sizes = [this](int from, int to) {
      return count[static_cast<std::size_t>(from) * static_cast<std::size_t>(pus) + static_cast<std::size_t>(to)];
    };
    return skew_rate(plan::shift_exchange(shape_of_paper(pus), sizes), static_cast<double>(keys) / pus / pus);
  }
  int pus, shift;
  std::vector<std::int64_t> count;
};

// Destination of each element in a stable sort by `digit`.
template <class Visit>
void rank_stable(const std::vector<std::uint16_t>& digit, int digits, Visit visit) {
  std::vector<std::int64_t> next(static_cast<std::size_t>(digits) + 1, 0);
  for (const auto d : digit) ++next[d + std::size_t{1}];
  for (std::size_t d = 1; d < next.size(); ++d) next[d] += next[d - 1];
  for (std::size_t i = 0; i < digit.size(); ++i) visit(static_cast<std::int64_t>(i), next[digit[i]]++);
}

double levels(int pus) { return std::log2(pus); }

}  // namespace

std::vector<int> shape_of_paper(int pus) {
  switch (pus) {
    case 64:
      return {4, 4, 4};
    case 128:
      return {4, 4, 8};
    case 256:
      return {4, 8, 8};
    case 512:
      return {8, 8, 8};
    case 1024:
      return {8, 8, 16};
    default:
      throw usage_error(fmt::format("{} PUs: Itakura et al. have machines of 64, 128, 256, 512 and 1024", pus));
  }
}

double skew_rate(const plan::plan& plan, double mean) {
  double sum = 0;
  for (std::int64_t r = 0; r < plan.rounds; ++r) {
    std::int64_t largest = 0;
    for (int rank = 0; rank < plan.ranks; ++rank)
      for (const plan::message& m : plan.of(rank, r).sends) largest = std::max(largest, plan.bytes(m));
    sum += static_cast<double>(largest);
  }
  return sum / (static_cast<double>(plan.rounds) * mean);
}

std::vector<is_skew> skew_of_is() {
  std::vector<std::uint16_t> low(keys), high(keys), high_after(keys);
  npb_random random;
  for (std::size_t i = 0; i < low.size(); ++i) {
    const std::int32_t key = npb_is_key(random, range);
    low[i] = static_cast<std::uint16_t>(key & ((1 << low_bits) - 1));
    high[i] = static_cast<std::uint16_t>(key >> low_bits);
  }
  std::vector<traffic> by_low(machines.begin(), machines.end()), by_high = by_low, after = by_low;
  const auto count = [](std::vector<traffic>& all, std::int64_t from, std::int64_t to) {
    for (traffic& t : all) t.add(from, to);
  };
  rank_stable(low, 1 << low_bits, [&](std::int64_t i, std::int64_t rank) {
    high_after[static_cast<std::size_t>(rank)] = high[static_cast<std::size_t>(i)];
    count(by_low, i, rank);
  });
  const int digits = static_cast<int>(range >> low_bits);
  rank_stable(high, digits, [&](std::int64_t i, std::int64_t rank) { count(by_high, i, rank); });
  rank_stable(high_after, digits, [&](std::int64_t i, std::int64_t rank) { count(after, i, rank); });
  std::vector<is_skew> result;
  for (std::size_t m = 0; m < machines.size(); ++m)
    result.push_back({machines[m], by_low[m].skew(), by_high[m].skew(), after[m].skew()});
  return result;
}

std::vector<paper_cell> tables_of_paper(const std::vector<is_skew>& skews) {
  constexpr std::array<double, 5> skew_low{1.06, 1.14, 1.31, 1.68, 2.57}, skew_high{1.28, 1.42, 1.88, 3.29, 7.18},
      message{26e3, 7e3, 2e3, 640, 240}, exchange{.0134, .0175, .0256, .0421, .0764}, exec{2.84, 1.36, 0.64, 0.29, 0.14},
      trans{.0177, .0222, .0308, .0478, .0826}, trans_share{.62, 1.61, 4.60, 14.06, 37.55}, total{2.86, 1.38, .67, .34, .22};
  std::vector<paper_cell> cells;
  const auto add = [&](int table, const char* quantity, int pus, double paper, double ours, double corrected = none,
                       bool fitted = false, bool rounded = false) {
    cells.push_back({table, quantity, pus, paper, ours, corrected, fitted, rounded});
  };
  // Further rows of Tables 4 and 6. In these tables, exec was measured. All other values follow from exec and `trans`.
  const auto add_rest = [&](int table, int pus, double exec_of_paper, double paper_share, double paper_total, double ours,
                            double corrected, bool fitted) {
    add(table, "exec, s: measured there", pus, exec_of_paper, none);
    add(table, "trans, % of the total", pus, paper_share, 100 * ours / (exec_of_paper + ours),
        100 * corrected / (exec_of_paper + corrected), fitted, true);
    add(table, "total, s", pus, paper_total, exec_of_paper + ours, exec_of_paper + corrected, fitted, true);
  };
  std::vector<double> printed_total, own_total;
  for (std::size_t i = 0; i < skews.size(); ++i) {
    const is_skew& s = skews[i];
    add(2, "skew (1), low 10 bits", s.pus, skew_low[i], s.low);
    add(2, "skew (2), high 9 bits", s.pus, skew_high[i], s.high, s.high_after);
  }
  for (std::size_t i = 0; i < skews.size(); ++i) {
    const is_skew& s = skews[i];
    const double bytes = bytes_of_key * static_cast<double>(keys) / s.pus / s.pus * s.low;
    // The printed totals use the volume of the machine with 512 PUs for all numbers of PUs.
    const double volume = bytes_of_key * static_cast<double>(keys) / 512;
    const double others = s.pus - 1;
    printed_total.push_back(runs * (others * startup + s.low * others / s.pus * volume / rate));
    own_total.push_back(runs * others * message_time(bytes));
    add(3, "transfers", s.pus, others, others);
    add(3, "bytes per transfer", s.pus, message[i], bytes, none, false, true);
    add(3, "total, s", s.pus, exchange[i], printed_total.back(), own_total.back());
  }
  for (std::size_t i = 0; i < skews.size(); ++i) {
    // The value is a least-squares fit of the difference between Table 4 and Table 3. One message of each table per level
    // does not explain this difference.
    const double fitted = runs * (47.5e-6 * levels(skews[i].pus) + 145e-6);
    add(4, "trans, s: Table 3 and a fitted term", skews[i].pus, trans[i], printed_total[i] + fitted, own_total[i] + fitted,
        true);
    add_rest(4, skews[i].pus, exec[i], trans_share[i], total[i], printed_total[i] + fitted, own_total[i] + fitted, true);
  }
  struct of_ft {
    int pus;
    double bytes, transposition, trans, exec, share, total;
  };
  constexpr std::array<of_ft, 3> ft{{{64, 260e3, .01053, .220, 9.44, 2.28, 9.66},
                                     {256, 32e3, .00270, .057, 2.30, 2.42, 2.36},
                                     {1024, 4e3, .00081, .017, 0.41, 4.07, 0.43}}};
  constexpr double points = 256.0 * 256 * 128, bytes_of_point = 16;
  const auto transposition = [](int pus) {
    const double side = std::sqrt(pus);
    return side * message_time(points * bytes_of_point / pus / side);
  };
  for (const of_ft& m : ft) {
    const double side = std::sqrt(m.pus);
    add(5, "transfers", m.pus, side, side);
    add(5, "bytes per transfer", m.pus, m.bytes, points * bytes_of_point / m.pus / side, none, false, true);
    add(5, "total, s", m.pus, m.transposition, transposition(m.pus));
  }
  for (const of_ft& m : ft) {
    const double ours = 21 * transposition(m.pus);
    add(6, "trans, s: 21 transpositions", m.pus, m.trans, ours);
    add_rest(6, m.pus, m.exec, m.share, m.total, ours, none, false);
  }
  return cells;
}

std::vector<paper_speed_up> figure_2_of_paper(const std::vector<paper_cell>& cells) {
  std::vector<paper_speed_up> result;
  for (const int table : {4, 6}) {
    const paper_cell* first = nullptr;
    for (const paper_cell& c : cells) {
      if (c.table != table || c.quantity != "total, s") continue;
      if (first == nullptr) first = &c;
      result.push_back({table == 4 ? "IS" : "FT", c.pus, first->paper / c.paper, first->as_printed / c.as_printed,
                        static_cast<double>(c.pus) / first->pus});
    }
  }
  return result;
}

std::span<const other_machine> table_a_of_paper() {
  static constexpr std::array<other_machine, 10> machines_of_table{{{"Cray Y-MP (1 PU)", 11.46, 28.77},
                                                                    {"Cray T3D", 3.42, 3.28},
                                                                    {"IBM SP-1", 3.06, 6.46},
                                                                    {"Intel iPSC/860", 17.3, 20.9},
                                                                    {"Intel Paragon (OSF1.2)", 4.34, 9.1},
                                                                    {"Intel Paragon (SunMos)", 3.77, 7.2},
                                                                    {"Kendall Square KSR1", 6.6, 9.2},
                                                                    {"nCUBE-2S", 23.2, 62.8},
                                                                    {"Thinking Machines CM-5", 24.2, 7.9},
                                                                    {"Thinking Machines CM-5E", 3.1, 3.9}}};
  return machines_of_table;
}

}  // namespace osteon::studies
