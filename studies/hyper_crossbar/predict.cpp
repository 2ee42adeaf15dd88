#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/net/costs/plan_cost.hpp>
#include <studies/hyper_crossbar/crossbar_broadcast.hpp>
#include <studies/hyper_crossbar/integer_sort/problem.hpp>
#include <studies/hyper_crossbar/predict.hpp>

namespace osteon::studies {

namespace {

constexpr std::int64_t rounds_to_sample = 128;
constexpr std::int64_t bytes_of_sent_key = 12;  // bytes of the key, its source and its destination

std::string joined(const std::vector<int>& sizes) { return fmt::format("{}", fmt::join(sizes, "x")); }

// The ranks of each row or column of a virtual plane exchange equal blocks.
plan::plan within_groups(fourier_folding f, bool rows, std::int64_t bytes) {
  const int group = rows ? f.rows : f.columns, apart = rows ? f.columns : 1;
  plan::plan result{
      .name = "transposition", .ranks = f.rows * f.columns, .rounds = group - 1, .moves = plan::cargo::parcels};
  result.of = [=](int rank, std::int64_t round) {
    const int place = rank / apart % group, distance = static_cast<int>(round) + 1, base = rank - place * apart;
    plan::round r;
    r.sends.push_back({base + (place + distance) % group * apart, {0, bytes}});
    r.receives.push_back({base + (place - distance + group) % group * apart, {0, bytes}});
    return r;
  };
  return result;
}

}  // namespace

std::string network_of_family(const std::string& text, int pus) {
  const auto comma = std::min(text.find(','), text.size());
  const std::string family = text.substr(0, comma), options = text.substr(comma);
  if (family.find(':') != std::string::npos) return text;
  if (pus < 64 || pus > (1 << 16) || !std::has_single_bit(static_cast<unsigned>(pus)))
    throw usage_error(fmt::format(
        "{} of {} PUs: the number of PUs must be a power of two from 64 to 65536, or the size of a complete network", family,
        pus));
  const int bits = std::bit_width(static_cast<unsigned>(pus)) - 1;
  if (family == "hxb" || family == "torus" || family == "mesh")
    return fmt::format("{}:{}{}", family, joined({1 << bits / 3, 1 << (bits + 1) / 3, 1 << (bits + 2) / 3}), options);
  if (family == "fattree") {
    std::vector<int> children;
    for (int left = pus; left > 1; left /= children.back()) children.push_back(std::min(left, 16));
    return "fattree:" + joined(children) + options;
  }
  if (family == "dragonfly") {
    const int p = pus > 1024 ? 8 : 4, a = 2 * p;
    return fmt::format("dragonfly:p={},a={},h={},g={}{}", p, a, p, pus / (p * a), options);
  }
  throw usage_error(fmt::format("'{}': use hxb, torus, mesh, fattree or dragonfly, or a network such as hxb:8x8x16", text));
}

double exchange_seconds(const net::network& where, const plan::plan& plan, std::int64_t sample) {
  if (plan.rounds <= sample) return net::cost_of(where, plan).busiest_links;
  plan::plan some = plan;
  some.rounds = sample;
  some.of = [&plan](int rank, std::int64_t i) {
    // The rounds of the sample are multiples of the golden ratio. These multiples are evenly distributed. Equal steps
    // between the rounds could have a period in common with a schedule.
    const double turns = static_cast<double>(i) * 0.61803398874989485, part = turns - std::floor(turns);
    return plan.of(rank, static_cast<std::int64_t>(part * static_cast<double>(plan.rounds)));
  };
  return net::cost_of(where, some).busiest_links * static_cast<double>(plan.rounds) / static_cast<double>(sample);
}

std::vector<std::int32_t> is_exchange_counts(const std::string& letter, int pus) {
  const auto& problem = integer_sort::problem_of(letter);
  std::vector<std::int32_t> keys(static_cast<std::size_t>(problem.keys()));
  integer_sort::make_keys(problem, 0, keys);
  const std::int32_t low = (std::int32_t{1} << (problem.log2_values + 1) / 2) - 1;
  std::vector<std::int64_t> next(static_cast<std::size_t>(low) + 2);  // position of the next key of each value
  for (const std::int32_t key : keys) ++next[static_cast<std::size_t>(key & low) + 1];
  for (std::size_t v = 1; v < next.size(); ++v) next[v] += next[v - 1];
  const integer_sort::blocks blocks(problem.keys(), pus);
  std::vector<std::int32_t> counts(static_cast<std::size_t>(pus) * static_cast<std::size_t>(pus));
  for (int from = 0; from < pus; ++from)
    for (std::int64_t k = blocks.begin(from); k < blocks.begin(from + 1); ++k) {
      const std::int64_t place = next[static_cast<std::size_t>(keys[static_cast<std::size_t>(k)] & low)]++;
      ++counts[static_cast<std::size_t>(from) * static_cast<std::size_t>(pus) +
               static_cast<std::size_t>(blocks.owner(static_cast<std::uint32_t>(place)))];
    }
  return counts;
}

prediction predict_is(const net::network& where, const std::string& letter, double exec, table_broadcast broadcast) {
  const auto& problem = integer_sort::problem_of(letter);
  const int pus = where.pus;
  const std::vector<std::int32_t> counts = is_exchange_counts(letter, pus);
  const auto bytes = [&](int from, int to) {
    return bytes_of_sent_key *
           counts[static_cast<std::size_t>(from) * static_cast<std::size_t>(pus) + static_cast<std::size_t>(to)];
  };
  const bool grid =
      where.kind == net::topology::hyper_crossbar || where.kind == net::topology::torus || where.kind == net::topology::mesh;
  const plan::plan keys = plan::shift_exchange(grid ? where.shape : std::vector{pus}, bytes);
  double once = exchange_seconds(where, keys, rounds_to_sample);
  std::int64_t rounds = keys.rounds;
  for (const int bits : {(problem.log2_values + 1) / 2, problem.log2_values / 2}) {
    const std::int64_t table = std::int64_t{4} << bits;
    const plan::plan sums = plan::prefix_tree(pus, table);
    once += exchange_seconds(where, sums, sums.rounds);
    rounds += sums.rounds;
    if (broadcast == table_broadcast::crossbars) {
      once += broadcast_seconds(where, pus - 1, table);
      ++rounds;
    } else {
      const plan::plan total = plan::broadcast_tree(pus, pus - 1, table);
      once += exchange_seconds(where, total, total.rounds);
      rounds += total.rounds;
    }
  }
  const double all = static_cast<double>(problem.keys()) / pus;
  return {where.name,
          pus,
          exec / pus,
          integer_sort::iterations * once,
          integer_sort::iterations * rounds,
          bytes_of_sent_key * all / pus};
}

prediction predict_ft(const net::network& where, const ft_class& problem, double exec) {
  const fourier_folding f = fourier_3d::squarest_folding(problem.shape, where.pus);
  const auto share = static_cast<double>(problem.shape.volume()) * 16 / where.pus;
  const plan::plan in_rows = within_groups(f, true, static_cast<std::int64_t>(share / f.rows));
  const plan::plan in_columns = within_groups(f, false, static_cast<std::int64_t>(share / f.columns));
  const auto transforms = static_cast<std::int64_t>(problem.checksums.size()) + 1;
  const double once =
      exchange_seconds(where, in_rows, in_rows.rounds) + exchange_seconds(where, in_columns, in_columns.rounds);
  return {where.name,
          where.pus,
          exec,
          static_cast<double>(transforms) * once,
          transforms * (in_rows.rounds + in_columns.rounds),
          share / std::max(f.rows, f.columns)};
}

prediction predict_ft_fixed(const net::network& where, const ft_class& problem, double exec) {
  if (!std::has_single_bit(static_cast<unsigned>(where.pus)))
    throw usage_error(fmt::format("the fixed scheme of FT swaps with PUs one bit away: {} of {} PUs is not a power of two",
                                  where.name, where.pus));
  const auto share = static_cast<double>(problem.shape.volume()) * 16 / where.pus;
  const plan::plan swaps = plan::butterfly(where.pus, static_cast<std::int64_t>(share));
  const auto transforms = static_cast<std::int64_t>(problem.checksums.size()) + 1;
  return {where.name,
          where.pus,
          exec,
          static_cast<double>(transforms) * exchange_seconds(where, swaps, swaps.rounds),
          transforms * swaps.rounds,
          share};
}

}  // namespace osteon::studies
