#pragma once
/// @file
/// State of a rank in the symbolic execution of a plan.
#include <algorithm>
#include <osteon/plan/plan.hpp>
#include <vector>

namespace osteon::plan {

/// Interval [front, back) of visibility indices. The images of these indices have been blended into a span of elements.
struct content {
  span elements;
  int front, back;
};

/// Contents of all elements of an object. Adjacent elements with equal contents form one span. Regular plans therefore
/// require little memory.
class symbolic_object {
 public:
  symbolic_object() = default;
  explicit symbolic_object(content everywhere) : end_(everywhere.elements.end) {
    if (end_ > 0) stretches_ = {{0, everywhere.front, everywhere.back}};
  }

  /// Append the contents of the elements `interval` to `target`. Contents are clipped at the ends of the interval.
  void read(span interval, std::vector<content>& target) const {
    for (std::size_t i = at(interval.begin); i < stretches_.size() && stretches_[i].begin < interval.end; ++i)
      target.push_back({{std::max(stretches_[i].begin, interval.begin), std::min(end_of(i), interval.end)},
                        stretches_[i].front,
                        stretches_[i].back});
  }

  void write(const content& added) {
    const std::size_t first = at(added.elements.begin), last = at(added.elements.end - 1);
    const stretch before = stretches_[first], after = stretches_[last];
    const std::int64_t after_end = end_of(last);
    // The intervals from `first` to `last` are replaced by three parts: the rest of the first interval, the new interval,
    // and the rest of the last interval.
    stretch parts[3];
    std::size_t count = 0;
    const auto add = [&](stretch s) {
      const bool follows = count > 0 || first > 0;
      if (follows && same(count > 0 ? parts[count - 1] : stretches_[first - 1], s)) return;
      parts[count++] = s;
    };
    if (before.begin < added.elements.begin) add(before);
    add({added.elements.begin, added.front, added.back});
    std::size_t erased_end = last + 1;
    if (added.elements.end < after_end) {
      add({added.elements.end, after.front, after.back});
    } else if (erased_end < stretches_.size() && same({0, added.front, added.back}, stretches_[erased_end])) {
      ++erased_end;
    }
    const auto position = stretches_.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t old = erased_end - first, common = std::min(old, count);
    std::copy(parts, parts + common, position);
    if (old > count)
      stretches_.erase(position + static_cast<std::ptrdiff_t>(count), position + static_cast<std::ptrdiff_t>(old));
    else
      stretches_.insert(position + static_cast<std::ptrdiff_t>(common), parts + common, parts + count);
  }

  /// Append contents after the last element.
  void append(const content& added) {
    if (added.elements.size() <= 0) return;
    const stretch next{added.elements.begin, added.front, added.back};
    if (stretches_.empty() || !same(stretches_.back(), next)) stretches_.push_back(next);
    end_ = added.elements.end;
  }

 private:
  struct stretch {
    std::int64_t begin;
    int front, back;
  };
  static bool same(const stretch& a, const stretch& b) { return a.front == b.front && a.back == b.back; }
  std::int64_t end_of(std::size_t i) const { return i + 1 < stretches_.size() ? stretches_[i + 1].begin : end_; }
  std::size_t at(std::int64_t element) const {
    const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), element,
                                        [](std::int64_t e, const stretch& s) { return e < s.begin; });
    return static_cast<std::size_t>(after - stretches_.begin()) - 1;
  }

  std::vector<stretch> stretches_;
  std::int64_t end_ = 0;
};

}  // namespace osteon::plan
