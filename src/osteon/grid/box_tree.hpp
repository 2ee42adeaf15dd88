#pragma once
/// @file
/// Boxes of all ranks as a tree of cuts.
#include <cstdint>
#include <functional>
#include <osteon/base/box.hpp>
#include <span>
#include <vector>

namespace osteon::grid {

/// Intersection of two boxes. The intersection may be empty.
box3 overlap(const box3& a, const box3& b);

/// The box `part`, extended by `depth` voxels on each side.
box3 grown(const box3& part, std::int64_t depth);

/// A k-d tree. Recursive bisection across z, y or x divides a domain into one box per rank.
///
/// Ranks have the order of the leaves. The low side of a cut is first. The cuts on the path from the root determine a box.
/// Each rank can therefore compute the intersections with the boxes of other ranks without messages.
/// @cost memory of 16 bytes per rank; time O(depth) for a box or an owner
class box_tree {
 public:
  /// Cut of a box across the axis `along` at the global coordinate `position`. The low side has the first `ranks_low` ranks.
  struct cut {
    std::int64_t position = 0;
    std::int32_t ranks_low = 1;
    std::int32_t along = 0;
    friend bool operator==(const cut&, const cut&) = default;
  };

  /// @param cuts ranks - 1 cuts in preorder: each cut precedes the cuts of its low side, which precede the cuts of its high
  /// side
  box_tree(index3 domain, std::vector<cut> cuts);

  /// Tree of complete z planes. Rank r has the planes [first[r], first[r + 1]), possibly no planes.
  static box_tree of_planes(index3 domain, std::span<const std::int64_t> first);

  index3 domain() const { return domain_; }
  int ranks() const { return static_cast<int>(cuts_.size()) + 1; }
  std::span<const cut> cuts() const { return cuts_; }
  /// True if all cuts are across z.
  bool is_planes() const { return is_planes_; }

  box3 box_of(int rank) const;
  /// Rank of the box that contains a voxel of the domain.
  int owner_of(index3 voxel) const;
  /// Ranks with boxes that intersect `part`, in ascending order.
  /// @cost O(depth + number of ranks in the result)
  std::vector<int> ranks_overlapping(const box3& part) const;
  /// Groups of the ranks with boxes that intersect `part`, in ascending order. A group consists of consecutive ranks. A
  /// group may occur several times in the result.
  /// @param group_of group of a rank; must not decrease with the rank
  /// @cost O(depth) per group in the result
  std::vector<int> groups_overlapping(const box3& part, const std::function<int(int rank)>& group_of) const;

  /// All ranks in the order that `low_first(cut)` defines. `low_first` returns true if the ranks on the low side of the cut
  /// precede the ranks on the high side.
  template <class F>
  std::vector<int> ordered(F&& low_first) const {
    std::vector<int> order;
    order.reserve(cuts_.size() + 1);
    std::vector<subtree> open{{0, 0, ranks()}};
    while (!open.empty()) {
      const subtree t = open.back();
      open.pop_back();
      if (t.ranks == 1) {
        order.push_back(t.first_rank);
        continue;
      }
      const bool low = low_first(cuts_[static_cast<std::size_t>(t.cut)]);
      open.push_back(low ? high_side(t) : low_side(t));
      open.push_back(low ? low_side(t) : high_side(t));
    }
    return order;
  }

 private:
  struct subtree {
    int cut, first_rank, ranks;
  };
  const cut& cut_of(const subtree& t) const { return cuts_[static_cast<std::size_t>(t.cut)]; }
  subtree low_side(const subtree& t) const { return {t.cut + 1, t.first_rank, cut_of(t).ranks_low}; }
  subtree high_side(const subtree& t) const {
    const int low = cut_of(t).ranks_low;  // a subtree of n ranks has n - 1 cuts
    return {t.cut + low, t.first_rank + low, t.ranks - low};
  }

  index3 domain_;
  std::vector<cut> cuts_;
  bool is_planes_ = true;
};

}  // namespace osteon::grid
