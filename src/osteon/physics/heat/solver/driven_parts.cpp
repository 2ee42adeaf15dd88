#include <osteon/physics/heat/solver/driven_parts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/physics/heat/solver/percolation.hpp>

namespace osteon::physics {

namespace {

using steps = std::array<std::int32_t, 3>;  // steps along z, y, x, in units of periods of the image or of half voxels

// Label of a part, and offset of a set. The label is the smallest label of all sets of runs in the part. The offset is
// relative to the set with this label. The unit is a period of the image.
struct copy_of_part {
  std::int64_t label = 0;
  steps period{};
};

// Extent of a part along each axis, and bits of the axes along which the part is connected to its own periodic image.
struct part_extent {
  steps low{}, high{};
  std::int32_t winds = 0;
};

// Connected sets of runs on a rank, and exchange of values of sets with other ranks.
class united_runs {
 public:
  united_runs(const grid::block& where, const ghosted_cells& cells)
      : where_(where), cells_(cells), forest_(unite_runs(cells)), links_(runs_of_links(cells)) {}

  std::size_t root(std::size_t run) { return at(forest_.find(static_cast<std::int32_t>(run))); }

  /// Send values of sets to the neighbours until `take(set, shift, value)` changes no values. `shift` is the offset between
  /// the neighbour's cells and their ghosts on this rank, in periods. @collective
  template <class T, class Take>
  void spread(std::vector<T>& of_set, Take take) {
    while (comm::max_over_ranks(where_.comm, pass(of_set, take) ? 1 : 0) != 0) continue;
  }

  /// Send values once to all neighbours. @return true if `take` has changed a value on this rank @collective
  template <class T, class Take>
  bool pass(std::vector<T>& of_set, Take take) {
    const std::size_t count = cells_.links.links.size();
    std::vector<std::vector<T>> out(count);
    for (std::size_t n = 0; n < count; ++n)
      for (const std::int32_t run : links_.inside[n]) out[n].push_back(of_set[root(at(run))]);
    const auto in = cells_.links.swap(out);
    bool changed = false;
    for (std::size_t n = 0; n < count; ++n)
      for (std::size_t i = 0; i < in[n].size(); ++i) {
        const std::size_t ghost = at(links_.beyond[n][i]);
        changed |= take(of_set[root(ghost)], shift_of(ghost), in[n][i]);
      }
    return changed;
  }

 private:
  steps shift_of(std::size_t ghost) const {
    const voxel::run& r = cells_.runs[ghost];
    const index3 first = where_.owned.begin + index3{r.z, r.y, r.x};
    steps shift{};
    for (std::size_t a = 0; a < 3; ++a) {
      const int axis = static_cast<int>(a);
      shift[a] = first[axis] < 0 ? -1 : first[axis] >= where_.domain[axis] ? 1 : 0;
    }
    return shift;
  }

  const grid::block& where_;
  const ghosted_cells& cells_;
  disjoint_sets forest_;
  link_runs links_;
};

void widen(part_extent& extent, std::size_t a, std::int32_t value) {
  extent.low[a] = std::min(extent.low[a], value);
  extent.high[a] = std::max(extent.high[a], value);
}

bool join(part_extent& extent, const part_extent& other) {
  const part_extent before = extent;
  extent.winds |= other.winds;
  for (std::size_t a = 0; a < 3; ++a)
    if (other.low[a] <= other.high[a]) widen(extent, a, other.low[a]), widen(extent, a, other.high[a]);
  return extent.low != before.low || extent.high != before.high || extent.winds != before.winds;
}

std::vector<part_extent> empty_extents(std::size_t sets) {
  part_extent nothing;
  nothing.low.fill(std::numeric_limits<std::int32_t>::max());
  nothing.high.fill(std::numeric_limits<std::int32_t>::min());
  return std::vector<part_extent>(sets, nothing);
}

// Follow each part through the periodic faces. If two paths to a set have different offsets, the paths form a loop around
// the image.
std::vector<part_extent> trace_periods(const grid::block& where, united_runs& sets, std::size_t count,
                                       std::vector<steps>& period) {
  std::vector<copy_of_part> copies(count);
  for (std::size_t i = 0; i < count; ++i)
    copies[i].label = (std::int64_t{comm::rank(where.comm)} << 32) + static_cast<std::int64_t>(i);
  const auto offset_from = [](const copy_of_part& neighbour, const steps& shift) {
    copy_of_part here = neighbour;
    for (std::size_t a = 0; a < 3; ++a) here.period[a] -= shift[a];
    return here;
  };
  sets.spread(copies, [&](copy_of_part& own, const steps& shift, const copy_of_part& neighbour) {
    if (neighbour.label >= own.label) return false;
    own = offset_from(neighbour, shift);
    return true;
  });
  std::vector<part_extent> extent = empty_extents(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < 3; ++a) widen(extent[i], a, copies[i].period[a]);
  sets.pass(copies, [&](copy_of_part& own, const steps& shift, const copy_of_part& neighbour) {
    const copy_of_part other = offset_from(neighbour, shift);
    for (std::size_t a = 0; a < 3; ++a)
      if (other.period[a] != own.period[a]) extent[at(&own - copies.data())].winds |= 1 << a;
    return false;
  });
  for (const copy_of_part& copy : copies) period.push_back(copy.period);
  return extent;
}

// Positions at which parts have cells on the outer faces of the box. The unit is half of a voxel along each axis.
std::vector<part_extent> extents_on_faces(const grid::block& where, const ghosted_cells& cells, united_runs& sets) {
  std::vector<part_extent> extent = empty_extents(cells.runs.size());
  for (std::size_t n = 0; n < cells.runs.size(); ++n) {
    const voxel::run& r = cells.runs[n];
    if (!cells.is_owned(r)) continue;
    part_extent& set = extent[sets.root(n)];
    const index3 first = where.owned.begin + index3{r.z, r.y, r.x}, last = first + index3{0, 0, r.length - 1};
    for (int face = 0; face < 6; ++face) {
      const int axis = face / 2;
      const bool high = face % 2 != 0;
      if (high ? last[axis] != where.domain[axis] - 1 : first[axis] != 0) continue;
      const index3 from = axis == 2 && high ? last : first, to = axis == 2 && !high ? first : last;
      for (std::size_t a = 0; a < 3; ++a) {
        const int d = static_cast<int>(a);
        const auto on_face = static_cast<std::int32_t>(high ? 2 * where.domain[d] : 0);
        widen(set, a, d == axis ? on_face : static_cast<std::int32_t>(2 * from[d] + 1));
        widen(set, a, d == axis ? on_face : static_cast<std::int32_t>(2 * to[d] + 1));
      }
    }
  }
  return extent;
}

}  // namespace

driven_parts find_driven_parts(const heat_problem& problem, surroundings kind) {
  const grid::block& where = problem.where;
  const bool repeats = kind == surroundings::periodic;
  std::array<bool, 3> periodic{};
  periodic.fill(repeats);
  const ghosted_cells cells = with_ghosts(where, problem.cells, periodic);
  driven_parts found;
  found.periodic_faces = match_faces(where, cells, periodic);
  united_runs sets(where, cells);
  std::vector<steps> period;
  std::vector<part_extent> extent =
      repeats ? trace_periods(where, sets, cells.runs.size(), period) : extents_on_faces(where, cells, sets);
  sets.spread(extent, [](part_extent& own, const steps&, const part_extent& other) { return join(own, other); });

  std::array<std::int64_t, 5> count{};
  for (std::size_t n = 0; n < cells.runs.size(); ++n) {
    if (!cells.is_owned(cells.runs[n])) continue;
    const std::size_t set = sets.root(n);
    const part_extent& part = extent[set];
    unsigned axes = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const int d = static_cast<int>(a);
      const bool meets = part.low[a] <= part.high[a];
      const bool driven = repeats ? ((part.winds >> d) & 1) != 0 : meets && part.low[a] < part.high[a];
      if (driven) axes |= 1U << a;
      const double extent = static_cast<double>(where.domain[d]), h = problem.spacing_mm[d];
      const double rest_mm = !meets    ? 0
                             : repeats ? extent * h * (0.5 * (part.low[a] + part.high[a]) - period[set][a])
                                       : 0.5 * h * (part.low[a] - extent);
      found.resting_K[a].push_back(driven ? 0.0F : static_cast<float>(rest_mm));
      count[a] += driven ? cells.runs[n].length : 0;
    }
    found.axes.push_back(static_cast<std::uint8_t>(axes));
    count[3] += axes != 0 ? cells.runs[n].length : 0;
    count[4] += axes == 7 ? cells.runs[n].length : 0;
  }
  for (std::int64_t& c : count) c = comm::sum_over_ranks(where.comm, c);
  found.driven_cells = {count[0], count[1], count[2]};
  found.in_any = count[3];
  found.in_all = count[4];
  return found;
}

std::string reason_without_flow(const driven_parts& parts, surroundings kind, axis along) {
  const auto a = static_cast<std::size_t>(along);
  if (parts.driven_cells[a] > 0) return {};
  const char name = "zyx"[a];
  const face_match& m = parts.periodic_faces[a];
  const std::string answer = fmt::format("the conductivity along {} is 0", name);
  if (kind == surroundings::uniform_gradient)
    return fmt::format("no part of the solid touches the outer faces at two positions along {}: {}", name, answer);
  if (m.low > 0 && m.high > 0 && m.both == 0)
    return fmt::format(
        "the periodic {} faces have no common solid position ({} solid voxels on the low face, {} on the high face): {}; "
        "crop "
        "the image to one period, or set load.boundary_condition = \"uniform\"",
        name, m.low, m.high, answer);
  return fmt::format("no path of solid voxels connects the image to its next period along {}: {}", name, answer);
}

}  // namespace osteon::physics
