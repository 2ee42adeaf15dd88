#pragma once
#include <osteon/base/box.hpp>
#include <vector>

namespace osteon::test {

/// All partitions of three axes into as many boxes as ranks.
inline std::vector<index3> all_cuts(int ranks) {
  std::vector<index3> cuts;
  for (int z = 1; z <= ranks; ++z)
    for (int y = 1; z * y <= ranks; ++y)
      if (ranks % (z * y) == 0) cuts.push_back({z, y, ranks / (z * y)});
  return cuts;
}

}  // namespace osteon::test
