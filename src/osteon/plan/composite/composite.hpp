#pragma once
/// @file
/// Compositing plans by visibility index. All methods create plans of this form.
///
/// A method uses the members 0 to n - 1, ordered from front to back. After the method, `in_order` assigns ranks to these
/// indices. Methods can therefore be nested, and no method can confuse the order of ranks with the visibility order.
#include <functional>
#include <osteon/plan/plan.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace osteon::plan {

/// Task of a method.
struct composite_task {
  int members = 1;
  std::int64_t elements = 0;
  int root = -1;               ///< preferred visibility index of the picture, if the method supports a choice; -1: any index
  std::vector<int> host_of{};  ///< host of each visibility index; empty: unknown
  /// spans with drawn pixels of each visibility index; empty: all pixels are drawn
  std::vector<std::vector<span>> active{};
};

/// A plan between visibility indices.
struct composite {
  int members = 0;
  std::int64_t elements = 0;
  int rounds = 0;
  std::function<round(int index, int round)> of;
  /// Spans with final values at a member.
  std::function<std::vector<span>(int index)> owned;
  int holder = -1;  ///< member with the complete picture; -1: several members have parts

  /// Member whose part is at a place of the picture. Empty: the parts have the order of the indices.
  std::function<int(int place)> index_at_place;
  std::function<int(int index)> place_of_index;
};

using composite_maker = std::function<composite(const composite_task&)>;

/// Adapt the messages of a plan that becomes part of a larger plan. The function renames peers, and shifts elements by
/// `offset`.
template <class Rename>
void add_messages(round& target, const round& source, std::int64_t offset, Rename rename) {
  for (const auto& [from, to] : {std::pair(&source.sends, &target.sends), std::pair(&source.receives, &target.receives)})
    for (message m : *from) {
      m.peer = rename(m.peer);
      m.elements = {m.elements.begin + offset, m.elements.end + offset};
      to->push_back(std::move(m));
    }
}

/// Arrival action of a message between two visibility indices. The image with the lower index is in front.
inline arrival blended(int from, int to) { return from < to ? arrival::blend_front : arrival::blend_back; }

/// Assign ranks to the members. @throws usage_error as indices_of_ranks
plan in_order(std::string name, composite by_index, std::span<const int> order);

}  // namespace osteon::plan
