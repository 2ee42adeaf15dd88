#include <osteon/grid/box_tree.hpp>

#include <algorithm>

namespace osteon::grid {

box3 overlap(const box3& a, const box3& b) {
  box3 common;
  for (int axis = 0; axis < 3; ++axis) {
    common.begin[axis] = std::max(a.begin[axis], b.begin[axis]);
    common.end[axis] = std::min(a.end[axis], b.end[axis]);
  }
  return common;
}

box3 grown(const box3& part, std::int64_t depth) {
  const index3 by{depth, depth, depth};
  return {part.begin - by, part.end + by};
}

box_tree::box_tree(index3 domain, std::vector<cut> cuts)
    : domain_(domain),
      cuts_(std::move(cuts)),
      is_planes_(std::all_of(cuts_.begin(), cuts_.end(), [](const cut& c) { return c.along == 0; })) {}

box_tree box_tree::of_planes(index3 domain, std::span<const std::int64_t> first) {
  std::vector<cut> cuts;
  struct range {
    int begin, end;
  };
  std::vector<range> open{{0, static_cast<int>(first.size()) - 1}};
  while (!open.empty()) {
    const auto [begin, end] = open.back();
    open.pop_back();
    if (end - begin < 2) continue;
    const int middle = begin + (end - begin) / 2;
    cuts.push_back({first[static_cast<std::size_t>(middle)], middle - begin, static_cast<int>(axis::z)});
    open.push_back({middle, end});
    open.push_back({begin, middle});
  }
  return {domain, std::move(cuts)};
}

box3 box_tree::box_of(int rank) const {
  box3 box{{}, domain_};
  for (subtree t{0, 0, ranks()}; t.ranks > 1;) {
    const cut& c = cut_of(t);
    const bool low = rank < t.first_rank + c.ranks_low;
    (low ? box.end : box.begin)[c.along] = c.position;
    t = low ? low_side(t) : high_side(t);
  }
  return box;
}

int box_tree::owner_of(index3 voxel) const {
  subtree t{0, 0, ranks()};
  while (t.ranks > 1) t = voxel[cut_of(t).along] < cut_of(t).position ? low_side(t) : high_side(t);
  return t.first_rank;
}

std::vector<int> box_tree::ranks_overlapping(const box3& part) const {
  return groups_overlapping(part, [](int rank) { return rank; });
}

std::vector<int> box_tree::groups_overlapping(const box3& part, const std::function<int(int rank)>& group_of) const {
  std::vector<int> found;
  std::vector<std::pair<subtree, box3>> open{{{0, 0, ranks()}, overlap(part, {{}, domain_})}};
  while (!open.empty()) {
    const auto [t, common] = open.back();  // `common` is the intersection of `part` with the box of the subtree
    open.pop_back();
    if (common.empty()) continue;
    if (const int group = group_of(t.first_rank); t.ranks == 1 || group == group_of(t.first_rank + t.ranks - 1)) {
      found.push_back(group);
      continue;
    }
    const cut& c = cut_of(t);
    box3 low = common, high = common;
    low.end[c.along] = std::min(low.end[c.along], c.position);
    high.begin[c.along] = std::max(high.begin[c.along], c.position);
    open.push_back({high_side(t), high});
    open.push_back({low_side(t), low});
  }
  return found;
}

}  // namespace osteon::grid
