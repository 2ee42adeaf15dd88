#include <studies/subdomain_mapping/poisson/poisson_grids.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/base/error.hpp>

namespace osteon::studies {

index3 ranks_along_axes(int ranks) {
  // Among triples with an equal product, the most equal factors have the smallest sum. If several triples have equal sums,
  // the triple with the smallest maximum is used.
  std::array<std::int64_t, 3> best{ranks, 1, 1};
  for (std::int64_t a = 1; a * a * a <= ranks; ++a)
    for (std::int64_t b = a; a * b * b <= ranks; ++b) {
      if (ranks % (a * b) != 0) continue;
      const std::array<std::int64_t, 3> found{ranks / (a * b), b, a};
      if (found[0] + b + a < best[0] + best[1] + best[2]) best = found;
    }
  return {best[1], best[2], best[0]};
}

cartesian paper_grid(int which, int ranks, double scale) {
  if (which != 1 && which != 2) throw usage_error("--case must be 1 or 2, the cases of the weak scaling of Ito et al.");
  const index3 along = ranks_along_axes(ranks);
  // Both cases have the same grid for 64 ranks.
  const double growth = which == 1 ? std::cbrt(ranks / 64.0) : 1;
  const auto cells = [&](double at_64, double subdomain, std::int64_t parts) {
    return static_cast<std::int64_t>(
        std::lround(scale * (which == 1 ? at_64 * growth : subdomain * static_cast<double>(parts))));
  };
  return {{cells(1024, 256, along.z), cells(1024, 256, along.y), cells(4096, 1024, along.x)}, along};
}

double scale_that_fits(int which, int ranks, std::int64_t bytes_of_value, double bytes_of_rank) {
  const auto cells = static_cast<double>(paper_grid(which, ranks, 1).cells().volume()) / ranks;
  return std::min(1.0, std::cbrt(bytes_of_rank / (2 * static_cast<double>(bytes_of_value) * cells)));
}

}  // namespace osteon::studies
