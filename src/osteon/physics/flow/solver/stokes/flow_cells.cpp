#include <algorithm>
#include <cmath>
#include <memory>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/stokes/flow_cells.hpp>
#include <osteon/physics/flow/solver/stokes/wall_surface.hpp>
#include <utility>

namespace osteon::physics {

grid::block longer(grid::block where, int axis) {
  if (where.owned.end[axis] == where.domain[axis]) ++where.owned.end[axis];
  ++where.domain[axis];
  const auto cuts = where.boxes->cuts();
  where.boxes = std::make_shared<grid::box_tree>(where.domain, std::vector(cuts.begin(), cuts.end()));
  return where;
}

namespace {

// The selected runs, and one additional voxel behind each voxel in the last plane of the axis.
voxel::run_set flowing_runs(const flow_problem& problem, const std::vector<bool>& keep, int through) {
  const auto all = problem.cells.runs();
  index3 shape = problem.cells.shape();
  std::vector<voxel::run> runs;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (keep[n]) runs.push_back(all[n]);
  if (through >= 0 && problem.where.owned.end[through] == problem.where.domain[through]) {
    const std::int64_t last = shape[through] - 1;
    ++shape[through];
    const std::size_t count = runs.size();
    for (std::size_t n = 0; n < count; ++n) {
      voxel::run r = runs[n];
      if (through == 2) {
        if (r.x + r.length == last + 1) ++runs[n].length;
        continue;
      }
      std::int32_t& row = through == 0 ? r.z : r.y;
      if (row != last) continue;
      ++row;
      runs.push_back(r);
    }
    std::sort(runs.begin(), runs.end(),
              [](const voxel::run& a, const voxel::run& b) { return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x); });
  }
  return {shape, std::move(runs)};
}

// Bits of the outer faces of the box at each owned cell, 2 axis + (1 on the high face), and a flag for cells beyond the box.
struct places {
  std::vector<std::uint8_t> sides;
  std::vector<bool> beyond;
};

places find_places(const flow_cells& cells) {
  const heat_cells& c = cells.grid;
  places result{std::vector<std::uint8_t>(at(c.owned)), std::vector<bool>(at(c.owned))};
  if (cells.through < 0) return result;
  index3 last = c.where.domain - index3{1, 1, 1};
  --last[cells.through];
  for (const voxel::run& r : cells.numbers.runs())
    for (std::int32_t n = 0; n < r.length; ++n) {
      const index3 p = c.where.owned.begin + index3{r.z, r.y, r.x + n};
      auto& bits = result.sides[at(r.first + n)];
      for (int a = 0; a < 3; ++a) {
        if (p[a] == 0) bits = static_cast<std::uint8_t>(bits | 1U << (2 * a));
        if (p[a] == last[a]) bits = static_cast<std::uint8_t>(bits | 2U << (2 * a));
      }
      result.beyond[at(r.first + n)] = p[cells.through] > last[cells.through];
    }
  return result;
}

// Friction across a face towards one side, in units of the weight of its axis.
class wall_rule {
 public:
  wall_rule(const flow_cells& cells, const places& where, flow_surroundings kind)
      : open_(cells.grid.open), where_(where), through_(cells.through), is_mirrored_(kind == flow_surroundings::mirrored) {}

  // @param below the other cell of the face; for an open face, the cell itself
  int across(std::int32_t cell, std::int32_t below, std::size_t axis, std::size_t high) const {
    const std::size_t side = 2 * axis + high;
    if (through_ >= 0 && (where_.sides[at(cell)] >> side & 1) != 0)
      // Inflow is normal to an open face. The velocity along the face is therefore zero on the face. The distance to the
      // face is half of a voxel.
      return is_mirrored_ && static_cast<int>(axis) != through_ ? 0 : 2;
    const int fluid = (open_[at(cell)] >> side & 1) + (open_[at(below)] >> side & 1);
    // With two fluid voxels, the side has a neighbour. With one fluid voxel, the normal velocity of the wall face is zero at
    // a distance of one voxel. Without fluid voxels, the distance to the wall is half of a voxel.
    return fluid == 0 ? 2 : 1;
  }
  // Number of the diagonal.
  std::uint8_t number(std::int32_t cell, std::int32_t below, std::size_t axis) const {
    std::array<int, 2> sum{};
    for (std::size_t n = 0; n < 2; ++n)
      for (const std::size_t high : {0, 1}) sum[n] += across(cell, below, kernel::axes_across[axis][n], high);
    return static_cast<std::uint8_t>(1 + sum[0] + 5 * sum[1]);
  }
  // Value of the diagonal.
  static double diagonal(const flow_cells& cells, std::size_t axis, std::uint8_t number) {
    const std::array<int, 2> sum{(number - 1) % 5, (number - 1) / 5};
    double value = 2 * cells.weight[axis];
    for (std::size_t n = 0; n < 2; ++n) value += sum[n] * cells.weight[kernel::axes_across[axis][n]];
    return value;
  }

 private:
  const std::vector<std::uint8_t>& open_;
  const places& where_;
  int through_;
  bool is_mirrored_;
};

}  // namespace

void set_grid(flow_cells& cells, const grid::block& where, const vector3& h, std::array<bool, 3> periodic) {
  cells.unit_mm = std::cbrt(h.z * h.y * h.x);
  for (int a = 0; a < 3; ++a) {
    cells.slope[at(a)] = cells.unit_mm / h[a];
    cells.weight[at(a)] = cells.slope[at(a)] * cells.slope[at(a)];
  }
  static const voxel::material_table fluid{{}, {"fluid", 0, 0, 1}};
  heat_problem like;  // only the numbering of cells and neighbours is used; there is no heat flow
  like.where = where;
  like.spacing_mm = h;
  like.materials = &fluid;
  like.periodic = periodic;
  heat_cells& c = cells.grid = make_conduction_cells(like, with_ghosts(where, cells.numbers, like.periodic),
                                                     std::vector<material_number>(at(cells.numbers.size()), 1));
  c.outer.clear();
  for (const kernel::conduction_corner& k : c.corners)
    for (std::size_t d = 0; d < kernel::directions; ++d)
      if (k.neighbour[d] != k.cell) c.open[at(k.cell)] = static_cast<std::uint8_t>(c.open[at(k.cell)] | 1U << d);
  c.links.exchange(c.open.data());
}

flow_cells make_flow_cells(const flow_problem& problem, const std::vector<bool>& keep, int through) {
  const bool is_periodic = problem.surroundings == flow_surroundings::periodic;
  flow_cells cells;
  cells.through = is_periodic ? -1 : through;
  cells.voxels = problem.where.domain.volume();
  cells.numbers = flowing_runs(problem, keep, cells.through);
  set_grid(cells, is_periodic ? problem.where : longer(problem.where, through), problem.spacing_mm,
           {is_periodic, is_periodic, is_periodic});
  heat_cells& c = cells.grid;

  const places where = find_places(cells);
  const wall_rule rule(cells, where, problem.surroundings);
  for (auto& f : cells.friction) f.assign(at(c.size), 0);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::uint8_t number = 1; number <= open_face_frictions; ++number)
      cells.diagonal[axis][number] = wall_rule::diagonal(cells, axis, number);
  const auto is_open = [&](std::int32_t i, std::size_t axis) {
    const bool along = static_cast<int>(axis) == cells.through;
    return along && ((where.sides[at(i)] >> (2 * axis) & 1) != 0 || where.beyond[at(i)]);
  };
  visit_neighbours_in_parallel(c, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!is_open(i, axis) && near[2 * axis] >= 0 && !where.beyond[at(i)])
        cells.friction[axis][at(i)] = rule.number(i, near[2 * axis], axis);
  });
  if (cells.through >= 0)
    visit_neighbours(c, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      if (where.beyond[at(i)]) cells.beyond.push_back(i);
      const std::size_t axis = at(cells.through);
      if (!is_open(i, axis)) return;
      const std::uint8_t across = rule.number(i, i, axis);
      const auto number = static_cast<std::uint8_t>(across + open_face_frictions);
      const double diagonal = cells.diagonal[axis][across];
      cells.friction[axis][at(i)] = number;
      cells.diagonal[axis][number] = diagonal - cells.weight[axis];  // along the flow, the face has one neighbour
      // The stencil has half of the transverse neighbours, and half of the walls.
      kernel::stokes_open_face f{i, i, near[2 * axis + 1], {}, diagonal / 2, true, static_cast<std::int8_t>(axis)};
      if (where.beyond[at(i)]) f.pressure = f.along = near[2 * axis], f.is_inlet = false;
      for (std::size_t n = 0; n < 4; ++n) f.across[n] = near[2 * kernel::axes_across[axis][n / 2] + n % 2];
      cells.open_faces.push_back(f);
    });
  for (auto& f : cells.friction) c.links.exchange(f.data());
  return cells;
}

double survey(const flow_problem& problem, const flow_cells& cells, flow_counts& counts) {
  const heat_cells& c = cells.grid;
  const places where = find_places(cells);
  std::int64_t flowing = 0, thin = 0;

  const auto goes_on_outside = [&](std::size_t axis) {
    return static_cast<int>(axis) == cells.through || problem.surroundings == flow_surroundings::mirrored;
  };

  // Number of consecutive fluid voxels next to each cell, up to 3. Each direction needs two bits.
  constexpr int longest = 3;
  std::vector<std::uint16_t> reach(at(c.size)), next(at(c.size));
  const auto reach_of = [&](std::int32_t i, std::size_t d) { return reach[at(i)] >> (2 * d) & 3; };
  for (int step = 0; step < longest; ++step) {
    visit_neighbours_in_parallel(c, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      unsigned all = 0;
      for (std::size_t d = 0; d < 6; ++d) {
        int own = 0;
        // Beyond an open or a mirrored face, the fluid is as wide as inside of the image.
        if (near[d] >= 0)
          own = std::min(1 + reach_of(near[d], d), longest);
        else if (where.beyond[at(i)] || (goes_on_outside(d / 2) && (where.sides[at(i)] >> d & 1) != 0))
          own = longest;
        all |= static_cast<unsigned>(own) << (2 * d);
      }
      next[at(i)] = static_cast<std::uint16_t>(all);
    });
    c.links.exchange(next.data());
    reach.swap(next);
  }
  // Bits of each cell: walls, a flag for thin cells, and a flag for counted cells.
  constexpr std::uint8_t is_thin = 1, counts_itself = 2;
  std::vector<std::uint8_t> found(at(c.owned)), walls(at(c.owned), wall_surface::ends_here);
  visit_neighbours_in_parallel(c, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (where.beyond[at(i)]) return;
    unsigned sides = 0;
    found[at(i)] = counts_itself;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const std::size_t d : {2 * axis, 2 * axis + 1}) {
        const bool is_outer = cells.through >= 0 && (where.sides[at(i)] >> d & 1) != 0;
        if (near[d] < 0 && !(is_outer && goes_on_outside(axis))) sides |= 1U << d;
      }
      if (reach_of(i, 2 * axis) + reach_of(i, 2 * axis + 1) + 1 <= longest) found[at(i)] = counts_itself | is_thin;
    }
    walls[at(i)] = static_cast<std::uint8_t>(sides);
  });
  for (const std::uint8_t own : found) {
    if ((own & is_thin) != 0) ++thin;
    if ((own & counts_itself) != 0) ++flowing;
  }
  const wall_surface surface(c.where, cells.numbers, walls, problem.spacing_mm);
  std::array<std::int64_t, 3> sums{surface.owned(), flowing, thin};
  comm::all_reduce(c.where.comm, sums.data(), 3, MPI_SUM);
  counts.wetted_faces = sums[0];
  counts.flowing = sums[1];
  counts.thin = sums[2];
  return surface.total_area_mm2();
}

}  // namespace osteon::physics
