#include <osteon/render/rays/view.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/grid/box_tree.hpp>
#include <queue>

namespace osteon::render {

namespace {

// True if a ray may first intersect `front` and then `back`. The result is false if such a ray would have to reverse its
// direction along an axis.
bool may_hide(const view& from, const box3& front, const box3& back) {
  for (int axis = 0; axis < 3; ++axis) {
    const double eye = from.eye[axis] * from.voxels_per_mm[axis];
    if (front.end[axis] <= back.begin[axis])
      if (from.perspective ? eye >= static_cast<double>(front.end[axis]) : from.forward[axis] <= 0) return false;
    if (back.end[axis] <= front.begin[axis])
      if (from.perspective ? eye <= static_cast<double>(front.begin[axis]) : from.forward[axis] >= 0) return false;
  }
  return true;
}

std::string text_of(const box3& box) {
  return fmt::format("({}, {}, {}) to ({}, {}, {})", box.begin.z, box.begin.y, box.begin.x, box.end.z, box.end.y, box.end.x);
}

}  // namespace

box_visibility order_boxes(const view& from, std::span<const box3> boxes) {
  const auto n = static_cast<int>(boxes.size());
  std::vector<std::vector<int>> hidden_by(boxes.size());
  std::vector<int> in_front(boxes.size());  // number of boxes that hide a part of this box and are not yet in the order
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      if (a != b && may_hide(from, boxes[static_cast<std::size_t>(a)], boxes[static_cast<std::size_t>(b)])) {
        hidden_by[static_cast<std::size_t>(a)].push_back(b);
        ++in_front[static_cast<std::size_t>(b)];
      }
  std::priority_queue<int, std::vector<int>, std::greater<>> free;
  for (int a = 0; a < n; ++a)
    if (in_front[static_cast<std::size_t>(a)] == 0) free.push(a);
  box_visibility result;
  while (!free.empty()) {
    const int a = free.top();
    free.pop();
    result.order.push_back(a);
    for (const int b : hidden_by[static_cast<std::size_t>(a)])
      if (--in_front[static_cast<std::size_t>(b)] == 0) free.push(b);
  }
  if (std::ssize(result.order) == n) return result;
  // Each remaining box is behind another remaining box. A path to the front therefore contains a cycle.
  result.order.clear();
  std::vector<int> path{static_cast<int>(
      std::find_if(in_front.begin(), in_front.end(), [](int count) { return count > 0; }) - in_front.begin())};
  for (;;) {
    int next = 0;
    const auto hides_last = [&](int a) {
      const auto& list = hidden_by[static_cast<std::size_t>(a)];
      return in_front[static_cast<std::size_t>(a)] > 0 && std::find(list.begin(), list.end(), path.back()) != list.end();
    };
    while (!hides_last(next)) ++next;
    const auto before = std::find(path.begin(), path.end(), next);
    if (before != path.end()) {
      result.cycle.assign(before, path.end());
      std::reverse(result.cycle.begin(), result.cycle.end());
      const auto least = std::min_element(result.cycle.begin(), result.cycle.end());
      std::rotate(result.cycle.begin(), least, result.cycle.end());
      return result;
    }
    path.push_back(next);
  }
}

std::string describe_cycle(std::span<const int> cycle) {
  if (cycle.empty()) return {};
  std::string text = fmt::format("rank {}", cycle[0]);
  for (std::size_t i = 0; i < cycle.size(); ++i)
    text += fmt::format("{} hides a part of rank {}", i == 0 ? "" : ", which", cycle[(i + 1) % cycle.size()]);
  return text;
}

void check_boxes(index3 domain, std::span<const box3> boxes) {
  std::int64_t voxels = 0;
  for (std::size_t a = 0; a < boxes.size(); ++a) {
    const index3 shape = boxes[a].shape();
    const bool within = grid::overlap(boxes[a], {{}, domain}) == boxes[a];
    if (shape.z < 1 || shape.y < 1 || shape.x < 1 || !within)
      throw usage_error(
          fmt::format("the box {1} of rank {0} must have voxels and be within the domain of {2} x {3} x {4} voxels", a,
                      text_of(boxes[a]), domain.z, domain.y, domain.x));
    voxels += shape.volume();
    for (std::size_t b = 0; b < a; ++b) {
      const index3 common = grid::overlap(boxes[a], boxes[b]).shape();
      if (common.z > 0 && common.y > 0 && common.x > 0)
        throw usage_error(fmt::format("the boxes of ranks {} and {} overlap ({} and {}); assign each voxel to one rank", b,
                                      a, text_of(boxes[b]), text_of(boxes[a])));
    }
  }
  if (voxels != domain.volume())
    throw usage_error(
        fmt::format("the boxes of {} ranks contain {} of the {} voxels of the domain; assign each voxel to one rank",
                    boxes.size(), voxels, domain.volume()));
}

}  // namespace osteon::render
