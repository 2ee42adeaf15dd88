#include <osteon/morphometry/local_thickness.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/morphometry/distance_map.hpp>

namespace osteon::morphometry {

namespace {

// Widest paths inside a block. Balls that reach a voxel propagate to the neighbours of this voxel. The largest balls
// propagate first.
class widest_paths {
 public:
  widest_paths(index3 shape, const std::vector<float>& squared)
      : shape_(shape), squared_(squared), widest_(squared.size(), 0.0F) {}

  /// Propagate a ball of this size to a voxel. The local distance limits the size. @return true if no ball of at least this
  /// size has previously reached the voxel
  bool offer(index3 at, float ball) {
    const std::int64_t place = (at.z * shape_.y + at.y) * shape_.x + at.x;
    const float fits = std::min(ball, squared_[static_cast<std::size_t>(place)]);
    float& widest = widest_[static_cast<std::size_t>(place)];
    if (fits <= widest) return false;
    widest = fits;
    waiting_[fits].push_back(at);
    return true;
  }

  void spread() {
    while (!waiting_.empty()) {
      const auto most = waiting_.begin();
      const float ball = most->first;
      const std::vector<index3> places = std::move(most->second);
      waiting_.erase(most);
      for (const index3& at : places) {
        if (widest_[static_cast<std::size_t>((at.z * shape_.y + at.y) * shape_.x + at.x)] != ball)
          continue;  // a larger ball has replaced this ball
        for (int a = 0; a < 3; ++a)
          for (const int step : {-1, 1}) {
            index3 next = at;
            next[a] += step;
            if (next[a] >= 0 && next[a] < shape_[a]) offer(next, ball);
          }
      }
    }
  }

  const std::vector<float>& result() const { return widest_; }

 private:
  index3 shape_;
  const std::vector<float>& squared_;
  std::vector<float> widest_;
  // voxels for each size of ball; the largest balls are first
  std::map<float, std::vector<index3>, std::greater<>> waiting_;
};

// Call `visit` for the voxels at one of the six faces of a block.
template <class F>
void for_each_on_face(index3 shape, int axis, bool high, F&& visit) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  index3 at;
  at[axis] = high ? shape[axis] - 1 : 0;
  for (at[u] = 0; at[u] < shape[u]; ++at[u])
    for (at[v] = 0; at[v] < shape[v]; ++at[v]) visit(at);
}

bool is_end(const grid::block& where, int axis, bool high) {
  return high ? where.owned.end[axis] == where.domain[axis] : where.owned.begin[axis] == 0;
}

}  // namespace

std::vector<float> access_map(const grid::block& where, const std::vector<float>& squared, const image_faces& from) {
  const index3 shape = where.owned.shape();
  std::optional<widest_paths> made;
  comm::collectively(where.comm, [&] {
    widest_paths& paths = made.emplace(shape, squared);
    for (int axis = 0; axis < 3; ++axis)
      for (const bool high : {false, true})
        if (from[static_cast<std::size_t>(2 * axis + (high ? 1 : 0))] && is_end(where, axis, high))
          for_each_on_face(shape, axis, high, [&](index3 at) { paths.offer(at, beyond); });
  });
  widest_paths& paths = *made;
  for (;;) {
    comm::collectively(where.comm, [&] { paths.spread(); });
    const grid::ghosted_field<float> around = grid::with_ghost_cells(where, paths.result(), 1);
    const index3 wide = around.present.shape();
    int more = 0;
    comm::collectively(where.comm, [&] {
      for (int axis = 0; axis < 3; ++axis)
        for (const bool high : {false, true}) {
          if (is_end(where, axis, high)) continue;
          for_each_on_face(shape, axis, high, [&](index3 at) {
            index3 neighbour = where.owned.begin + at - around.present.begin;
            neighbour[axis] += high ? 1 : -1;
            const float ball =
                around.values[static_cast<std::size_t>((neighbour.z * wide.y + neighbour.y) * wide.x + neighbour.x)];
            if (paths.offer(at, ball)) more = 1;
          });
        }
    });
    comm::all_reduce(where.comm, &more, 1, MPI_MAX);
    if (more == 0) return paths.result();
  }
}

std::array<float, 3> passing_radii(const grid::block& where, const std::vector<float>& squared) {
  std::array<float, 3> widest{};
  const index3 shape = where.owned.shape();
  for (int axis = 0; axis < 3; ++axis) {
    image_faces low{};
    low[static_cast<std::size_t>(2 * axis)] = true;
    const std::vector<float> paths = access_map(where, squared, low);
    float& most = widest[static_cast<std::size_t>(axis)];
    if (is_end(where, axis, true))
      for_each_on_face(shape, axis, true, [&](index3 at) {
        most = std::max(most, paths[static_cast<std::size_t>((at.z * shape.y + at.y) * shape.x + at.x)]);
      });
  }
  comm::all_reduce(where.comm, widest.data(), 3, MPI_MAX);
  return widest;
}

}  // namespace osteon::morphometry
