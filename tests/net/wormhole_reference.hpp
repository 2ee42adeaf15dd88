#pragma once
// Wormhole switching, simulated flit by flit, on links that buffer one flit. A message moves as a rigid worm. In each cycle,
// the head of the message enters the next link of its route if this link is free, and all flits advance by one link. A link
// is free again when the last flit has passed. Messages are processed in the order of their numbers, rotated by one in each
// cycle.
#include <algorithm>
#include <osteon/net/networks/network.hpp>
#include <vector>

namespace osteon::net_test {

struct worms {
  std::vector<int> finished;  // cycle at which the last flit of each message has arrived
  std::vector<int> waited;    // cycles in which each message did not move
  int cycles = 0;
  bool stuck = false;  // no message could move
};

inline worms run_worms(const net::network& where, const std::vector<std::vector<int>>& ways, int flits) {
  constexpr int nobody = -1;
  const std::size_t count = ways.size();
  std::vector<int> owner(where.links.size(), nobody), moves(count, 0);
  worms result;
  result.finished.assign(count, 0);
  result.waited.assign(count, 0);
  std::size_t left = count;
  const auto length = [&](std::size_t m) { return static_cast<int>(ways[m].size()); };
  while (left > 0 && !result.stuck) {
    bool moved = false;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t m = (k + static_cast<std::size_t>(result.cycles)) % count;
      if (result.finished[m] > 0) continue;
      if (moves[m] < length(m)) {
        int& next = owner[static_cast<std::size_t>(ways[m][static_cast<std::size_t>(moves[m])])];
        if (next != nobody) {
          ++result.waited[m];
          continue;
        }
        next = static_cast<int>(m);
      }
      moved = true;
      ++moves[m];
      if (moves[m] >= flits) owner[static_cast<std::size_t>(ways[m][static_cast<std::size_t>(moves[m] - flits)])] = nobody;
      if (moves[m] == length(m) + flits - 1) {
        result.finished[m] = result.cycles + 1;
        --left;
      }
    }
    ++result.cycles;
    result.stuck = !moved;
  }
  return result;
}

}  // namespace osteon::net_test
