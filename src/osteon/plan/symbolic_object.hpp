#pragma once
/// @file
/// State of a rank in the symbolic execution of a plan.
#include <algorithm>
#include <osteon/plan/plan.hpp>
#include <vector>

namespace osteon::plan {

/// Interval [front, back) of visibility indices blended by a span of elements.
struct content {
  span elements;
  int front, back;
};

/// Contents of all elements of an object. Adjacent elements with equal contents form one span, so that the state is small
/// for regular plans.
class symbolic_object {
 public:
  symbolic_object() = default;
  explicit symbolic_object(content everywhere) : end_(everywhere.elements.end) {
    if (end_ > 0) stretches_ = {{0, everywhere.front, everywhere.back}};
  }

  /// Append the contents of some elements to `target`, clipped at their ends.
  void read(span wanted, std::vector<content>& target) const {
    for (std::size_t i = at(wanted.begin); i < stretches_.size() && stretches_[i].begin < wanted.end; ++i)
      target.push_back({{std::max(stretches_[i].begin, wanted.begin), std::min(end_of(i), wanted.end)},
                        stretches_[i].front,
                        stretches_[i].back});
  }

  void write(const content& what) {
    const std::size_t first = at(what.elements.begin), last = at(what.elements.end - 1);
    const stretch before = stretches_[first], after = stretches_[last];
    const std::int64_t after_end = end_of(last);
    // Replacement of the intervals from `first` to `last`: the rest of the first, the new one, the rest of the last.
    stretch parts[3];
    std::size_t count = 0;
    const auto add = [&](stretch s) {
      const bool follows = count > 0 || first > 0;
      if (follows && same(count > 0 ? parts[count - 1] : stretches_[first - 1], s)) return;
      parts[count++] = s;
    };
    if (before.begin < what.elements.begin) add(before);
    add({what.elements.begin, what.front, what.back});
    std::size_t erased_end = last + 1;
    if (what.elements.end < after_end) {
      add({what.elements.end, after.front, after.back});
    } else if (erased_end < stretches_.size() && same({0, what.front, what.back}, stretches_[erased_end])) {
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

  /// Append after the last element.
  void append(const content& what) {
    if (what.elements.size() <= 0) return;
    const stretch next{what.elements.begin, what.front, what.back};
    if (stretches_.empty() || !same(stretches_.back(), next)) stretches_.push_back(next);
    end_ = what.elements.end;
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
