#include <studies/subdomain_mapping/ranks/cartesian.hpp>

#include <fmt/format.h>

#include <osteon/base/error.hpp>

namespace osteon::studies {

cartesian::cartesian(index3 cells, index3 ranks) : cells_(cells), ranks_(ranks) {
  for (int a = 0; a < 3; ++a)
    if (ranks[a] < 1 || cells[a] < ranks[a])
      throw usage_error(
          fmt::format("{} cells along {} for {} ranks: each rank requires at least one; use a larger grid or other "
                      "numbers of ranks along the axes",
                      cells[a], "zyx"[a], ranks[a]));
}

index3 cartesian::place_of(int rank) const {
  return {rank / (ranks_.x * ranks_.y), rank / ranks_.x % ranks_.y, rank % ranks_.x};
}

box3 cartesian::box_of(int rank) const {
  const index3 place = place_of(rank);
  box3 box;
  for (int a = 0; a < 3; ++a) {
    box.begin[a] = cells_[a] * place[a] / ranks_[a];
    box.end[a] = cells_[a] * (place[a] + 1) / ranks_[a];
  }
  return box;
}

int cartesian::neighbour(int rank, face side) const {
  index3 place = place_of(rank);
  place[side.axis] += side.upper ? 1 : -1;
  if (place[side.axis] < 0 || place[side.axis] >= ranks_[side.axis]) return -1;
  return static_cast<int>((place.z * ranks_.y + place.y) * ranks_.x + place.x);
}

std::int64_t cartesian::cells_of(int rank, face side) const {
  if (neighbour(rank, side) < 0) return 0;
  const index3 shape = box_of(rank).shape();
  return shape.volume() / shape[side.axis];
}

}  // namespace osteon::studies
