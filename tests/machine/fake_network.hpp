#pragma once
// A network that answers measurements from a formula, with a separate clock. The formula yields the expected results of the
// probe over MPI.
#include <algorithm>
#include <functional>
#include <map>
#include <osteon/machine/probe/link_probe.hpp>
#include <osteon/machine/probe/probe.hpp>
#include <random>

namespace osteon::machine {

struct fake_network {
  std::function<double(int host_a, int host_b)> bandwidth;  // time of the link between two hosts
  rank_layout ranks;
  std::function<double(int rank_a, int rank_b)> of_cores;  // optional factor for the bandwidth between cores
  double latency = 2e-6, inside = 8e9;
  double noise = 0.05;     // relative noise of every time
  double disturbance = 0;  // fraction of the pairs of a round that run at a third of their rate because of other load
  double clock = 0;
  int rounds = 0, measured = 0;
  std::mt19937 random{3};

  fake_network(int hosts, int ranks_per_host, std::function<double(int, int)> rate,
               const host_tree& tree = synthetic_host("pack:2 l3:2 core:2 pu:1"))
      : bandwidth(std::move(rate)) {
    ranks.hosts = {hosts, tree};
    for (int h = 0; h < hosts; ++h) {
      ranks.ranks_of_host.emplace_back();
      for (int r = 0; r < ranks_per_host; ++r) {
        ranks.ranks_of_host.back().push_back(h * ranks_per_host + r);
        ranks.core_of_rank.push_back(r);
      }
    }
    each_ = ranks_per_host;
  }

  std::vector<pair_timings> measure(const measurement& m) {
    std::vector<pair_timings> found;
    for (const auto& round : m.rounds) {
      ++rounds;
      std::map<int, int> streams;  // number of streams per host
      for (const auto& [a, b] : round)
        if (a / each_ != b / each_) ++streams[a / each_], ++streams[b / each_];
      double longest = 0;
      for (const auto& [a, b] : round) {
        ++measured;
        const int ha = a / each_, hb = b / each_;
        double rate = ha == hb ? inside : bandwidth(ha, hb) / std::max(streams[ha], streams[hb]);
        if (ha != hb && of_cores) rate *= of_cores(std::min(a, b), std::max(a, b));
        if (round.size() > 1 && std::uniform_real_distribution<>(0, 1)(random) < disturbance) rate /= 3;
        pair_timings p{std::min(a, b), std::max(a, b), {}};
        double spent = 0;
        for (std::size_t i = 0; i < m.bytes.size(); ++i) {
          const double exact = latency + m.bytes[i] / rate;
          if (!m.all_sizes && i >= 2 && spent + 6 * exact > m.seconds) break;
          const int repeats =
              m.all_sizes ? m.repeats : std::clamp(static_cast<int>((m.seconds - spent) / exact / 10), 3, m.repeats);
          spent += 2 * repeats * exact;
          p.times.push_back({m.bytes[i], exact * (1 + std::uniform_real_distribution<>(0, noise)(random))});
        }
        longest = std::max(longest, m.fill ? std::max(spent, m.seconds) : spent);
        found.push_back(std::move(p));
      }
      clock += longest + 50e-6;
    }
    return found;
  }

  core_choice which_core(double budget) {
    return probe_core_choice(ranks, [this](const measurement& m) { return measure(m); }, budget, [this] { return clock; });
  }

  probe_result probe(const probe_options& options) {
    return probe_links(ranks, options, [this](const measurement& m) { return measure(m); }, [this] { return clock; });
  }

 private:
  int each_ = 1;
};

}  // namespace osteon::machine
