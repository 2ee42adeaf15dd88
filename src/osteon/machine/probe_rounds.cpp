#include <osteon/base/at.hpp>
#include <osteon/machine/probe_rounds.hpp>

#include <algorithm>
#include <osteon/plan/pairs.hpp>

namespace osteon::machine {

std::vector<rank_pairs> all_rounds(int hosts) {
  const plan::pairing schedule = plan::best_pairing(hosts);
  std::vector<rank_pairs> rounds;
  for (int r = 0; r < schedule.rounds(); ++r) rounds.push_back(schedule.pairs(r));
  return rounds;
}

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

std::vector<rank_pairs> dealt_to_cores(const std::vector<rank_pairs>& of_hosts, int at_once,
                                       const std::vector<std::vector<int>>& ranks_of_host) {
  const int count = static_cast<int>(of_hosts.size());
  std::vector<rank_pairs> rounds;
  for (int first = 0; first < count; first += at_once) {
    rounds.emplace_back();
    for (int core = 0; core < at_once; ++core)  // the last round begins again, so that no core is idle
      for (const auto& [a, b] : of_hosts[at((first + core) % count)])
        rounds.back().emplace_back(ranks_of_host[at(a)][at(core)], ranks_of_host[at(b)][at(core)]);
  }
  return rounds;
}

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

}  // namespace osteon::machine
