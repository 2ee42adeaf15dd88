#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/machine/probe/link_probe.hpp>
#include <osteon/machine/topology/topology.hpp>
#include <osteon/plan/exchange/pairs.hpp>
#include <utility>
#include <vector>

namespace osteon::machine {

namespace {

using rank_pairs = std::vector<std::pair<int, int>>;

// Rounds that contain every pair of hosts exactly once. The pairs are determined by XOR for powers of two, and otherwise by
// the circle method. @cite [Ito], table 1
std::vector<rank_pairs> all_rounds(int hosts) {
  const plan::pairing schedule = plan::best_pairing(hosts);
  std::vector<rank_pairs> rounds;
  for (int r = 0; r < schedule.rounds(); ++r) rounds.push_back(schedule.pairs(r));
  return rounds;
}

// Rounds in which each host is paired with at most about 2 log2(n) other hosts. The pairs include all distances in the order
// of names, because neighbours in this order are mostly neighbours in the network.
std::vector<rank_pairs> sampled_rounds(int hosts) {
  std::vector<rank_pairs> rounds;
  for (int distance = 1; distance < hosts; distance *= 2)
    for (const int parity : {0, 1}) {
      rank_pairs pairs;
      for (int a = 0; a + distance < hosts; ++a)
        if (a / distance % 2 == parity) pairs.emplace_back(a, a + distance);
      if (!pairs.empty()) rounds.push_back(std::move(pairs));
    }
  return rounds;
}

// Assign rounds of hosts to cores. Core 0 of each host performs the first round, core 1 performs the second round at the
// same time, and so on. @param at_once cores of each host @param ranks_of_host ranks on each host, at least at_once
std::vector<rank_pairs> assign_to_cores(const std::vector<rank_pairs>& of_hosts, int at_once,
                                        const std::vector<std::vector<int>>& ranks_of_host) {
  const int count = static_cast<int>(of_hosts.size());
  std::vector<rank_pairs> rounds;
  for (int first = 0; first < count; first += at_once) {
    rounds.emplace_back();
    for (int core = 0; core < at_once;
         ++core)  // cores without a round repeat the first rounds, because no core must be idle
      for (const auto& [a, b] : of_hosts[at((first + core) % count)])
        rounds.back().emplace_back(ranks_of_host[at(a)][at(core)], ranks_of_host[at(b)][at(core)]);
  }
  return rounds;
}

// Rounds of single pairs. The rounds contain some pairs of each path class inside a host, distributed over the host.
// @param here ranks of the host @param path_of path class between two ranks, if known
std::vector<rank_pairs> rounds_of_paths(const std::vector<int>& here,
                                        const std::function<std::optional<path>(int, int)>& path_of) {
  constexpr int starts = 4;
  rank_pairs chosen;
  const int m = static_cast<int>(here.size());
  for (int s = 0; s < starts; ++s)
    for (std::size_t c = 0; c < paths_inside; ++c)
      for (int step = 1, from = s * m / starts; step < m; ++step) {
        const auto [a, b] = std::minmax({here[at(from)], here[at((from + step) % m)]});
        if (path_of(a, b) != all_paths[c]) continue;
        if (std::find(chosen.begin(), chosen.end(), std::pair{a, b}) == chosen.end()) chosen.emplace_back(a, b);
        break;
      }
  std::vector<rank_pairs> rounds;
  for (const auto& pair : chosen) rounds.push_back({pair});
  return rounds;
}

// At most eight rounds that pair all ranks of a host. @param here ranks of the host
std::vector<rank_pairs> rounds_of_all(const std::vector<int>& here) {
  constexpr int most = 8;
  const plan::pairing schedule = plan::best_pairing(static_cast<int>(here.size()));
  const int count = std::min(schedule.rounds(), most);
  std::vector<rank_pairs> rounds;
  for (int r = 0; r < count; ++r) {
    rounds.emplace_back();
    for (const auto& [a, b] : schedule.pairs(static_cast<int>(std::int64_t{r} * schedule.rounds() / count)))
      rounds.back().emplace_back(here[at(a)], here[at(b)]);
  }
  return rounds;
}

constexpr double longest_round = 2.0, shortest_round = 3e-3, shortest_retest = 0.02, longest_inside = 0.5;
constexpr double inside_weight = 1, between_weight = 5, retest_weight = 2;
constexpr int chunks = 8, repeats = 15, paper_repeats = 7;
// Sizes with wide steps in the latency regime, and then factors of two for the slope.
constexpr std::array geometric_sizes = {64.0,     1024.0,   4096.0,   16384.0,   32768.0,   65536.0,
                                        131072.0, 262144.0, 524288.0, 1048576.0, 2097152.0, 4194304.0};
constexpr std::array paper_sizes = {0.667, 0.8, 1.0, 1.25, 1.5};   // multiples of paper_base
constexpr double paper_base = 1.5e6, smallest_paper_base = 16384;  // bytes

class prober {
 public:
  prober(const rank_layout& ranks, const probe_options& options, const measure_function& measure,
         const std::function<double()>& seconds_now)
      : ranks_(ranks), options_(options), measure_(measure), now_(seconds_now), start_(seconds_now()) {
    for (int host = 0; host < hosts(); ++host)
      for (const int rank : ranks_.ranks_of_host[at(host)]) {
        if (at(rank) >= host_of_rank_.size()) host_of_rank_.resize(at(rank) + 1, -1);
        host_of_rank_[at(rank)] = host;
        most_on_a_host_ = std::max(most_on_a_host_, static_cast<int>(ranks_.ranks_of_host[at(host)].size()));
      }
    fewest_on_a_host_ = most_on_a_host_;
    for (const auto& here : ranks_.ranks_of_host)
      fewest_on_a_host_ = std::min(fewest_on_a_host_, static_cast<int>(here.size()));
    result_.machine.hosts = ranks.hosts;
  }

  probe_result run() {
    const bool inside = most_on_a_host_ > 1, between = hosts() > 1;
    const bool loaded_between = between && options_.loaded && fewest_on_a_host_ > 1;
    if (between && options_.loaded && !loaded_between)
      remark("links between hosts were not measured under load; this measurement requires at least two ranks per host");
    weight_left_ = (inside ? inside_weight : 0) * (options_.isolated + options_.loaded) +
                   (between ? between_weight : 0) * (options_.isolated + loaded_between) + (between ? retest_weight : 0);
    for (const bool loaded : {false, true}) {
      if (loaded ? !options_.loaded : !options_.isolated) continue;
      if (inside) measure_inside(loaded);
      if (loaded ? loaded_between : between) measure_between(loaded);
    }
    const bool judge_loaded = between_[0].empty();
    if (between) retest_worst(judge_loaded);
    conclude(result_, between_, host_of_rank_, judge_loaded, options_);
    result_.seconds = now_() - start_;
    return std::move(result_);
  }

 private:
  int hosts() const { return ranks_.hosts.size(); }
  double left() const { return options_.budget_s - (now_() - start_); }
  void remark(std::string text) { result_.remarks.push_back(std::move(text)); }

  // Time for the next stage. The remaining time is divided by the weights of the stages.
  double share(double weight) {
    const double part = std::max(left(), 0.0) * weight / weight_left_;
    weight_left_ -= weight;
    return part;
  }

  std::optional<path> path_of(int a, int b) const {
    const int host = host_of_rank_[at(a)];
    if (host != host_of_rank_[at(b)]) return path::inter_host;
    const host_tree& tree = ranks_.hosts.tree(host);
    const int one = ranks_.core_of_rank[at(a)], other = ranks_.core_of_rank[at(b)];
    if (one >= 0 && other >= 0) return tree.between(one, other);
    return tree.domains(level::l3).size() == 1 ? std::optional(path::same_l3) : std::nullopt;
  }

  measurement basis(double seconds, bool loaded) const {
    measurement m;
    m.seconds = seconds;
    m.fill = loaded;
    if (options_.fit == fit_method::robust) {
      m.bytes.assign(geometric_sizes.begin(), geometric_sizes.end());
      m.repeats = repeats;
      return m;
    }
    for (const double part : paper_sizes) m.bytes.push_back(std::floor(part * paper_base_));
    m.repeats = paper_repeats;
    m.all_sizes = m.mean = true;
    return m;
  }

  // Fit the timings; samples between hosts are also stored in `samples`.
  void store(const std::vector<pair_timings>& measured, bool loaded, bool alone, std::vector<host_sample>* samples) {
    for (const pair_timings& p : measured) {
      const auto path_class = path_of(p.a, p.b);
      if (!path_class || p.times.empty()) continue;
      const link found = options_.fit == fit_method::robust ? fit_robust(p.times) : fit_paper(p.times);
      result_.pairs.push_back({p.a, p.b, *path_class, loaded, alone, found, p.times});
      if (!samples || *path_class != path::inter_host) continue;
      const auto [a, b] = std::minmax({host_of_rank_[at(p.a)], host_of_rank_[at(p.b)]});
      samples->push_back({a, b, found, alone});
    }
  }

  // Use smaller sizes than [Ito] if the budget is too short for the original sizes.
  void choose_paper_sizes(const rank_pairs& pairs, std::size_t rounds, double seconds) {
    if (options_.fit != fit_method::paper || paper_sizes_chosen_) return;
    paper_sizes_chosen_ = true;
    measurement quick;
    quick.rounds = {pairs};
    quick.seconds = std::min(seconds / 10, 0.1);
    quick.bytes = {1024, 16384, 65536};
    quick.repeats = 3;
    double slowest = 0;
    for (const pair_timings& p : measure_(quick))
      if (!p.times.empty()) slowest = std::max(slowest, 1 / fit_robust(p.times).bandwidth);
    double of_base = 0;
    for (const double part : paper_sizes) of_base += 2 * paper_repeats * part * slowest;
    const double fits = of_base > 0 ? 0.9 * seconds / static_cast<double>(rounds) / of_base : paper_base;
    if (fits >= paper_base) return;
    paper_base_ = std::max(fits, smallest_paper_base);
    remark(
        fmt::format("the budget is too short for the message sizes of Ito et al. (1.5 MB); sizes around {:.3g} MB were used",
                    paper_base_ * 1e-6));
  }

  void run_rounds(const std::vector<rank_pairs>& rounds, double seconds, double longest, bool loaded,
                  std::vector<host_sample>* samples) {
    if (rounds.empty()) return;
    choose_paper_sizes(rounds.front(), rounds.size(), seconds);
    const double end = now_() + seconds;
    const std::size_t step = (rounds.size() + chunks - 1) / chunks;
    for (std::size_t from = 0; from < rounds.size(); from += step) {
      const double rest = end - now_();
      if (rest <= 0) {
        remark(fmt::format("the budget was exhausted after {} of {} rounds; the remaining links are estimated", from,
                           rounds.size()));
        return;
      }
      measurement m = basis(std::min(rest / static_cast<double>(rounds.size() - from), longest), loaded);
      const auto first = rounds.begin() + static_cast<std::ptrdiff_t>(from);
      m.rounds.assign(first, first + static_cast<std::ptrdiff_t>(std::min(step, rounds.size() - from)));
      store(measure_(m), loaded, false, samples);
    }
  }

  // The isolated measurement uses some pairs of each path class, one pair at a time. The loaded measurement uses rounds that
  // pair all ranks.
  void measure_inside(bool loaded) {
    std::vector<rank_pairs> rounds;
    for (int host = 0; host < hosts(); ++host) {
      const auto& here = ranks_.ranks_of_host[at(host)];
      const std::vector<rank_pairs> own =
          loaded ? rounds_of_all(here) : rounds_of_paths(here, [this](int a, int b) { return path_of(a, b); });
      if (own.size() > rounds.size()) rounds.resize(own.size());
      for (std::size_t r = 0; r < own.size(); ++r) rounds[r].insert(rounds[r].end(), own[r].begin(), own[r].end());
    }
    run_rounds(rounds, share(inside_weight), longest_inside, loaded, nullptr);
  }

  void measure_between(bool loaded) {
    const double seconds = share(between_weight);
    const int at_once = loaded ? fewest_on_a_host_ : 1;
    const plan::pairing schedule = plan::best_pairing(hosts());
    const bool dense = hosts() <= options_.most_dense_hosts &&
                       seconds / static_cast<double>(schedule.super_rounds(at_once)) >= shortest_round;
    const std::vector<rank_pairs> of_hosts = dense ? all_rounds(hosts()) : sampled_rounds(hosts());
    if (!dense)
      remark(
          fmt::format("{}{} hosts have too many pairs for {:.3g} s: each host was measured with up to {} other hosts; the "
                      "remaining links are estimated from groups of similar hosts",
                      loaded ? "under load, " : "", hosts(), seconds, of_hosts.size()));
    auto& samples = between_[loaded];
    run_rounds(assign_to_cores(of_hosts, at_once, ranks_.ranks_of_host), seconds, longest_round, loaded, &samples);
    merge_repeated(samples);
  }

  // Because other traffic may cause slow results, measure some links of slow hosts, and all slow links, again individually.
  void retest_worst(bool loaded) {
    constexpr int links_of_a_host = 4;
    const double seconds = share(retest_weight);
    auto& samples = between_[loaded];
    const verdict first = judge(hosts(), samples, options_.slow_below);
    if (first.fine()) return;
    std::vector<bool> is_slow(at(hosts()), false);
    for (const slow_host& s : first.hosts) is_slow[at(s.host)] = true;
    std::vector<int> chosen_of(at(hosts()), 0);
    std::vector<host_sample*> again;
    for (host_sample& s : samples)
      if (is_slow[at(s.a)] != is_slow[at(s.b)]) {
        int& chosen = chosen_of[at(is_slow[at(s.a)] ? s.a : s.b)];
        if (chosen++ < links_of_a_host) again.push_back(&s);
      } else if (std::any_of(first.links.begin(), first.links.end(),
                             [&](const slow_link& l) { return l.a == s.a && l.b == s.b; })) {
        again.push_back(&s);
      }
    std::stable_sort(again.begin(), again.end(),
                     [](const host_sample* x, const host_sample* y) { return x->found.bandwidth < y->found.bandwidth; });
    again.resize(std::min(again.size(), static_cast<std::size_t>(seconds / shortest_retest)));
    if (again.empty()) return;
    std::vector<rank_pairs> rounds;
    for (const host_sample* s : again)
      rounds.push_back({{ranks_.ranks_of_host[at(s->a)][0], ranks_.ranks_of_host[at(s->b)][0]}});
    measurement m = basis(std::min(seconds / static_cast<double>(rounds.size()), longest_round), false);
    m.rounds = rounds;
    std::vector<host_sample> found;
    store(measure_(m), false, true, &found);
    for (const host_sample& f : found)
      for (host_sample* s : again)
        if (s->a == f.a && s->b == f.b) {
          s->alone = true;
          // A repetition that confirms the result is discarded, because it is shorter than the first measurement.
          if (f.found.bandwidth * options_.slow_below > s->found.bandwidth) s->found = f.found;
        }
  }

  const rank_layout& ranks_;
  const probe_options& options_;
  const measure_function& measure_;
  const std::function<double()>& now_;
  double start_, weight_left_ = 1, paper_base_ = paper_base;
  bool paper_sizes_chosen_ = false;
  int most_on_a_host_ = 0, fewest_on_a_host_ = 0;
  std::vector<int> host_of_rank_;
  samples_between between_;
  probe_result result_;
};

}  // namespace

probe_result probe_links(const rank_layout& ranks, const probe_options& options, const measure_function& measure,
                         const std::function<double()>& seconds_now) {
  if (!(options.budget_s > 0) || !(options.slow_below > 0 && options.slow_below < 1))
    throw usage_error(fmt::format("budget ({} s) must be positive and the limit for slow links ({}) between 0 and 1",
                                  options.budget_s, options.slow_below));
  if (!options.isolated && !options.loaded) throw usage_error("select isolated measurements, loaded measurements, or both");
  return prober(ranks, options, measure, seconds_now).run();
}

}  // namespace osteon::machine
