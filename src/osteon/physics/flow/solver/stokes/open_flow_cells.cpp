#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <osteon/physics/flow/solver/stokes/solid_faces.hpp>
#include <tuple>

namespace osteon::physics {

namespace {

// Type of a side of a cell. Values from `first_condition` on are conditions of the problem.
constexpr std::uint8_t no_condition = 0, plain_wall = 1, first_condition = 2;

// Kinds of cells. Cells outside of the fluid are behind an opening in a high face of the image, or are labelled voxels of
// openings.
enum class cell_kind : std::uint8_t { fluid, beyond, label };

// Return the selected runs, one additional voxel behind each opening in a high face, and the voxels `behind` openings inside
// the image.
voxel::run_set runs_with_openings(const through_problem& problem, const std::vector<voxel::run>& kept,
                                  const std::array<bool, 3>& is_longer, const std::vector<index3>& behind) {
  const grid::block& where = problem.where;
  index3 shape = problem.cells.shape();
  std::vector<voxel::run> runs = kept;
  const auto opens = [&](index3 local, int side) {
    const int b = boundary_at(problem, where.owned.begin + local, side);
    return b >= 0 && problem.boundaries[at(b)].passes();
  };
  const std::size_t count = runs.size();
  for (int a = 0; a < 3; ++a) {
    if (!is_longer[at(a)] || where.owned.end[a] != where.domain[a]) continue;
    const std::int64_t last = shape[a]++ - 1;
    for (std::size_t n = 0; n < count; ++n) {
      const voxel::run r = runs[n];
      if (a == 2) {
        if (r.x + r.length == last + 1 && opens({r.z, r.y, last}, 5)) ++runs[n].length;
        continue;
      }
      if ((a == 0 ? r.z : r.y) != last) continue;
      // If an earlier axis has added a voxel in x, the voxel is excluded, because the voxel is not behind this face.
      const std::int32_t length = static_cast<std::int32_t>(std::min<std::int64_t>(r.length, problem.cells.shape().x - r.x));
      for (std::int32_t from = 0; from < length; ++from) {
        if (!opens({r.z, r.y, r.x + from}, 2 * a + 1)) continue;
        std::int32_t to = from + 1;
        while (to < length && opens({r.z, r.y, r.x + to}, 2 * a + 1)) ++to;
        runs.push_back({r.z + (a == 0), r.y + (a == 1), r.x + from, to - from, 0});
        from = to;
      }
    }
  }
  for (const index3& p : behind)
    runs.push_back({static_cast<std::int32_t>(p.z), static_cast<std::int32_t>(p.y), static_cast<std::int32_t>(p.x), 1, 0});
  std::sort(runs.begin(), runs.end(),
            [](const voxel::run& p, const voxel::run& q) { return std::tie(p.z, p.y, p.x) < std::tie(q.z, q.y, q.x); });
  std::vector<voxel::run> joined;
  for (const voxel::run& r : runs)
    if (!joined.empty() && joined.back().z == r.z && joined.back().y == r.y && joined.back().x + joined.back().length == r.x)
      joined.back().length += r.length;
    else
      joined.push_back(r);
  return {shape, std::move(joined)};
}

class builder {
 public:
  builder(const through_problem& problem, const solid_faces& solid, open_flow_cells& result)
      : problem_(problem), solid_(solid), result_(result) {}

  void run() {
    find_sides();
    part_thin_openings();
    flow_cells& cells = result_.cells;
    for (auto& f : cells.friction) f.assign(at(cells.grid.size), 0);
    visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      if (kind(i) != cell_kind::fluid) cells.beyond.push_back(i);
      for (std::size_t c = 0; c < 3; ++c) {
        const std::int32_t below = near[2 * c];
        if (kind(i) != cell_kind::fluid) {
          if (below >= 0 && kind(below) == cell_kind::fluid && passes(below, 2 * c + 1))
            open_face(below, i, 2 * c + 1, near);
          continue;
        }
        for (const std::size_t side : {2 * c, 2 * c + 1}) {
          if (sides_[side][at(i)] < first_condition) continue;
          const std::int32_t next = near[side ^ 1], outside = side % 2 == 0 ? i : near[side];
          result_.sides.push_back({i, passes(i, side) ? outside : -1,
                                   next >= 0 && kind(next) == cell_kind::fluid ? next : -1, boundary_of(i, side),
                                   static_cast<std::uint8_t>(side)});
        }
        if (passes(i, 2 * c)) open_face(i, i, 2 * c, near);
        if (below >= 0 && kind(below) == cell_kind::fluid) add_face(i, below, c);
      }
    });
    for (auto& f : cells.friction) cells.grid.links.exchange(f.data());
    find_labelled_walls();
  }

 private:
  cell_kind kind(std::int32_t i) const { return static_cast<cell_kind>(kind_[at(i)]); }
  std::int16_t boundary_of(std::int32_t i, std::size_t side) const {
    return static_cast<std::int16_t>(sides_[side][at(i)] - first_condition);
  }
  const flow_boundary& boundary(std::int32_t i, std::size_t side) const {
    return problem_.boundaries[at(boundary_of(i, side))];
  }
  bool passes(std::int32_t i, std::size_t side) const {
    return sides_[side][at(i)] >= first_condition && boundary(i, side).passes();
  }

  void find_sides() {
    const flow_cells& cells = result_.cells;
    const heat_cells& c = cells.grid;
    const index3 domain = problem_.where.domain;
    for (auto& s : sides_) s.assign(at(c.size), no_condition);
    result_.outer.assign(at(c.owned), 0);
    kind_.assign(at(c.size), static_cast<std::uint8_t>(cell_kind::fluid));
    place_.resize(at(c.owned));
    for (const voxel::run& r : cells.numbers.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const index3 p = problem_.where.owned.begin + index3{r.z, r.y, r.x + n};
        const std::size_t i = at(r.first + n);
        place_[i] = {static_cast<std::int32_t>(p.z), static_cast<std::int32_t>(p.y), static_cast<std::int32_t>(p.x)};
        for (int a = 0; a < 3; ++a)
          if (p[a] >= domain[a]) kind_[i] = static_cast<std::uint8_t>(cell_kind::beyond);
        if (kind(r.first + n) != cell_kind::fluid) continue;
        for (int a = 0; a < 3; ++a)
          for (int high = 0; high < 2; ++high)
            if (!problem_.periodic[at(a)] && p[a] == (high != 0 ? domain[a] - 1 : 0)) {
              const int side = 2 * a + high, b = boundary_at(problem_, p, side);
              sides_[at(side)][i] = b < 0 ? plain_wall : static_cast<std::uint8_t>(first_condition + b);
              result_.outer[i] = static_cast<std::uint8_t>(result_.outer[i] | 1U << side);
            }
      }
    if (!problem_.has_labels()) {
      exchange_sides();
      return;
    }
    for (const index3& p : solid_.behind) {
      const std::size_t i = at(cells.numbers.find(p.z, p.y, p.x));
      kind_[i] = static_cast<std::uint8_t>(cell_kind::label);
      for (auto& s : sides_) s[i] = no_condition;
      result_.outer[i] = 0;
    }
    result_.inner.assign(at(c.owned), 0);
    for (const solid_face& f : solid_.faces) {
      if (f.boundary < 0) continue;
      const std::size_t i = at(cell_at(f));
      sides_[f.side][i] = static_cast<std::uint8_t>(first_condition + f.boundary);
      result_.inner[i] = static_cast<std::uint8_t>(result_.inner[i] | 1U << f.side);
    }
    exchange_sides();
  }

  void exchange_sides() {
    result_.cells.grid.links.exchange(kind_.data());
    for (auto& s : sides_) result_.cells.grid.links.exchange(s.data());
  }

  std::int32_t cell_at(const solid_face& f) const {
    const index3 p = f.voxel - problem_.where.owned.begin;
    return result_.cells.numbers.find(p.z, p.y, p.x);
  }

  // If a voxel has openings on two opposite sides, only one position is available for a velocity along the axis. The opening
  // below uses this position. As at a low face of the image, the velocity of the opening above is on the low face of the
  // fluid. The two velocities must not be neighbours. The fluid above therefore treats velocities through other faces of the
  // voxel as velocities of walls.
  void part_thin_openings() {
    if (!problem_.has_labels()) return;
    heat_cells& c = result_.cells.grid;
    std::vector<std::uint8_t> thin(at(c.size)), closed(at(c.size));
    visit_neighbours(c, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      if (kind(i) != cell_kind::label) return;
      for (std::size_t a = 0; a < 3; ++a)
        if (near[2 * a] >= 0 && near[2 * a + 1] >= 0 && kind(near[2 * a]) == cell_kind::fluid &&
            kind(near[2 * a + 1]) == cell_kind::fluid)
          thin[at(i)] = static_cast<std::uint8_t>(thin[at(i)] | 1U << a),
          closed[at(i)] = static_cast<std::uint8_t>(closed[at(i)] | 2U << (2 * a));
    });
    c.links.exchange(thin.data());
    visit_neighbours(c, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      for (std::size_t a = 0; a < 3; ++a)
        if (kind(i) == cell_kind::fluid && near[2 * a] >= 0 && (thin[at(near[2 * a])] >> a & 1) != 0)
          closed[at(i)] = static_cast<std::uint8_t>(closed[at(i)] | 1U << (2 * a));
    });
    for (std::int32_t i = 0; i < c.owned; ++i) c.open[at(i)] = static_cast<std::uint8_t>(c.open[at(i)] & ~closed[at(i)]);
    for (kernel::conduction_corner& k : c.corners)
      for (std::size_t d = 0; d < kernel::directions; ++d)
        if ((closed[at(k.cell)] >> d & 1) != 0) k.neighbour[d] = k.cell;
    c.links.exchange(c.open.data());
  }

  // Friction between a condition and a tangential velocity, for the half of a face in one cell.
  int half_friction(std::uint8_t side) const {
    if (side < first_condition) return 1;
    const face_flow kind = problem_.boundaries[at(side - first_condition)].kind;
    return kind == face_flow::slip || kind == face_flow::outlet ? 0 : 1;
  }
  bool is_fluid(std::int32_t i, std::size_t side) const {
    return sides_[side][at(i)] == no_condition && (result_.cells.grid.open[at(i)] >> side & 1) != 0;
  }

  // Friction of a face towards a side, in units of the weight of its axis. @param cell, below the two cells of the face
  int friction(std::int32_t cell, std::int32_t below, std::size_t side) const {
    // With two fluid voxels, the side has a neighbour. With one fluid voxel, the velocity across the face of the other cell
    // applies at a distance of one voxel. This velocity is zero, or the velocity of an opening.
    if (is_fluid(cell, side) || is_fluid(below, side)) return 1;
    // Otherwise, a wall or another condition applies at a distance of half of a voxel.
    return half_friction(sides_[side][at(cell)]) + half_friction(sides_[side][at(below)]);
  }

  // Number and value of the diagonal of a face. @param cell, below cells of the face; at an opening, both cells are equal
  std::pair<std::uint8_t, double> diagonal(std::int32_t cell, std::int32_t below, std::size_t axis) const {
    const flow_cells& cells = result_.cells;
    double value = 2 * cells.weight[axis];
    std::array<int, 2> sum{};
    for (std::size_t n = 0; n < 2; ++n) {
      const std::size_t other = kernel::axes_across[axis][n];
      for (const std::size_t high : {0, 1}) sum[n] += friction(cell, below, 2 * other + high);
      value += sum[n] * cells.weight[other];
    }
    return {static_cast<std::uint8_t>(1 + sum[0] + 5 * sum[1]), value};
  }

  // Contribution of sliding walls and of openings to a tangential velocity.
  void add_along(std::int32_t i, std::int32_t cell, std::int32_t below, std::size_t axis, double share) {
    for (const std::size_t other : kernel::axes_across[axis])
      for (const std::size_t high : {0, 1}) {
        const std::size_t side = 2 * other + high;
        if (is_fluid(cell, side) || is_fluid(below, side)) continue;
        float outlet = 0;
        bool is_passed = false;
        for (const std::int32_t half : {cell, below}) {
          if (sides_[side][at(half)] < first_condition) continue;
          const flow_boundary& b = boundary(half, side);
          if (b.kind == face_flow::wall && b.slide_mm_per_s[static_cast<int>(axis)] != 0)
            result_.sliding.push_back(
                {i, boundary_of(half, side), static_cast<std::int8_t>(axis), share * result_.cells.weight[other]});
          is_passed = is_passed || b.passes();
          if (b.kind == face_flow::outlet) outlet += 0.5F;
        }
        if (is_passed && i == cell && share == 1)
          result_.passing.push_back({i, below, static_cast<std::int8_t>(axis), static_cast<std::int8_t>(side), outlet});
      }
  }

  // Add a face between two cells.
  void add_face(std::int32_t i, std::int32_t below, std::size_t axis) {
    flow_cells& cells = result_.cells;
    const auto [number, value] = diagonal(i, below, axis);
    cells.friction[axis][at(i)] = number;
    cells.diagonal[axis][number] = value;
    if (problem_.periodic[axis] && place_[at(i)][axis] == 0) result_.seam[axis].push_back(i);
    add_along(i, i, below, axis, 1);
  }

  // Add a face of the cell `inside` that is an opening. The opening is the low face of the owned cell `face`, which has the
  // neighbours `near`.
  void open_face(std::int32_t inside, std::int32_t face, std::size_t side, const std::array<std::int32_t, 6>& near) {
    flow_cells& cells = result_.cells;
    const std::size_t axis = side / 2;
    const std::int16_t b = boundary_of(inside, side);
    if (!problem_.boundaries[at(b)].gives_pressure()) {
      const auto& p = place_[at(face)];
      index3 voxel{p[0], p[1], p[2]};
      if (side % 2 != 0) voxel[static_cast<int>(axis)] = wrapped(voxel[static_cast<int>(axis)] - 1, static_cast<int>(axis));
      result_.given.push_back({face, static_cast<std::uint8_t>(side), voxel});
      if (near[2 * axis] >= 0 && kind(face) == cell_kind::fluid)
        cells.given.push_back(static_cast<std::int64_t>(axis) * cells.stride() + face);
      return;
    }
    auto [number, value] = diagonal(inside, inside, axis);
    number = static_cast<std::uint8_t>(number + open_face_frictions);
    value -= cells.weight[axis];  // along the flow, the face has one neighbour
    cells.friction[axis][at(face)] = number;
    cells.diagonal[axis][number] = value;
    kernel::stokes_open_face f{
        face, inside, inside, {}, (value + cells.weight[axis]) / 2, side % 2 == 0, static_cast<std::int8_t>(axis)};
    if (side % 2 == 0) f.along = near[2 * axis + 1];
    for (std::size_t n = 0; n < 4; ++n) {
      const std::size_t across = 2 * kernel::axes_across[axis][n / 2] + n % 2;
      f.across[n] = is_fluid(inside, across) ? near[across] : -1;
      if (f.across[n] < 0 || !is_between_fluid(f.across[n], axis)) continue;
      f.whole = static_cast<std::uint8_t>(f.whole | 1U << n);
      f.diagonal += cells.weight[across / 2] / 2;
    }
    cells.open_faces.push_back(f);
    result_.open_boundary.push_back(b);
    add_along(face, inside, inside, axis, 0.5);
  }

  // Return true if the low face of a cell in the plane of an opening is between two fluid cells.
  bool is_between_fluid(std::int32_t cell, std::size_t axis) const {
    return kind(cell) == cell_kind::fluid && is_fluid(cell, 2 * axis);
  }

  std::int64_t wrapped(std::int64_t place, int axis) const {
    const std::int64_t length = problem_.where.domain[axis];
    return problem_.periodic[at(axis)] ? (place + length) % length : place;
  }

  void find_labelled_walls() {
    if (!problem_.has_labels()) return;
    std::vector<std::pair<std::int32_t, const solid_face*>> walls;
    for (const solid_face& f : solid_.faces)
      if (f.boundary < 0 || !problem_.boundaries[at(f.boundary)].passes()) walls.emplace_back(cell_at(f), &f);
    std::stable_sort(walls.begin(), walls.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [cell, f] : walls) result_.labelled.push_back({cell, f->side, f->boundary, f->label, {}});
    visit_neighbours(result_.cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      auto w = std::lower_bound(result_.labelled.begin(), result_.labelled.end(), i,
                                [](const labelled_wall& a, std::int32_t cell) { return a.cell < cell; });
      for (; w != result_.labelled.end() && w->cell == i; ++w) w->near = near;
    });
  }

  const through_problem& problem_;
  const solid_faces& solid_;
  open_flow_cells& result_;
  std::array<std::vector<std::uint8_t>, 6> sides_;  // type of each side of each cell, including ghosts
  std::vector<std::uint8_t> kind_;
  std::vector<std::array<std::int32_t, 3>> place_;
};

}  // namespace

int boundary_at(const through_problem& problem, index3 voxel, int side) {
  int found = -1;
  for (std::size_t n = 0; n < problem.boundaries.size(); ++n) {
    const flow_boundary& b = problem.boundaries[n];
    if (b.is_inside || b.side() != side) continue;
    if (b.is_everywhere()) {
      if (found < 0) found = static_cast<int>(n);
      continue;
    }
    // On the face, the ball around a point is a disc.
    if (b.holds(voxel, problem.spacing_mm, side / 2)) return static_cast<int>(n);
  }
  return found;
}

open_flow_cells make_open_flow_cells(const through_problem& problem, const std::vector<bool>& keep,
                                     const std::vector<std::int32_t>& free_part, std::int32_t free_parts) {
  open_flow_cells result;
  flow_cells& cells = result.cells;
  cells.voxels = problem.where.domain.volume();
  grid::block where = problem.where;
  std::array<bool, 3> is_longer{};
  for (const flow_boundary& b : problem.boundaries) {
    const int a = static_cast<int>(b.across);
    if (!b.is_inside && b.high && b.passes()) is_longer[at(a)] = true;
    if (b.gives_pressure() && cells.through < 0) cells.through = a;
  }
  for (int a = 0; a < 3; ++a)
    if (is_longer[at(a)]) where = longer(where, a);
  std::vector<voxel::run> kept;
  for (std::size_t n = 0; n < keep.size(); ++n)
    if (keep[n]) kept.push_back(problem.cells.runs()[n]);
  solid_faces solid;
  if (problem.has_labels()) solid = find_solid_faces(problem, {problem.cells.shape(), kept});
  cells.numbers = runs_with_openings(problem, kept, is_longer, solid.behind);
  set_grid(cells, where, problem.spacing_mm, problem.periodic);
  const heat_cells& c = cells.grid;
  builder(problem, solid, result).run();

  result.free_parts = free_parts;
  if (free_parts > 0) {
    result.free_part.assign(at(c.owned), -1);
    const auto runs = problem.cells.runs();
    for (std::size_t n = 0; n < runs.size(); ++n)
      if (keep[n] && free_part[n] >= 0)
        std::fill_n(result.free_part.begin() + cells.numbers.find(runs[n].z, runs[n].y, runs[n].x), runs[n].length,
                    free_part[n]);
  }
  return result;
}

}  // namespace osteon::physics
