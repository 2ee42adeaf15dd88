#include <fmt/format.h>

#include <algorithm>
#include <osteon/placement/mapping/grouping.hpp>

namespace osteon::placement {

namespace {

// Order the blocks brick by brick along a boustrophedon path. Consecutive blocks are therefore close to each other.
std::vector<int> along_bricks(const std::array<int, 3>& blocks, const std::array<int, 3>& brick) {
  std::array<int, 3> bricks{};
  for (std::size_t d = 0; d < 3; ++d) bricks[d] = (blocks[d] + brick[d] - 1) / brick[d];
  std::vector<int> order;
  for (int z = 0; z < bricks[0]; ++z)
    for (int j = 0; j < bricks[1]; ++j) {
      const int y = z % 2 ? bricks[1] - 1 - j : j;
      for (int i = 0; i < bricks[2]; ++i) {
        const int x = (z * bricks[1] + j) % 2 ? bricks[2] - 1 - i : i;
        for (int a = z * brick[0]; a < std::min((z + 1) * brick[0], blocks[0]); ++a)
          for (int b = y * brick[1]; b < std::min((y + 1) * brick[1], blocks[1]); ++b)
            for (int c = x * brick[2]; c < std::min((x + 1) * brick[2], blocks[2]); ++c)
              order.push_back((a * blocks[1] + b) * blocks[2] + c);
      }
    }
  return order;
}

// Brick that contains each block. Bricks are numbered with x fastest.
std::vector<int> whole_bricks(const std::array<int, 3>& blocks, const std::array<int, 3>& brick) {
  std::vector<int> part;
  for (int a = 0; a < blocks[0]; ++a)
    for (int b = 0; b < blocks[1]; ++b)
      for (int c = 0; c < blocks[2]; ++c)
        part.push_back((a / brick[0] * (blocks[1] / brick[1]) + b / brick[1]) * (blocks[2] / brick[2]) + c / brick[2]);
  return part;
}

}  // namespace

std::string brick_groups::name() const { return fmt::format("bricks {}x{}x{}", brick[2], brick[1], brick[0]); }

brick_groups best_bricks(const cartesian& grid, const graph& g, std::span<const int> capacity) {
  const int largest = *std::max_element(capacity.begin(), capacity.end());
  const bool equal = std::all_of(capacity.begin(), capacity.end(), [&](int c) { return c == largest; });
  brick_groups best;
  const auto try_brick = [&](const std::array<int, 3>& brick) {
    brick_groups now{{}, brick, 0, equal};
    for (std::size_t d = 0; d < 3; ++d) now.fits = now.fits && grid.blocks[d] % brick[d] == 0;
    if (now.fits) {
      now.part = whole_bricks(grid.blocks, brick);
    } else {
      now.part.resize(static_cast<std::size_t>(g.size()));
      const std::vector<int> order = along_bricks(grid.blocks, brick),
                             part = in_order(static_cast<int>(order.size()), capacity);
      for (std::size_t i = 0; i < order.size(); ++i) now.part[static_cast<std::size_t>(order[i])] = part[i];
    }
    now.cut = cut(g, now.part);
    if (best.part.empty() || now.cut < best.cut || (now.cut == best.cut && now.fits && !best.fits)) best = std::move(now);
  };
  for (int a = 1; a <= std::min(largest, grid.blocks[0]); ++a)
    for (int b = 1; largest % a == 0 && b <= std::min(largest / a, grid.blocks[1]); ++b)
      if (largest / a % b == 0) try_brick({a, b, largest / a / b});
  if (best.part.empty()) try_brick({1, 1, 1});
  return best;
}

}  // namespace osteon::placement
