#pragma once
/// @file
/// Parameters of the elasticity solver's multigrid cycle: smoothing degrees and number of cycles per level.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace osteon::numerics::elasticity_cycle {

/// Degree of the smoothing polynomials before and after the coarse correction. Coarse levels have more cycles and lower
/// degrees.
inline int smoothing_degree(std::size_t depth) { return depth == 0 ? 3 : 2; }

inline constexpr std::int64_t coarsest_unknowns = 4000;  ///< a direct solution costs less than a level of smoothing

/// Time of a product per node. This time and the times below determine the number of ranks of a coarse level.
inline constexpr double product_of_node_s = 0.04e-6;
/// Number of ranks on one host. Ranks on one host exchange through memory; a larger number of ranks exchanges with up to 26
/// neighbours on other hosts.
inline constexpr int ranks_of_host = 16;
inline double exchange_s(int ranks) {
  if (ranks == 1) return 0;
  return ranks <= ranks_of_host ? 1e-6 + 0.3e-6 * (ranks - 1) : 50e-6;
}
/// Number of nodes of a rank, including copies, if `on_ranks` ranks store the level. A rank has the nodes of all bricks that
/// contain a part of its block. @param places of bricks in the image
inline double nodes_of_rank(double nodes, double places, int ranks, int on_ranks) {
  constexpr double beyond = 1.5;  // additional layers: bricks with parts on other ranks, and the nodes at the end
  const auto edge = [=](int n) { return n == 1 ? std::cbrt(places) : std::cbrt(places / n) + beyond; };
  return nodes * std::pow(edge(on_ranks) / edge(ranks), 3);
}
/// Number of ranks with the shortest time of a product and an exchange of a level. The result is `ranks` if other numbers
/// save less than a tenth of the time.
/// @param nodes present number of nodes of a rank, including copies
inline int cheapest_ranks(double nodes, double places, int ranks) {
  const auto seconds = [=](int on_ranks) {
    return product_of_node_s * nodes_of_rank(nodes, places, ranks, on_ranks) + exchange_s(on_ranks);
  };
  int best = ranks;
  double least = 0.9 * seconds(ranks);
  for (const int n : {(ranks + 7) / 8, ranks_of_host, 8, 4, 2, 1})
    if (n < ranks && seconds(n) < least) {
      best = n;
      least = seconds(n);
    }
  return best;
}

/// Smallest number of ranks for which the coarsest level uses rows of the inverse. A substitution takes half a millisecond
/// on one core. The product with 4,000 rows takes the same time on two cores.
inline constexpr int fewest_ranks_of_inverse = 8;

/// Number of cycles for a coarse problem, combined by a Chebyshev polynomial. Only fine lattices represent the bending of a
/// strut well, and parts attached to the strut move with the strut. A single cycle would therefore leave a large error in a
/// coarse problem. Each level costs a fifth of the next finer level. From the sixth level on, further cycles would only
/// multiply the number of messages.
inline int cycles_of_level(std::size_t depth) {
  constexpr int cycles[] = {1, 3, 2, 4, 2, 2};
  return depth < std::size(cycles) ? cycles[depth] : 1;
}

/// Lanczos steps of the estimates of eigenvalues. More steps raise the estimates by up to a tenth, but the smoother and the
/// cycle then treat eigenvalues that hardly occur: in 85 problems, 10 and 8 steps took up to a tenth more iterations than 6
/// and 5 steps, and never fewer. In 120 problems, 6 and 3 steps took between 8 % fewer and 5 % more iterations than 6 and 5
/// steps. With 4 and 3 steps, a sponge took 17 instead of 12 iterations.
inline constexpr int lanczos_steps_of_smoother = 6, lanczos_steps_of_cycle = 3;

}  // namespace osteon::numerics::elasticity_cycle
