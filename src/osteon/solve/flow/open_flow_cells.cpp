#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/solve/flow/open_flow_cells.hpp>
#include <tuple>
#include <unordered_map>

namespace osteon::solve {

namespace {

constexpr std::int16_t inside = -2, plain_wall = -1;

bool passes(const flow_boundary& b) { return b.gives_velocity() || b.gives_pressure(); }

// What each side of the owned cells is: inside, or the condition of an outer face.
using sides_of_cell = std::array<std::int16_t, 6>;

// The runs that are kept, and behind the openings in high faces one more voxel.
voxel::run_set runs_with_openings(const through_problem& problem, const std::vector<bool>& keep,
                                  const std::array<bool, 3>& is_longer) {
  const auto all = problem.cells.runs();
  const grid::block& where = problem.where;
  index3 shape = problem.cells.shape();
  std::vector<voxel::run> runs;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (keep[n]) runs.push_back(all[n]);
  const auto opens = [&](index3 local, int side) {
    const int b = boundary_at(problem, where.owned.begin + local, side);
    return b >= 0 && passes(problem.boundaries[at(b)]);
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
      // A voxel that an earlier axis added in x is not behind this face.
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
  std::sort(runs.begin(), runs.end(),
            [](const voxel::run& p, const voxel::run& q) { return std::tie(p.z, p.y, p.x) < std::tie(q.z, q.y, q.x); });
  return {shape, std::move(runs)};
}

class builder {
 public:
  builder(const through_problem& problem, open_flow_cells& result) : problem_(problem), result_(result) {}

  void run() {
    find_sides();
    flow_cells& cells = result_.cells;
    for (auto& f : cells.friction) f.assign(at(cells.grid.size), 0);
    visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      if (const int a = beyond_[at(i)]; a >= 0) {
        cells.beyond.push_back(i);
        add_side(near[2 * at(a)], i, 2 * at(a) + 1, near, -1);
        return;
      }
      for (std::size_t c = 0; c < 3; ++c) {
        if (const std::int16_t b = sides_[at(i)][2 * c]; b >= 0) add_side(i, i, 2 * c, near, near[2 * c + 1]);
        if (const std::int16_t b = sides_[at(i)][2 * c + 1]; b >= 0 && !passes(problem_.boundaries[at(b)]))
          result_.sides.push_back({i, -1, near[2 * c], b, place_of(i, c)});
        if (near[2 * c] >= 0) add_face(i, near[2 * c], c);
      }
    });
    for (auto& f : cells.friction) cells.grid.links.exchange(f.data());
    // The cells behind those at the openings of high faces are known only now.
    std::unordered_map<std::int32_t, std::array<std::int32_t, 6>> neighbours;
    visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      if (result_.outer[at(i)] != 0) neighbours[i] = near;
    });
    for (flow_side& s : result_.sides)
      if (s.face >= 0 && s.face != s.cell)
        s.next = neighbours[s.cell][2 * at(static_cast<int>(problem_.boundaries[at(s.boundary)].across))];
  }

 private:
  void find_sides() {
    const flow_cells& cells = result_.cells;
    const heat_cells& c = cells.grid;
    const index3 domain = problem_.where.domain;
    sides_.assign(at(c.owned), {inside, inside, inside, inside, inside, inside});
    result_.outer.assign(at(c.owned), 0);
    beyond_.assign(at(c.owned), -1);
    place_.resize(at(c.owned));
    for (const voxel::run& r : cells.numbers.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const index3 p = problem_.where.owned.begin + index3{r.z, r.y, r.x + n};
        const std::size_t i = at(r.first + n);
        place_[i] = {static_cast<std::int32_t>(p.z), static_cast<std::int32_t>(p.y), static_cast<std::int32_t>(p.x)};
        for (int a = 0; a < 3; ++a)
          if (p[a] >= domain[a]) beyond_[i] = static_cast<std::int8_t>(a);
        if (beyond_[i] >= 0) continue;
        for (int a = 0; a < 3; ++a)
          for (int high = 0; high < 2; ++high)
            if (p[a] == (high != 0 ? domain[a] - 1 : 0)) {
              const int side = 2 * a + high;
              sides_[i][at(side)] = static_cast<std::int16_t>(boundary_at(problem_, p, side));
              result_.outer[i] = static_cast<std::uint8_t>(result_.outer[i] | 1U << side);
            }
      }
  }

  std::array<std::int64_t, 2> place_of(std::int32_t i, std::size_t axis) const {
    const auto& p = place_[at(i)];
    return {p[kernel::axes_across[axis][0]], p[kernel::axes_across[axis][1]]};
  }

  // Friction of the condition of an outer face on a velocity along it, of the half of a face that lies in one cell.
  int half_friction(std::int16_t b) const {
    if (b < 0) return 1;
    const face_flow kind = problem_.boundaries[at(b)].kind;
    return kind == face_flow::slip || kind == face_flow::outlet ? 0 : 1;
  }

  // Number of the diagonal of a face, and its value. @param cell, below the cells of the face; the same at an opening
  std::pair<std::uint8_t, double> diagonal(std::int32_t cell, std::int32_t below, std::size_t axis) const {
    const flow_cells& cells = result_.cells;
    double value = 2 * cells.weight[axis];
    std::array<int, 2> sum{};
    for (std::size_t n = 0; n < 2; ++n) {
      const std::size_t other = kernel::axes_across[axis][n];
      for (const std::size_t high : {0, 1}) {
        const std::size_t side = 2 * other + high;
        if (const std::int16_t b = sides_[at(cell)][side]; b != inside) {
          sum[n] += half_friction(b) + half_friction(side_of(below, cell, axis, side));
          continue;
        }
        const int fluid = (cells.grid.open[at(cell)] >> side & 1) + (cells.grid.open[at(below)] >> side & 1);
        sum[n] += fluid == 0 ? 2 : 1;  // as in permeability
      }
      value += sum[n] * cells.weight[other];
    }
    return {static_cast<std::uint8_t>(1 + sum[0] + 5 * sum[1]), value};
  }

  // The condition of a cell that may be a ghost.
  std::int16_t side_of(std::int32_t below, std::int32_t cell, std::size_t axis, std::size_t side) const {
    if (below < result_.cells.grid.owned) return sides_[at(below)][side];
    index3 p{place_[at(cell)][0], place_[at(cell)][1], place_[at(cell)][2]};
    --p[static_cast<int>(axis)];
    return static_cast<std::int16_t>(boundary_at(problem_, p, static_cast<int>(side)));
  }

  // What sliding walls and openings do to a velocity along them.
  void add_along(std::int32_t i, std::int32_t cell, std::int32_t below, std::size_t axis, double share) {
    for (const std::size_t other : kernel::axes_across[axis])
      for (const std::size_t high : {0, 1}) {
        const std::size_t side = 2 * other + high;
        const std::int16_t own = sides_[at(cell)][side];
        if (own == inside) continue;
        const std::int16_t next = side_of(below, cell, axis, side);
        float outlet = 0;
        bool is_passed = false;
        for (const std::int16_t b : {own, next}) {
          if (b < 0) continue;
          const flow_boundary& boundary = problem_.boundaries[at(b)];
          if (boundary.kind == face_flow::wall && boundary.slide_mm_per_s[static_cast<int>(axis)] != 0)
            result_.sliding.push_back({i, b, static_cast<std::int8_t>(axis), share * result_.cells.weight[other]});
          is_passed = is_passed || passes(boundary);
          if (boundary.kind == face_flow::outlet) outlet += 0.5F;
        }
        if (is_passed && i == cell && share == 1)
          result_.passing.push_back({i, below, static_cast<std::int8_t>(axis), static_cast<std::int8_t>(side), outlet});
      }
  }

  // A face between two cells.
  void add_face(std::int32_t i, std::int32_t below, std::size_t axis) {
    flow_cells& cells = result_.cells;
    const auto [number, value] = diagonal(i, below, axis);
    cells.friction[axis][at(i)] = number;
    cells.diagonal[axis][number] = value;
    add_along(i, i, below, axis, 1);
  }

  // A face of the image with a condition. @param face the cell whose low face it is @param near that cell's neighbours
  void add_side(std::int32_t cell, std::int32_t face, std::size_t side, const std::array<std::int32_t, 6>& near,
                std::int32_t next) {
    flow_cells& cells = result_.cells;
    const std::size_t axis = side / 2;
    const std::int16_t b = sides_[at(cell)][side];
    const flow_boundary& boundary = problem_.boundaries[at(b)];
    result_.sides.push_back({cell, passes(boundary) ? face : -1, next, b, place_of(cell, axis)});
    if (!boundary.gives_pressure()) return;
    auto [number, value] = diagonal(cell, cell, axis);
    number = static_cast<std::uint8_t>(number + open_face_frictions);
    value -= cells.weight[axis];  // along the flow it has one neighbour
    cells.friction[axis][at(face)] = number;
    cells.diagonal[axis][number] = value;
    kernel::stokes_open_face f{
        face, cell, next, {}, (value + cells.weight[axis]) / 2, side % 2 == 0, static_cast<std::int8_t>(axis)};
    if (side % 2 == 1) f.along = cell;
    for (std::size_t n = 0; n < 4; ++n) f.across[n] = near[2 * kernel::axes_across[axis][n / 2] + n % 2];
    cells.open_faces.push_back(f);
    result_.open_boundary.push_back(b);
    add_along(face, cell, cell, axis, 0.5);
  }

  const through_problem& problem_;
  open_flow_cells& result_;
  std::vector<sides_of_cell> sides_;
  std::vector<std::int8_t> beyond_;  // axis along which the cell is behind a face of the image; -1: inside
  std::vector<std::array<std::int32_t, 3>> place_;
};

}  // namespace

int boundary_at(const through_problem& problem, index3 voxel, int side) {
  int found = -1;
  for (std::size_t n = 0; n < problem.boundaries.size(); ++n) {
    const flow_boundary& b = problem.boundaries[n];
    if (b.side() != side) continue;
    if (b.is_everywhere()) {
      if (found < 0) found = static_cast<int>(n);
      continue;
    }
    double square = 0;
    bool is_in = true;
    for (int a = 0; a < 3; ++a) {
      const double centre = (static_cast<double>(voxel[a]) + 0.5) * problem.spacing_mm[a];
      is_in = is_in && centre >= b.low_mm[a] && centre <= b.high_mm[a];
      // A ball around a point of the face is a disc on it.
      if (a != side / 2) square += (centre - b.centre_mm[a]) * (centre - b.centre_mm[a]);
    }
    if (is_in && (b.radius_mm == flow_boundary::unlimited || square <= b.radius_mm * b.radius_mm))
      return static_cast<int>(n);
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
    if (b.high && passes(b)) is_longer[at(a)] = true;
    if (b.gives_pressure() && cells.through < 0) cells.through = a;
  }
  for (int a = 0; a < 3; ++a)
    if (is_longer[at(a)]) where = longer(where, a);
  cells.numbers = runs_with_openings(problem, keep, is_longer);
  set_grid(cells, where, problem.spacing_mm, false);
  const heat_cells& c = cells.grid;
  builder(problem, result).run();

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

}  // namespace osteon::solve
