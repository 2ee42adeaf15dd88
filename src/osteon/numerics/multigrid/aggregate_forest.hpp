#pragma once
/// @file
/// Disjoint sets of points that form the aggregates of the next level.
#include <algorithm>
#include <cstdint>
#include <osteon/base/at.hpp>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/base/for_each.hpp>
#include <vector>

namespace osteon::numerics {

/// Return true if the coupling of two points is strong enough for a common value of both points on the coarse level. Without
/// this test, a coarse value would short-circuit two good conductors that are separated by a poor conductor.
inline bool is_strong(float conductance, float diagonal, float other_diagonal) {
  constexpr float threshold = 5e-4F;  // for equal cells in a chain or a block, the compared ratio is 1/4 to 1/36
  return conductance * conductance >= threshold * diagonal * other_diagonal;
}

/// Fine points united into aggregates. The first point of an aggregate represents the aggregate.
class aggregate_forest {
 public:
  /// @param slabs ranges of points without connections to other ranges
  explicit aggregate_forest(std::int32_t count, std::size_t slabs = 1)
      : sets_(static_cast<std::size_t>(count)), has_strong_(static_cast<std::size_t>(count)), weak_(slabs) {}
  /// Unite two neighbours of one block if they are strongly coupled; otherwise record the pair. Several threads may call
  /// this function, each for the points of its own slab.
  void join(std::int32_t i, std::int32_t j, float conductance, bool strong, std::size_t slab = 0) {
    if (strong)
      sets_.unite(i, j);
    else
      weak_[slab].insert(weak_[slab].end(), {{i, j, conductance}, {j, i, conductance}});
  }
  /// Record that `i` is strongly coupled, possibly to a point outside its block.
  void mark_strong(std::int32_t i) { has_strong_[at(i)] = 1; }

  /// Number the aggregates in the order of their first points, and call first(i) for each first point. Empties the forest.
  /// @returns the aggregate of each point
  template <class First>
  std::vector<std::int32_t> number(First first) {
    // A point without strong couplings, such as a poor conductor among good conductors, joins its most strongly coupled
    // neighbour. Such a point joins only one aggregate and therefore does not connect aggregates.
    for_each_block(static_cast<std::int64_t>(weak_.size()), 1, [&](std::int64_t slab, std::int64_t) {
      auto& pairs = weak_[static_cast<std::size_t>(slab)];
      std::sort(pairs.begin(), pairs.end(), [](const weak_pair& a, const weak_pair& b) {
        return a.from != b.from                 ? a.from < b.from
               : a.conductance != b.conductance ? a.conductance > b.conductance
                                                : a.to < b.to;
      });
      for (const weak_pair& pair : pairs) {
        if (has_strong_[at(pair.from)] != 0) continue;
        sets_.unite(pair.from, pair.to);
        has_strong_[at(pair.from)] = 1;
      }
    });
    return sets_.number(first);
  }

 private:
  struct weak_pair {
    std::int32_t from, to;
    float conductance;
  };
  disjoint_sets sets_;
  std::vector<std::uint8_t> has_strong_;
  std::vector<std::vector<weak_pair>> weak_;  // by slab
};

}  // namespace osteon::numerics
