#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/physics/flow/solver/stokes/wall_surface.hpp>

namespace osteon::physics {

namespace {

constexpr int longest_stair = 2;  // maximum number of faces of a run in stairs
constexpr int layers = longest_stair + 2;
constexpr int surface_tag = 1300;
// Number of diffusion steps. The standard deviation is sqrt(2 * 24 / 6) = 2.8 faces along each axis of the surface. In pipes
// with radii of at least 5 voxels, the 95th percentile of the smoothed shear stress is within 5 % of the mean.
constexpr int smoothings = 24;
constexpr double exchanged = 1.0 / 6;  // fraction that a face transfers to each linked face
constexpr double rough = 0.1;          // mean number of stair edges per face; from this number on, a face is a stair face

struct surface_face {
  index3 voxel;
  int side;
};

// Step from a face over one of its edges.
struct surface_step {
  surface_face to;
  int turn;    // 1: into a corner of the fluid; -1: around an edge of the solid; 0: straight on
  int onward;  // direction of the next step
};

index3 beside(index3 voxel, int side) {
  voxel[side / 2] += side % 2 != 0 ? 1 : -1;
  return voxel;
}

// A field with its ghosts. The function also works on virtual ranks.
grid::ghosted_field<float> with_layers(const grid::block& where, const std::vector<float>& owned) {
  plan::neighbour_part part = grid::plan_of_ghost_cells(where, layers);
  part.name = "voxels of walls";
  grid::ghosted_field<float> field{grid::with_ghosts(where, layers), {}};
  field.values.resize(at(field.present.volume()));
  comm::neighbours ghosts(where.comm, surface_tag, std::move(part));
  ghosts.begin(owned.data(), sizeof(float));
  ghosts.end(field.values.data());
  return field;
}

// Values of each voxel. The value is 0 without walls; otherwise, the value contains 1 and the bits of the walls.
std::vector<float> dense_walls(const grid::block& where, const voxel::run_set& wet, const std::vector<std::uint8_t>& walls) {
  const index3 shape = where.owned.shape();
  std::vector<float> values(at(shape.volume()));
  for (const voxel::run& r : wet.runs())
    for (std::int32_t n = 0; n < r.length; ++n)
      if (const std::uint8_t own = walls[at(r.first + n)]; own != wall_surface::ends_here)
        values[at((r.z * shape.y + r.y) * shape.x + r.x + n)] = 1.0F + static_cast<float>(own);
  return values;
}

}  // namespace

// Numbers and links the faces.
class wall_surface::builder {
 public:
  builder(const grid::block& where, const voxel::run_set& wet, const std::vector<std::uint8_t>& walls, wall_surface& result)
      : where_(where), result_(result), kinds_(with_layers(where, dense_walls(where, wet, walls))) {
    first_.assign(kinds_.values.size(), -1);
    for (const voxel::run& r : wet.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const index3 v = where.owned.begin + index3{r.z, r.y, r.x + n};
        for_each_wall(v, [&](int side) { result.places_.push_back({r.first + n, static_cast<std::uint8_t>(side)}); });
      }
    result.owned_ = static_cast<std::int32_t>(result.places_.size());
    next_ = result.owned_;
    number_ghosts();
  }

  // @returns number of stair edges at each owned face
  std::vector<std::uint8_t> link() {
    std::vector<std::uint8_t> stairs(at(result_.owned_));
    result_.linked_.resize(at(result_.owned_));
    const box3 own = where_.owned;
    std::int32_t face = 0;
    for (std::int64_t z = own.begin.z; z < own.end.z; ++z)
      for (std::int64_t y = own.begin.y; y < own.end.y; ++y)
        for (std::int64_t x = own.begin.x; x < own.end.x; ++x) {
          const index3 v{z, y, x};
          for_each_wall(v, [&](int side) { link_one(face++, {v, side}, stairs); });
        }
    return stairs;
  }

 private:
  std::size_t place_of(index3 voxel) const {
    const index3 v = voxel - kinds_.present.begin, shape = kinds_.present.shape();
    return at((v.z * shape.y + v.y) * shape.x + v.x);
  }
  // Bits of the walls of a voxel. If the voxel is not fluid, or is unknown, the result is -1.
  int walls_of(index3 voxel) const {
    return kinds_.present.contains(voxel) ? static_cast<int>(kinds_.values[place_of(voxel)]) - 1 : -1;
  }
  bool has_wall(index3 voxel, int side) const {
    const int walls = walls_of(voxel);
    return walls > 0 && (walls >> side & 1) != 0;
  }
  template <class Visit>
  void for_each_wall(index3 voxel, const Visit& visit) {
    const int walls = walls_of(voxel);
    for (int side = 0; walls > 0 && side < 6; ++side)
      if ((walls >> side & 1) != 0) visit(side);
  }

  // Number the faces of the voxels around the block in the order of their owners.
  void number_ghosts() {
    const box3 near = grid::with_ghosts(where_, 1), own = where_.owned;
    std::int32_t face = 0;
    for (std::int64_t z = own.begin.z; z < own.end.z; ++z)
      for (std::int64_t y = own.begin.y; y < own.end.y; ++y)
        for (std::int64_t x = own.begin.x; x < own.end.x; ++x) {
          first_[place_of({z, y, x})] = face;
          face += std::popcount(static_cast<unsigned>(std::max(0, walls_of({z, y, x}))));
        }
    plan::neighbour_part part{"faces of walls", {}, {}, plan::arrival::place};
    const int me = comm::rank(where_.comm);
    for (const int peer : where_.boxes->ranks_overlapping(near)) {
      if (peer == me) continue;
      const box3 theirs = where_.boxes->box_of(peer);
      plan::neighbour_message send{.peer = peer}, receive{.peer = peer};
      for_each_in(grid::overlap(theirs, near), [&](index3 v) {
        first_[place_of(v)] = next_;
        for_each_wall(v, [&](int) { receive.list.push_back(next_++); });
      });
      for_each_in(grid::overlap(grid::grown(theirs, 1), own), [&](index3 v) {
        std::int32_t n = first_[place_of(v)];
        for_each_wall(v, [&](int) { send.list.push_back(n++); });
      });
      if (!send.list.empty()) part.sends.push_back(std::move(send));
      if (!receive.list.empty()) part.receives.push_back(std::move(receive));
    }
    result_.size_ = at(next_);
    result_.ghosts_ = comm::neighbours(where_.comm, surface_tag, std::move(part));
  }
  template <class Visit>
  static void for_each_in(const box3& part, const Visit& visit) {
    for (std::int64_t z = part.begin.z; z < part.end.z; ++z)
      for (std::int64_t y = part.begin.y; y < part.end.y; ++y)
        for (std::int64_t x = part.begin.x; x < part.end.x; ++x) visit(index3{z, y, x});
  }

  std::optional<surface_step> over(const surface_face& from, int towards) const {
    if (has_wall(from.voxel, towards)) return surface_step{{from.voxel, towards}, 1, from.side ^ 1};
    const index3 next = beside(from.voxel, towards);
    if (walls_of(next) < 0) return std::nullopt;
    if (has_wall(next, from.side)) return surface_step{{next, from.side}, 0, towards};
    const index3 around = beside(next, from.side);
    if (!has_wall(around, towards ^ 1)) return std::nullopt;
    return surface_step{{around, towards ^ 1}, -1, from.side};
  }
  // Return true if the run of faces from an edge with the bend `turn` is short, and if the run ends at an edge with the
  // opposite bend.
  bool is_stair(surface_face face, int towards, int turn) const {
    for (int n = 0; n < longest_stair; ++n) {
      const auto step = over(face, towards);
      if (!step) return false;
      if (step->turn != 0) return step->turn == -turn;
      face = step->to;
    }
    return false;
  }

  void link_one(std::int32_t face, const surface_face& from, std::vector<std::uint8_t>& stairs) {
    std::size_t edge = 0;
    for (int towards = 0; towards < 6; ++towards) {
      if (towards / 2 == from.side / 2) continue;
      std::int32_t& other = result_.linked_[at(face)][edge++];
      other = -1;
      const auto step = over(from, towards);
      if (!step) continue;
      if (step->turn != 0) {
        if (!is_stair(from, towards ^ 1, step->turn) && !is_stair(step->to, step->onward, step->turn)) continue;
        ++stairs[at(face)];
      }
      const auto lower = static_cast<unsigned>(walls_of(step->to.voxel)) & ((1U << step->to.side) - 1);
      other = first_[place_of(step->to.voxel)] + std::popcount(lower);
    }
  }

  const grid::block& where_;
  wall_surface& result_;
  grid::ghosted_field<float> kinds_;
  std::vector<std::int32_t> first_;  // number of the first face of each voxel
  std::int32_t next_ = 0;
};

wall_surface::wall_surface(const grid::block& where, const voxel::run_set& wet, const std::vector<std::uint8_t>& walls,
                           const vector3& h)
    : face_mm2_{h.y * h.x, h.z * h.x, h.z * h.y}, comm_(where.comm) {
  std::vector<std::uint8_t> stairs;
  {
    builder build(where, wet, walls, *this);
    stairs = build.link();
  }
  values all(size());
  for (std::size_t f = 0; f < places_.size(); ++f) {
    const std::size_t axis = places_[f].side / 2U;
    all[f][axis] = places_[f].side % 2 != 0 ? face_mm2_[axis] : -face_mm2_[axis];
    all[f][3] = stairs[f];
  }
  smooth(all);
  normal_.resize(places_.size());
  roughness_.resize(places_.size());
  for (std::size_t f = 0; f < places_.size(); ++f) {
    const auto& [z, y, x, edges] = all[f];
    const double length = std::sqrt(z * z + y * y + x * x);
    for (std::size_t a = 0; a < 3 && length > 0; ++a) normal_[f][a] = static_cast<float>(all[f][a] / length);
    roughness_[f] = static_cast<float>(std::min(1.0, edges / rough));
  }
}

std::int32_t wall_surface::find(std::int32_t cell, std::size_t side) const {
  const auto found =
      std::lower_bound(places_.begin(), places_.end(), std::pair(cell, side),
                       [](const place& p, const auto& q) { return std::pair(p.cell, std::size_t{p.side}) < q; });
  return static_cast<std::int32_t>(found - places_.begin());
}

double wall_surface::area_mm2(std::int32_t face) const {
  const std::size_t axis = places_[at(face)].side / 2U;
  return face_mm2_[axis] * std::abs(static_cast<double>(normal_[at(face)][axis]));
}

double wall_surface::total_area_mm2() const {
  // factor that scales a float between 0.5 and 1 to an integer; sums of integers are independent of the order
  constexpr double unit = 1 << 24;
  std::array<std::int64_t, 3> sums{};
  for (std::size_t f = 0; f < places_.size(); ++f) {
    const std::size_t axis = places_[f].side / 2U;
    sums[axis] += std::llround(unit * std::abs(static_cast<double>(normal_[f][axis])));
  }
  comm::all_reduce(comm_, sums.data(), 3, MPI_SUM);
  double area = 0;
  for (std::size_t a = 0; a < 3; ++a) area += static_cast<double>(sums[a]) / unit * face_mm2_[a];
  return area;
}

void wall_surface::smooth(values& all) const {
  values next(at(owned_));
  for (int n = 0; n < smoothings; ++n) {
    ghosts_.exchange(all.data());
    for_each(owned_, [&](std::int64_t f) {
      const auto& own = all[at(f)];
      auto& mean = next[at(f)];
      mean = own;
      for (const std::int32_t other : linked_[at(f)])
        if (other >= 0)
          for (std::size_t c = 0; c < 4; ++c) mean[c] += exchanged * (all[at(other)][c] - own[c]);
    });
    std::copy(next.begin(), next.end(), all.begin());
  }
}

}  // namespace osteon::physics
