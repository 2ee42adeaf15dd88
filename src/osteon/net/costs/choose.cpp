#include <osteon/net/costs/choose.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>

namespace osteon::net {

std::vector<ranked_plan> rank_plans(std::span<const plan::plan> candidates, const compositing_machine& machine,
                                    double bytes_per_element) {
  std::vector<ranked_plan> result;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    result.push_back({i, cost_of(candidates[i], machine, bytes_per_element)});
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.cost.total < b.cost.total; });
  return result;
}

choice choose(std::span<const trial> trials) {
  if (trials.empty()) throw usage_error("no plan was measured; measure at least one");
  choice result;
  std::vector<double> best;
  for (const trial& t : trials) {
    for (const double seconds : t.measured)
      if (!(seconds > 0) || !std::isfinite(seconds))
        throw usage_error(fmt::format("plan '{}': the frame time ({} s) must be positive", t.name, seconds));
    if (t.measured.empty()) throw usage_error(fmt::format("plan '{}' has no measured frame; measure at least one", t.name));
    best.push_back(*std::min_element(t.measured.begin(), t.measured.end()));
  }
  result.winner = static_cast<std::size_t>(std::min_element(best.begin(), best.end()) - best.begin());
  result.log = fmt::format("compositing by {}", trials[result.winner].name);
  for (std::size_t i = 0; i < trials.size(); ++i)
    result.log += fmt::format("{} {} predicted {:.3g} ms, measured {:.3g} ms", i == 0 ? ":" : ";", trials[i].name,
                              trials[i].predicted * 1e3, best[i] * 1e3);
  return result;
}

}  // namespace osteon::net
