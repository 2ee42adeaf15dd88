#pragma once
/// @file
/// Compositing plans by visibility index, which is the common form of all methods.
///
/// A method is written for members 0 ... n - 1, front to back. Finally, `in_order` assigns ranks to these indices. Methods
/// can therefore be nested, and no method can confuse rank order with visibility order.
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
  int root = -1;               ///< preferred visibility index of the picture, if the method supports a choice; -1: any
  std::vector<int> host_of{};  ///< by visibility index; empty: unknown
  std::vector<std::vector<span>> active{};  ///< by visibility index: spans with drawn pixels; empty: everywhere
};

/// A plan between visibility indices.
struct composite {
  int members = 0;
  std::int64_t elements = 0;
  int rounds = 0;
  std::function<round(int index, int round)> of;
  /// Spans with the final value at a member.
  std::function<std::vector<span>(int index)> owned;
  int holder = -1;  ///< member with the complete result; -1: several members have parts

  /// Order of the parts of members; empty: order of the indices.
  std::function<int(int place)> index_at_place;
  std::function<int(int index)> place_of_index;
};

using composite_maker = std::function<composite(const composite_task&)>;

/// Adapt the messages of a plan that is part of a larger plan: rename peers and shift elements by `offset`.
template <class Rename>
void add_messages(round& target, const round& source, std::int64_t offset, Rename rename) {
  for (const auto& [from, to] : {std::pair(&source.sends, &target.sends), std::pair(&source.receives, &target.receives)})
    for (message m : *from) {
      m.peer = rename(m.peer);
      m.elements = {m.elements.begin + offset, m.elements.end + offset};
      to->push_back(std::move(m));
    }
}

/// Arrival action of a message between two indices: the lower index is in front.
inline arrival blended(int from, int to) { return from < to ? arrival::blend_front : arrival::blend_back; }

/// Assign ranks to the members. @throws usage_error as indices_of_ranks
plan in_order(std::string name, composite by_index, std::span<const int> order);

}  // namespace osteon::plan
