#pragma once
/// @file
/// Disjoint sets (union-find) of integers.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <osteon/base/at.hpp>
#include <utility>
#include <vector>

namespace osteon {

/// A partition of the integers 0 to size() - 1. The root of a set is the smallest member of the set. The root therefore does
/// not depend on the order of the unions.
template <std::signed_integral Index>
class disjoint_sets_of {
 public:
  explicit disjoint_sets_of(std::size_t count = 0) { grow(count); }

  /// Append `count` singletons.
  void grow(std::size_t count) {
    const std::size_t old = parent_.size();
    parent_.resize(old + count);
    std::iota(parent_.begin() + static_cast<std::ptrdiff_t>(old), parent_.end(), static_cast<Index>(old));
  }
  std::size_t size() const { return parent_.size(); }

  /// Root of the set that contains a member. @cost nearly constant, amortised, because paths are halved
  Index find(Index i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  void unite(Index i, Index j) {
    i = find(i), j = find(j);
    parent_[at(std::max(i, j))] = std::min(i, j);
  }

  /// Return the number of the set that contains each member. Sets are numbered from 0 in the order of their roots. The
  /// function calls `first(root)` for each root, and empties the partition.
  template <class First>
  std::vector<Index> number(First first) {
    Index count = 0;
    for (Index i = 0; i < static_cast<Index>(parent_.size()); ++i) {
      Index& p = parent_[at(i)];
      if (p == i) {
        p = count++;
        first(i);
      } else {
        p = parent_[at(p)];  // parent_[p] already contains the number of the set, because p < i
      }
    }
    return std::exchange(parent_, {});
  }

 private:
  std::vector<Index> parent_;
};

using disjoint_sets = disjoint_sets_of<std::int32_t>;

}  // namespace osteon
