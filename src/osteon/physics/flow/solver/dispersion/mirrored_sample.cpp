#include <osteon/physics/flow/solver/dispersion/mirrored_sample.hpp>

#include <algorithm>
#include <array>
#include <osteon/base/at.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/offsets.hpp>

namespace osteon::physics {

namespace {

// A voxel of the box of both, with the velocities on its faces.
struct carrying_voxel {
  std::array<std::int32_t, 3> place{};
  std::array<double, 6> velocity{};
};

bool comes_before(const carrying_voxel& a, const carrying_voxel& b) { return a.place < b.place; }

// The same boxes, twice as long along an axis.
grid::block twice_as_long(const grid::block& where, int axis) {
  index3 domain = where.domain;
  domain[axis] *= 2;
  std::vector<grid::box_tree::cut> cuts(where.boxes->cuts().begin(), where.boxes->cuts().end());
  for (grid::box_tree::cut& c : cuts)
    if (c.along == axis) c.position *= 2;
  return grid::make_block(where.comm, grid::box_tree(domain, std::move(cuts)));
}

// Seen in a mirror across the axis, by a flow that goes on along it: faces across it change places, and velocities along the
// mirror change their sign.
carrying_voxel mirrored(carrying_voxel v, int axis, std::int64_t length) {
  v.place[at(axis)] = static_cast<std::int32_t>(length - 1 - v.place[at(axis)]);
  for (int a = 0; a < 3; ++a) {
    double &low = v.velocity[at(2 * a)], &high = v.velocity[at(2 * a + 1)];
    if (a == axis)
      std::swap(low, high);
    else
      low = -low, high = -high;
  }
  return v;
}

// To the ranks that have them; the answer is in the order of their places.
std::vector<carrying_voxel> sent(MPI_Comm comm, const std::vector<std::vector<carrying_voxel>>& to) {
  std::vector<int> send, receive(to.size());
  for (const auto& list : to) send.push_back(static_cast<int>(list.size()));
  MPI_Alltoall(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, comm);
  const std::vector<int> send_at = comm::offsets_of(send), receive_at = comm::offsets_of(receive);
  std::vector<carrying_voxel> out, in(at(receive_at.back() + receive.back()));
  out.reserve(at(send_at.back() + send.back()));
  for (const auto& list : to) out.insert(out.end(), list.begin(), list.end());
  const comm::element_type type(sizeof(carrying_voxel));
  MPI_Alltoallv(out.data(), send.data(), send_at.data(), type.get(), in.data(), receive.data(), receive_at.data(),
                type.get(), comm);
  std::sort(in.begin(), in.end(), comes_before);
  return in;
}

}  // namespace

mirrored_sample mirror_along_flow(const dispersion_problem& problem, const std::vector<bool>& keep) {
  const MPI_Comm comm = problem.where.comm;
  const int axis = static_cast<int>(problem.along);
  mirrored_sample result;
  std::vector<std::vector<carrying_voxel>> to(at(comm::size(comm)));
  comm::collectively(comm, [&] {
    result.where = twice_as_long(problem.where, axis);
    const std::int64_t length = result.where.domain[axis];
    const auto give = [&](const carrying_voxel& v) {
      to[at(result.where.boxes->owner_of({v.place[0], v.place[1], v.place[2]}))].push_back(v);
    };
    const auto runs = problem.cells.runs();
    for (std::size_t r = 0; r < runs.size(); ++r)
      for (std::int32_t n = 0; keep[r] && n < runs[r].length; ++n) {
        const index3 p = problem.where.owned.begin + index3{runs[r].z, runs[r].y, runs[r].x + n};
        carrying_voxel v;
        for (int a = 0; a < 3; ++a) v.place[at(a)] = static_cast<std::int32_t>(p[a]);
        std::copy_n(problem.face_velocity_mm_per_s.begin() + 6 * std::ptrdiff_t{runs[r].first + n}, 6, v.velocity.begin());
        give(v);
        give(mirrored(v, axis, length));
      }
  });
  const std::vector<carrying_voxel> own = sent(comm, to);
  std::vector<voxel::run> runs;
  const index3 origin = result.where.owned.begin;
  result.face_velocity_mm_per_s.reserve(6 * own.size());
  for (const carrying_voxel& v : own) {
    const index3 p = index3{v.place[0], v.place[1], v.place[2]} - origin;
    if (!runs.empty() && runs.back().z == p.z && runs.back().y == p.y && runs.back().x + runs.back().length == p.x)
      ++runs.back().length;
    else
      runs.push_back({static_cast<std::int32_t>(p.z), static_cast<std::int32_t>(p.y), static_cast<std::int32_t>(p.x), 1, 0});
    result.face_velocity_mm_per_s.insert(result.face_velocity_mm_per_s.end(), v.velocity.begin(), v.velocity.end());
  }
  comm::collectively(comm, [&] { result.cells = {result.where.owned.shape(), std::move(runs)}; });
  return result;
}

}  // namespace osteon::physics
