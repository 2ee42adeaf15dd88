#include <studies/compositing/frames/swap_2d.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/plan/composite/swap.hpp>

namespace osteon::studies {

namespace {

struct rectangle {
  int x = 0, y = 0, width = 0, height = 0;

  std::pair<rectangle, rectangle> halves() const {
    if (width > height) return {{x, y, width / 2, height}, {x + width / 2, y, width - width / 2, height}};
    return {{x, y, width, height / 2}, {x, y + height / 2, width, height - height / 2}};
  }
};

struct rectangle_swap {
  int width, height, root;
  std::vector<int> order, index_of;

  std::vector<plan::span> rows_of(const rectangle& r) const {
    std::vector<plan::span> rows;
    for (int y = r.y; y < r.y + r.height; ++y) {
      const std::int64_t begin = std::int64_t{y} * width + r.x;
      if (r.width > 0) rows.push_back({begin, begin + r.width});
    }
    return rows;
  }

  int rounds() const { return std::bit_width(order.size()) - 1; }
  std::vector<plan::span> part_of(int rank) const { return rows_of(cut(rank, rounds() - 1).keeps); }

  struct halving {
    bool behind = false;  // true for the member that is behind; determines the owner of the second half
    rectangle gives, keeps;
  };
  // Members with equal lower bits have the same rectangle. The current bit determines the member in front, and the owners of
  // the halves.
  halving cut(int rank, std::int64_t round) const {
    const auto index = static_cast<unsigned>(index_of[static_cast<std::size_t>(rank)]);
    halving made{false, {}, {0, 0, width, height}};
    for (std::int64_t n = 0; n <= round; ++n) {
      made.behind = (index >> n & 1) != 0;
      const auto [first, second] = made.keeps.halves();
      made.gives = made.behind ? first : second;
      made.keeps = made.behind ? second : first;
    }
    return made;
  }

  plan::round collect(int rank) const {
    plan::round now;
    if (rank != root) {
      for (const plan::span& s : part_of(rank)) now.sends.push_back({root, s});
      return now;
    }
    for (int other = 0; other < std::ssize(order); ++other)
      if (other != root)
        for (const plan::span& s : part_of(other)) now.receives.push_back({other, s});
    return now;
  }

  plan::round of(int rank, std::int64_t round) const {
    if (round == rounds()) return collect(rank);
    const auto index = static_cast<unsigned>(index_of[static_cast<std::size_t>(rank)]);
    const halving made = cut(rank, round);
    const int peer = order[index ^ 1U << round];
    const auto at_peer = made.behind ? plan::arrival::blend_back : plan::arrival::blend_front,
               here = made.behind ? plan::arrival::blend_front : plan::arrival::blend_back;
    plan::round now;
    for (const plan::span& s : rows_of(made.gives)) now.sends.push_back({peer, s, at_peer});
    for (const plan::span& s : rows_of(made.keeps)) now.receives.push_back({peer, s, here});
    return now;
  }
};

// Number of pixels of a span that are inside a disk. The radius of the disk is 0.3 of the shorter side. The number is
// computed from sums over the rows.
struct disk {
  int width, height;
  std::vector<std::int64_t> before;  // number of pixels of the disk before each pixel

  disk(int w, int h) : width(w), height(h), before(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) + 1) {
    const double radius = 0.3 * std::min(w, h);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const double dx = x + 0.5 - 0.5 * w, dy = y + 0.5 - 0.5 * h;
        const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(w) + static_cast<std::size_t>(x);
        before[at + 1] = before[at] + (dx * dx + dy * dy < radius * radius);
      }
  }
  std::int64_t in(const plan::span& s) const {
    return before[static_cast<std::size_t>(s.end)] - before[static_cast<std::size_t>(s.begin)];
  }
};

std::pair<std::int64_t, std::int64_t> most_sent_and_owned(const plan::plan& plan, const disk& shape) {
  std::int64_t most = 0, owned = 0;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    const plan::rank_plan mine = plan.part(rank);
    std::int64_t sent = 0, has = 0;
    for (const plan::round& round : mine.rounds)
      for (const plan::message& m : round.sends) sent += shape.in(m.elements);
    for (const plan::span& s : mine.result) has += shape.in(s);
    most = std::max(most, sent);
    owned = std::max(owned, has);
  }
  return {most, owned};
}

}  // namespace

plan::plan binary_swap_in_rectangles(int width, int height, std::span<const int> order, int root) {
  const std::size_t ranks = order.size();
  if (!std::has_single_bit(ranks))
    throw usage_error(fmt::format("binary swap in rectangles of {} ranks: must be a power of two", ranks));
  if (std::int64_t{width} * height < static_cast<std::int64_t>(ranks) || width < 1 || height < 1)
    throw usage_error(fmt::format("{} x {} pixels cannot be cut into {} rectangles", width, height, ranks));
  if (root < -1 || root >= static_cast<int>(ranks))
    throw usage_error(fmt::format("a root {} among {} ranks: must be 0 to {}, or -1 for none", root, ranks, ranks - 1));
  auto swap = std::make_shared<rectangle_swap>(rectangle_swap{width, height, root, {order.begin(), order.end()}, {}});
  swap->index_of.assign(ranks, -1);
  for (std::size_t i = 0; i < ranks; ++i) {
    const int rank = order[i];
    if (rank < 0 || rank >= static_cast<int>(ranks) || swap->index_of[static_cast<std::size_t>(rank)] >= 0)
      throw usage_error(fmt::format("the order of visibility contains rank {} twice, or it is not below {}", rank, ranks));
    swap->index_of[static_cast<std::size_t>(rank)] = static_cast<int>(i);
  }
  plan::plan plan;
  plan.name = "binary-swap in rectangles";
  plan.ranks = static_cast<int>(ranks);
  plan.rounds = swap->rounds() + (root >= 0 && ranks > 1 ? 1 : 0);
  plan.elements = std::int64_t{width} * height;
  plan.of = [swap](int rank, std::int64_t round) { return swap->of(rank, round); };
  plan.result = [swap](int rank) {
    if (swap->root < 0) return swap->part_of(rank);
    return rank == swap->root ? std::vector<plan::span>{{0, std::int64_t{swap->width} * swap->height}}
                              : std::vector<plan::span>{};
  };
  return plan;
}

std::vector<cut_comparison> compare_cuts(int width, int height, int most_ranks) {
  const disk shape(width, height);
  std::vector<cut_comparison> result;
  for (int ranks = 2; ranks <= most_ranks; ranks *= 2) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    const auto [stripes, owned_stripes] =
        most_sent_and_owned(plan::binary_swap(ranks, std::int64_t{width} * height, order, -1), shape);
    const auto [rectangles, owned_rectangles] = most_sent_and_owned(binary_swap_in_rectangles(width, height, order), shape);
    result.push_back({ranks, stripes, rectangles, owned_stripes, owned_rectangles});
  }
  return result;
}

}  // namespace osteon::studies
