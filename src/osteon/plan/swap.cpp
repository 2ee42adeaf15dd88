#include <osteon/plan/swap.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <osteon/base/error.hpp>

namespace osteon::plan {

namespace {

// Parts of `elements` elements among `count` members, in order: part m is [cut(m), cut(m + 1)).
struct partition {
  std::int64_t elements;
  std::int64_t count;

  std::int64_t cut(std::int64_t m) const { return elements / count * m + elements % count * m / count; }
  span part(std::int64_t m) const { return {cut(m), cut(m + 1)}; }
  std::int64_t part_of(std::int64_t element) const {
    std::int64_t low = 0, high = count;  // cut(low) <= element < cut(high)
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (cut(middle) <= element ? low : high) = middle;
    }
    return low;
  }
};

span overlap(span a, span b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

// The visibility indices [begin, end) and how its members share the elements. The members' slots interleave those of
// the front and the back half by the centres of the parts that they hold, so a member's next part lies in or beside
// the part that it holds already.
struct group {
  std::int64_t begin, end;

  std::int64_t size() const { return end - begin; }
  std::int64_t middle() const { return begin + (size() + 1) / 2; }
  group front() const { return {begin, middle()}; }
  group back() const { return {middle(), end}; }

  // Slot of the member that has slot i in the front half: front slots j <= i, and the back slots whose centre
  // (2j + 1) / 2q lies before (2i + 1) / 2p.
  std::int64_t slot_of_front(std::int64_t i) const {
    const std::int64_t p = front().size(), q = back().size();
    const std::int64_t reach = (2 * i + 1) * q;  // back slots with (2j + 1) p < reach
    return i + std::min(q, std::max<std::int64_t>(0, (reach + p - 1) / p / 2));
  }

  std::int64_t slot_of(std::int64_t index) const {
    if (size() == 1) return 0;
    if (index < middle()) return slot_of_front(front().slot_of(index));
    // The back slot j fills the (j + 1)-th gap that the front slots leave.
    const std::int64_t j = back().slot_of(index);
    std::int64_t low = 0, high = front().size();  // number of front slots before back slot j
    while (low < high) {
      const std::int64_t i = low + (high - low) / 2;
      if (slot_of_front(i) - i <= j)
        low = i + 1;
      else
        high = i;
    }
    return low + j;
  }

  std::int64_t index_at(std::int64_t slot) const {
    if (size() == 1) return begin;
    std::int64_t low = 0, high = front().size();  // number of front slots below or at `slot`
    while (low < high) {
      const std::int64_t i = low + (high - low) / 2;
      if (slot_of_front(i) <= slot)
        low = i + 1;
      else
        high = i;
    }
    if (low > 0 && slot_of_front(low - 1) == slot) return front().index_at(low - 1);
    return back().index_at(slot - low);
  }
};

struct swap_generator {
  int ranks;
  std::int64_t elements;
  int root;
  std::vector<int> rank_at;   // by visibility index
  std::vector<int> index_of;  // by rank

  span part_in(const group& g, std::int64_t slot) const { return partition{elements, g.size()}.part(slot); }

  // The members of `g`, other than `self`, whose parts overlap `wanted`.
  void add_steps(std::vector<step>& steps, action what, const group& g, span wanted, std::int64_t self) const {
    if (wanted.size() <= 0) return;
    const partition parts{elements, g.size()};
    for (std::int64_t slot = parts.part_of(wanted.begin); slot < g.size(); ++slot) {
      const span common = overlap(parts.part(slot), wanted);
      if (parts.cut(slot) >= wanted.end) break;
      const std::int64_t index = g.index_at(slot);
      if (index != self && common.size() > 0) steps.push_back({what, rank_at[static_cast<std::size_t>(index)], common});
    }
  }

  round merge(const group& g, std::int64_t index) const {
    round result;
    const bool in_front = index < g.middle();
    const group own = in_front ? g.front() : g.back(), other = in_front ? g.back() : g.front();
    const span held = part_in(own, own.slot_of(index)), next = part_in(g, g.slot_of(index));
    add_steps(result.steps, action::send, g, held, index);
    add_steps(result.steps, action::receive, own, next, index);  // placed before anything is blended with it
    add_steps(result.steps, in_front ? action::blend_back : action::blend_front, other, next, index);
    return result;
  }

  round collect(const group& all, std::int64_t index) const {
    round result;
    const span held = part_in(all, all.slot_of(index));
    if (index == index_of[static_cast<std::size_t>(root)])
      add_steps(result.steps, action::receive, all, {0, elements}, index);
    else if (held.size() > 0)
      result.steps.push_back({action::send, root, held});
    return result;
  }

  rank_plan of(int rank) const {
    const std::int64_t index = index_of[static_cast<std::size_t>(rank)];
    const int depth = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
    rank_plan result;
    result.rounds.resize(static_cast<std::size_t>(depth));
    group g{0, ranks};
    // The smallest groups merge first. Groups of one depth differ in size by one at most, so a group of one member
    // sits out the first round only.
    for (int level = 0; level < depth && g.size() > 1; ++level) {
      result.rounds[static_cast<std::size_t>(depth - 1 - level)] = merge(g, index);
      g = index < g.middle() ? g.front() : g.back();
    }
    const group all{0, ranks};
    if (root < 0) {
      result.result = {part_in(all, all.slot_of(index))};
      return result;
    }
    result.rounds.push_back(collect(all, index));
    if (rank == root) result.result = {{0, elements}};
    return result;
  }
};

}  // namespace

plan binary_swap(int ranks, std::int64_t elements, std::span<const int> order, int root) {
  if (ranks < 1 || elements < 0 || root < -1 || root >= ranks)
    throw usage_error(
        fmt::format("a binary swap of {} elements among {} ranks with root {}: it needs at least one rank, no "
                    "negative number of elements and a root from 0 to {} (or -1 for none)",
                    elements, ranks, root, ranks - 1));
  auto generator = std::make_shared<swap_generator>();
  *generator = {ranks, elements, root, {order.begin(), order.end()}, std::vector<int>(static_cast<std::size_t>(ranks), -1)};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int rank = order[i];
    if (order.size() != static_cast<std::size_t>(ranks) || rank < 0 || rank >= ranks ||
        generator->index_of[static_cast<std::size_t>(rank)] >= 0)
      throw usage_error(
          fmt::format("visibility order of {} entries with rank {} at index {}: it must name each of the {} ranks once",
                      order.size(), rank, i, ranks));
    generator->index_of[static_cast<std::size_t>(rank)] = static_cast<int>(i);
  }
  if (order.empty()) throw usage_error(fmt::format("empty visibility order for {} ranks: name each rank once", ranks));
  return {"binary-swap", ranks, elements, [generator](int rank) { return generator->of(rank); }};
}

}  // namespace osteon::plan
