#pragma once
/// @file
/// Common functions of streamlines and pathlines. The functions interpolate fields and transfer particles.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/render/rays/streamlines.hpp>
#include <osteon/render/rays/view.hpp>
#include <string>
#include <vector>

namespace osteon::render {

/// Voxel that contains a point of the domain. Points on the upper faces of the domain belong to the last voxels.
inline index3 voxel_at(const vector3& point, index3 domain) {
  index3 result;
  for (int axis = 0; axis < 3; ++axis)
    result[axis] = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(point[axis])), 0, domain[axis] - 1);
  return result;
}

/// Fraction of a step that is inside the domain, in [0, 1].
inline double share_inside(const vector3& from, const vector3& to, index3 domain) {
  double part = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const auto end = static_cast<double>(domain[axis]);
    if (to[axis] < 0) part = std::min(part, from[axis] / (from[axis] - to[axis]));
    if (to[axis] > end) part = std::min(part, (end - from[axis]) / (to[axis] - from[axis]));
  }
  return part;
}

/// Trilinear interpolation between voxel centres. NaN values are replaced by 0. The field is constant beyond the outermost
/// centres.
inline std::array<double, 3> interpolate(const std::array<grid::ghosted_field<float>, 3>& field, index3 domain,
                                         const vector3& point) {
  const index3 shape = field[0].present.shape(), begin = field[0].present.begin;
  const std::int64_t stride[3] = {shape.y * shape.x, shape.x, 1};
  std::int64_t low = 0, next[3];
  double part[3];
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t last = domain[axis] - 1;
    const double inside = std::clamp(point[axis] - 0.5, 0.0, static_cast<double>(last));
    const auto cell = std::min(static_cast<std::int64_t>(inside), std::max<std::int64_t>(0, last - 1));
    part[axis] = inside - static_cast<double>(cell);
    low += (cell - begin[axis]) * stride[axis];
    next[axis] = last > 0 ? stride[axis] : 0;
  }
  std::array<double, 3> value{};
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::int64_t voxel = low;
    for (int axis = 0; axis < 3; ++axis) {
      const bool second = (corner >> axis & 1) != 0;
      weight *= second ? part[axis] : 1 - part[axis];
      if (second) voxel += next[axis];
    }
    for (std::size_t c = 0; c < 3; ++c) {
      const auto v = static_cast<double>(field[c].values[static_cast<std::size_t>(voxel)]);
      if (v == v) value[c] += weight * v;
    }
  }
  return value;
}

/// Join the parts of each line. Lines with a single vertex are omitted. @param all vertices with members `line` and `place`
template <class Vertex>
streamlines join_lines(std::vector<Vertex> all) {
  std::sort(all.begin(), all.end(),
            [](const Vertex& a, const Vertex& b) { return std::pair(a.line, a.place) < std::pair(b.line, b.place); });
  streamlines result;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].line == all[begin].line) ++end;
    if (end - begin < 2) continue;
    for (std::size_t i = begin; i < end; ++i) result.vertices.push_back(all[i].vertex);
    result.first.push_back(result.vertices.size());
  }
  return result;
}

/// Transfers particles to the ranks of adjacent blocks.
template <class Particle>
class particle_transfers {
 public:
  /// @param name name of the messages in the message ledger @collective on where.comm
  particle_transfers(const grid::block& where, std::string name)
      : comm_(where.comm), name_(std::move(name)), peers_(grid::adjacent_ranks(where)), out_(peers_.size()) {}

  /// @param rank rank of an adjacent block
  void send(const Particle& p, int rank) {
    out_[static_cast<std::size_t>(std::lower_bound(peers_.begin(), peers_.end(), rank) - peers_.begin())].push_back(p);
  }

  /// @return received particles @collective
  std::vector<Particle> run() {
    constexpr int tag = 610;
    const comm::element_type type(sizeof(Particle));
    comm::message_ledger* const ledger = comm::ledger_of(comm_);
    plan::round counted;
    const auto bytes = [](std::size_t particles) { return static_cast<std::int64_t>(particles * sizeof(Particle)); };
    const stopwatch watch;
    std::vector<MPI_Request> requests(peers_.size());
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (ledger) counted.sends.push_back({peers_[i], {0, bytes(out_[i].size())}});
      MPI_Isend(out_[i].data(), static_cast<int>(out_[i].size()), type.get(), peers_[i], tag, comm_, &requests[i]);
    }
    std::vector<Particle> in;
    for (const int peer : peers_) {
      MPI_Message message;
      MPI_Status status;
      MPI_Mprobe(peer, tag, comm_, &message, &status);
      int count = 0;
      MPI_Get_count(&status, type.get(), &count);
      if (ledger) counted.receives.push_back({peer, {0, bytes(static_cast<std::size_t>(count))}});
      in.resize(in.size() + static_cast<std::size_t>(count));
      MPI_Mrecv(in.data() + in.size() - static_cast<std::size_t>(count), count, type.get(), &message, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    if (ledger) {
      const int entry = ledger->entry_of(fmt::format("{}, {} B", name_, sizeof(Particle)));
      ledger->ran(entry, ledger->shape_of(entry, {std::move(counted)}), watch.seconds());
    }
    for (auto& messages : out_) messages.clear();
    return in;
  }

 private:
  MPI_Comm comm_;
  std::string name_;
  std::vector<int> peers_;
  std::vector<std::vector<Particle>> out_;
};

}  // namespace osteon::render
