#include <fmt/format.h>

#include <algorithm>
#include <osteon/machine/links/links.hpp>

namespace osteon::machine {

namespace {

// Above this number of hosts, single links are not compared.
constexpr int most_hosts_by_links = 1024, most_partners = 64;

}  // namespace

comparison compare(const description& before, const description& now, double slow_below) {
  comparison result;
  std::vector<std::pair<int, int>> both;  // indices of common hosts in `before` and `now`
  for (int host = 0; host < now.hosts.size(); ++host)
    if (const auto old = before.hosts.find(now.hosts.name(host)))
      both.emplace_back(*old, host);
    else
      result.fresh.push_back(now.hosts.name(host));
  for (const std::string& name : before.hosts.names())
    if (!now.hosts.find(name)) result.gone.push_back(name);

  const bool isolated = before.isolated && now.isolated;
  if (!isolated && !(before.loaded && now.loaded)) return result;
  const path_speeds &old_seen = isolated ? *before.isolated : *before.loaded, &seen = isolated ? *now.isolated : *now.loaded;
  const auto note = [&](std::string name, double old_rate, double rate) {
    const bool slower = old_rate > 0 && rate > 0 && rate < slow_below * old_rate;
    if (slower) result.slower.push_back({std::move(name), old_rate, rate});
    return slower;
  };
  for (std::size_t c = 0; c < paths_inside; ++c)
    if (old_seen.inside[c] && seen.inside[c])
      note(std::string(name_of(all_paths[c])), old_seen.inside[c]->bandwidth, seen.inside[c]->bandwidth);

  if (old_seen.between.hosts() > 1 && seen.between.hosts() > 1 && both.size() > 1) {
    const int n = static_cast<int>(both.size()), stride = std::max(1, n / most_partners);
    std::vector<bool> slower(both.size(), false);
    for (int i = 0; i < n && n > 2; ++i) {  // with two hosts, a slow link cannot be attributed to one host
      std::vector<double> old_rates, rates;
      for (int j = i % stride; j < n; j += stride) {
        if (i == j) continue;
        old_rates.push_back(
            old_seen.between.between(both[static_cast<std::size_t>(i)].first, both[static_cast<std::size_t>(j)].first)
                .bandwidth);
        rates.push_back(
            seen.between.between(both[static_cast<std::size_t>(i)].second, both[static_cast<std::size_t>(j)].second)
                .bandwidth);
      }
      if (rates.empty()) continue;
      // The median ignores slow links to a few other slow hosts.
      std::sort(old_rates.begin(), old_rates.end());
      std::sort(rates.begin(), rates.end());
      slower[static_cast<std::size_t>(i)] =
          note(fmt::format("host {}", now.hosts.name(both[static_cast<std::size_t>(i)].second)),
               old_rates[old_rates.size() / 2], rates[rates.size() / 2]);
    }
    for (int i = 0; i < n && n <= most_hosts_by_links; ++i)
      for (int j = 0; j < i; ++j) {
        if (slower[static_cast<std::size_t>(i)] || slower[static_cast<std::size_t>(j)]) continue;
        const auto [old_a, a] = both[static_cast<std::size_t>(j)];
        const auto [old_b, b] = both[static_cast<std::size_t>(i)];
        note(fmt::format("link {} - {}", now.hosts.name(a), now.hosts.name(b)),
             old_seen.between.between(old_a, old_b).bandwidth, seen.between.between(a, b).bandwidth);
      }
  }
  std::stable_sort(result.slower.begin(), result.slower.end(),
                   [](const change& x, const change& y) { return x.now / x.before < y.now / y.before; });
  return result;
}

}  // namespace osteon::machine
