#pragma once
/// @file
/// Compositing by visibility index, the common form of all methods.
///
/// A method is written for members 0 ... n - 1, front to back. Ranks are assigned to indices last (`in_order`), so that
/// methods cannot confuse the order of ranks with the order of visibility, and methods can be nested.
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
  int root = -1;               ///< preferred visibility index of the picture, if the method has a choice; -1: any
  std::vector<int> host_of{};  ///< by visibility index; empty: unknown
  std::vector<std::vector<span>> active{};  ///< by visibility index: spans with drawn pixels; empty: everywhere
};

/// Plan between visibility indices, which are the peers of its messages.
struct composite {
  int members = 0;
  std::int64_t elements = 0;
  int rounds = 0;
  std::function<round(int index, int round)> of;
  /// Elements with the final value at a member.
  std::function<std::vector<span>(int index)> owned;
  int holder = -1;  ///< member with the complete result; -1: several members have parts

  /// Order of the parts of members; empty: that of the indices.
  std::function<int(int place)> index_at_place;
  std::function<int(int index)> place_of_index;
};

using composite_maker = std::function<composite(const composite_task&)>;

/// Messages of a plan as part of a larger one: peers renamed, elements shifted by `offset`.
template <class Rename>
void add_messages(round& target, const round& source, std::int64_t offset, Rename rename) {
  for (const auto& [from, to] : {std::pair(&source.sends, &target.sends), std::pair(&source.receives, &target.receives)})
    for (message m : *from) {
      m.peer = rename(m.peer);
      m.elements = {m.elements.begin + offset, m.elements.end + offset};
      to->push_back(std::move(m));
    }
}

/// Arrival action of a message from one index to another: the lower one is in front.
inline arrival blended(int from, int to) { return from < to ? arrival::blend_front : arrival::blend_back; }

/// Rename the members to ranks.
/// @throws usage_error as indices_of_ranks
plan in_order(std::string name, composite by_index, std::span<const int> order);

}  // namespace osteon::plan
