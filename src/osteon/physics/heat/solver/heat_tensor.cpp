#include <osteon/physics/heat/solver/heat_tensor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/dense.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/physics/heat/solver/heat_parts.hpp>

namespace osteon::physics {

namespace {

// Effect of a gradient of 1 K/mm along each axis on the runs of a problem's cells.
//
// In a periodic image, a gradient drives heat through a part only if the part, followed through the periodic faces, returns
// to itself shifted along the gradient. With linear temperatures on the outer faces, it does so only if the part meets two
// of them. In all other parts the temperature follows from the surroundings, and no heat flows.
struct driven_parts {
  std::vector<std::uint8_t> axes;               ///< per run: bit a: the gradient along a drives heat through it
  std::array<std::vector<float>, 3> resting_K;  ///< by axis, per run: its temperature without heat flow
  std::array<std::int64_t, 3> driven_cells{};   ///< by axis, over all ranks
  std::int64_t in_any = 0, in_all = 0;          ///< cells with heat flow for some axis; for all axes. Over all ranks
  std::array<face_match, 3> periodic_faces{};
};

using steps = std::array<std::int32_t, 3>;  // z, y, x: in periods of the image, or in half voxels

// Offset of a set of runs in copies of the image, relative to the set that labels the part.
struct copy_of_part {
  std::int64_t label = 0;
  steps period{};
};

// Properties of a part along each axis: bits of the axes along which it returns to itself, and the ends of a range.
struct reach_of_part {
  steps low{}, high{};
  std::int32_t winds = 0;
};

// The united runs of a rank and their exchange with other ranks.
class united_runs {
 public:
  united_runs(const grid::block& where, const ghosted_cells& cells)
      : where_(where), cells_(cells), forest_(unite_runs(cells)), links_(runs_of_links(cells)) {}

  std::size_t root(std::size_t run) { return at(forest_.find(static_cast<std::int32_t>(run))); }

  /// Send values of sets to the neighbours until `take(set, shift, value)` changes none. `shift` is the number of periods by
  /// which the neighbour's cells are shifted relative to their ghosts on this rank. @collective
  template <class T, class Take>
  void spread(std::vector<T>& of_set, Take take) {
    for (int changed = 1; changed != 0;) {
      changed = pass(of_set, take) ? 1 : 0;
      changed = comm::largest_of(where_.comm, changed);
    }
  }

  /// Send once to all neighbours. @return whether `take` changed a value on this rank @collective
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

void widen(reach_of_part& reach, std::size_t a, std::int32_t value) {
  reach.low[a] = std::min(reach.low[a], value);
  reach.high[a] = std::max(reach.high[a], value);
}

bool join(reach_of_part& reach, const reach_of_part& other) {
  const reach_of_part before = reach;
  reach.winds |= other.winds;
  for (std::size_t a = 0; a < 3; ++a)
    if (other.low[a] <= other.high[a]) widen(reach, a, other.low[a]), widen(reach, a, other.high[a]);
  return reach.low != before.low || reach.high != before.high || reach.winds != before.winds;
}

std::vector<reach_of_part> nothing_reached(std::size_t sets) {
  reach_of_part nothing;
  nothing.low.fill(std::numeric_limits<std::int32_t>::max());
  nothing.high.fill(std::numeric_limits<std::int32_t>::min());
  return std::vector<reach_of_part>(sets, nothing);
}

// Follow each part through the periodic faces. Two paths to a set that differ by periods form a loop around the image.
std::vector<reach_of_part> wind(const grid::block& where, united_runs& sets, std::size_t count, std::vector<steps>& period) {
  std::vector<copy_of_part> copies(count);
  for (std::size_t i = 0; i < count; ++i)
    copies[i].label = (std::int64_t{comm::rank(where.comm)} << 32) + static_cast<std::int64_t>(i);
  const auto seen_from = [](const copy_of_part& neighbour, const steps& shift) {
    copy_of_part here = neighbour;
    for (std::size_t a = 0; a < 3; ++a) here.period[a] -= shift[a];
    return here;
  };
  sets.spread(copies, [&](copy_of_part& own, const steps& shift, const copy_of_part& neighbour) {
    if (neighbour.label >= own.label) return false;
    own = seen_from(neighbour, shift);
    return true;
  });
  std::vector<reach_of_part> reach = nothing_reached(count);
  std::vector<std::int32_t> winds(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < 3; ++a) widen(reach[i], a, copies[i].period[a]);
  sets.pass(copies, [&](copy_of_part& own, const steps& shift, const copy_of_part& neighbour) {
    const copy_of_part other = seen_from(neighbour, shift);
    for (std::size_t a = 0; a < 3; ++a)
      if (other.period[a] != own.period[a]) winds[at(&own - copies.data())] |= 1 << a;
    return false;
  });
  for (std::size_t i = 0; i < count; ++i) {
    reach[i].winds = winds[i];
    period.push_back(copies[i].period);
  }
  return reach;
}

// The positions, in half voxels along each axis, at which parts meet the outer faces of the box.
std::vector<reach_of_part> meet_faces(const grid::block& where, const ghosted_cells& cells, united_runs& sets) {
  std::vector<reach_of_part> reach = nothing_reached(cells.runs.size());
  for (std::size_t n = 0; n < cells.runs.size(); ++n) {
    const voxel::run& r = cells.runs[n];
    if (!cells.is_owned(r)) continue;
    reach_of_part& set = reach[sets.root(n)];
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
  return reach;
}

// @param problem its faces, gradient and sources are not used @collective on problem.where.comm
// @cost O(runs) time; 20 bytes per ghost and round; the number of rounds is the number of rank crossings of a path
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
  std::vector<reach_of_part> reach = repeats ? wind(where, sets, cells.runs.size(), period) : meet_faces(where, cells, sets);
  sets.spread(reach, [](reach_of_part& own, const steps&, const reach_of_part& other) { return join(own, other); });

  std::array<std::int64_t, 5> count{};
  for (std::size_t n = 0; n < cells.runs.size(); ++n) {
    if (!cells.is_owned(cells.runs[n])) continue;
    const std::size_t set = sets.root(n);
    const reach_of_part& part = reach[set];
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
  for (std::int64_t& c : count) c = comm::sum_of(where.comm, c);
  found.driven_cells = {count[0], count[1], count[2]};
  found.in_any = count[3];
  found.in_all = count[4];
  return found;
}

// Reason for zero heat flow along an axis, a sentence; empty: there is heat flow.
std::string why_at_rest(const driven_parts& parts, surroundings kind, axis along) {
  const auto a = static_cast<std::size_t>(along);
  if (parts.driven_cells[a] > 0) return {};
  const char name = "zyx"[a];
  const face_match& m = parts.periodic_faces[a];
  const std::string answer = fmt::format("the conductivity along {} is 0 without a solution", name);
  if (kind == surroundings::uniform_gradient)
    return fmt::format("no part of the solid meets the outer faces at two places along {}: {}", name, answer);
  if (m.low > 0 && m.high > 0 && m.both == 0)
    return fmt::format(
        "none of the {} solid voxels of the low {} face meets one of the {} of the high {} face, which are "
        "periodic: {}; crop the image to a period, or choose load.boundary_condition = \"uniform\"",
        m.low, name, m.high, name, answer);
  return fmt::format("no path of the solid leads along {} from the image into its next period: {}", name, answer);
}

void set_surroundings(heat_problem& problem, surroundings kind) {
  problem.source_W_per_mm3.clear();
  problem.faces = {};
  problem.periodic.fill(kind == surroundings::periodic);
  if (kind == surroundings::uniform_gradient)
    for (auto& pair : problem.faces)
      for (face_condition& face : pair) face.kind = thermal::temperature;
}

// Parts driven by any of the three gradients are unknown. @throws as check_conduction
void drive_all_ways(heat_problem& problem, surroundings kind) {
  set_surroundings(problem, kind);
  problem.gradient_K_per_mm = {1, 1, 1};
  check_conduction(problem);
}

void find_principal_values(conductivity_tensor& tensor) {
  const principal_axes axes = principal_axes_of(tensor.conductivity_W_per_mK);
  tensor.principal_W_per_mK = axes.value;
  for (std::size_t n = 0; n < 3; ++n)
    tensor.direction[n] = {axes.direction[n][0], axes.direction[n][1], axes.direction[n][2]};
}

// Exclude the parts without heat flow for all gradients.
void keep_driven(heat_problem& problem, const driven_parts& driven) {
  const auto runs = problem.cells.runs();
  std::vector<voxel::run> kept;
  std::vector<material_number> material;
  for (std::size_t n = 0; n < runs.size(); ++n) {
    if (driven.axes[n] == 0) continue;
    kept.push_back(runs[n]);
    const auto begin = problem.material.begin() + runs[n].first;
    material.insert(material.end(), begin, begin + runs[n].length);
  }
  problem.cells = {problem.cells.shape(), std::move(kept)};
  problem.material = std::move(material);
}

// By unknown: the axes whose gradient drives heat through its part. Empty: all of them, everywhere.
std::vector<std::uint8_t> axes_of_cells(const voxel::run_set& all, const driven_parts& driven) {
  std::vector<std::uint8_t> axes;
  if (driven.in_all == driven.in_any) return axes;
  for (std::size_t n = 0; n < all.runs().size(); ++n)
    if (driven.axes[n] != 0) axes.insert(axes.end(), at(all.runs()[n].length), driven.axes[n]);
  return axes;
}

// The load of a gradient on the parts that it drives. Other parts are excluded: their equations would have a solution of
// zero energy, from which no iteration can measure its error.
heat_load load_along(const heat_problem& problem, const heat_cells& cells, const std::vector<std::uint8_t>& drives, int a) {
  vector3 gradient;
  gradient[a] = 1;
  heat_load load = load_of(problem, cells, 0, gradient);
  if (!drives.empty())
    load.at_face = [whole = std::move(load.at_face), &drives, a](const outer_face& f) {
      return ((drives[at(f.cell)] >> a) & 1) != 0 ? whole(f) : face_drive{};
    };
  return load;
}

// Temperatures of all cells from those of the cells with heat flow for some axis.
std::vector<float> with_resting(const voxel::run_set& all, const driven_parts& driven, std::size_t along,
                                const std::vector<float>& solved) {
  std::vector<float> values(at(all.size()));
  std::size_t next = 0;
  for (std::size_t n = 0; n < all.runs().size(); ++n) {
    const voxel::run& r = all.runs()[n];
    const bool rests = ((driven.axes[n] >> along) & 1) == 0;
    for (std::int32_t i = 0; i < r.length; ++i)
      values[at(r.first + i)] = rests ? driven.resting_K[along][n] : solved[next + at(i)];
    if (driven.axes[n] != 0) next += at(r.length);
  }
  return values;
}

}  // namespace

heat_problem gradient_problem(heat_problem problem, surroundings kind, axis along) {
  set_surroundings(problem, kind);
  problem.gradient_K_per_mm = {};
  problem.gradient_K_per_mm[static_cast<int>(along)] = 1;
  return problem;
}

void check_effective_conductivity(heat_problem problem, surroundings kind) { drive_all_ways(problem, kind); }

conductivity_tensor effective_conductivity(heat_problem problem, surroundings kind, const options& how, log_sink& log) {
  drive_all_ways(problem, kind);
  check_tolerance(how);
  stopwatch watch;
  cpu_clock cpu;
  conductivity_tensor tensor;
  const driven_parts driven = find_driven_parts(problem, kind);
  tensor.periodic_faces = driven.periodic_faces;
  for (const axis along : {axis::z, axis::y, axis::x})
    if (const std::string why = why_at_rest(driven, kind, along); !why.empty()) log.warn(why);
  if (driven.in_any == 0) {
    for (auto& certificate : tensor.certificate) certificate.converged = true;
    find_principal_values(tensor);
    for (std::size_t b = 0; b < 3; ++b) tensor.temperature_K[b] = with_resting(problem.cells, driven, b, {});
    return tensor;
  }
  const voxel::run_set all = problem.cells;
  keep_driven(problem, driven);
  auto part = find_heated_parts(problem, false);
  const std::vector<std::uint8_t> drives = axes_of_cells(all, driven);
  const auto cells = make_conduction_cells(problem, std::move(part.cells), std::move(part.material));
  if (how.checkpoints) how.checkpoints->pass();
  heat_solver solver(cells);
  if (how.checkpoints) how.checkpoints->pass();
  std::int64_t unknowns = cells.owned;
  comm::all_reduce(problem.where.comm, &unknowns, 1, MPI_SUM);
  tensor.certificate[0].setup_seconds = watch.seconds();
  tensor.certificate[0].setup_cpu_seconds = cpu.of_all_ranks(problem.where.comm);

  std::optional<voxel::run_set> kept;
  if (how.checkpoints) kept = unknown_cells(problem, part);
  std::array<heat_load, 3> loads;
  for (int a = 0; a < 3; ++a) loads[at(a)] = load_along(problem, cells, drives, a);
  const auto extent = problem.where.domain;
  const vector3 h = problem.spacing_mm;
  const double volume = static_cast<double>(extent.volume()) * h.z * h.y * h.x;
  std::array<std::vector<float>, 3> fields;  // temperatures of the owned cells
  for (std::size_t b = 0; b < 3; ++b) {
    watch.restart();
    cpu.restart();
    const std::vector<double>& x = solver.solve(loads[b], how, tensor.certificate[b], log, kept ? &*kept : nullptr);
    tensor.certificate[b].unknowns = unknowns;
    fields[b].assign(x.begin(), x.begin() + cells.owned);
    // The mixed energy of the fields a and b, sum g (rise_a + dT_a) (rise_b + dT_b) over all faces, by parts. Its error is
    // e_a.K.e_b, because e_a does no work on the exact field b.
    std::array<double, 3> energy{};
    for (const outer_face& f : cells.outer) {
      const double both_sides = cells.periodic[static_cast<std::size_t>(f.axis())] ? 0.5 : 1;
      const double rise = loads[b].at_face(f).rise_K, temperature = x[static_cast<std::size_t>(f.cell)];
      for (std::size_t a = 0; a <= b; ++a)
        energy[a] += cells.conductance(f) * loads[a].at_face(f).rise_K * (both_sides * rise - temperature);
    }
    comm::all_reduce(problem.where.comm, energy.data(), 3, MPI_SUM);
    for (std::size_t a = 0; a <= b; ++a) {
      const double work = solver.total(
          [&](std::int32_t i) { return static_cast<double>(fields[a][static_cast<std::size_t>(i)]) * solver.residual(i); });
      tensor.conductivity_W_per_mK[a][b] = tensor.conductivity_W_per_mK[b][a] = 1000 * (energy[a] - work) / volume;
    }
    tensor.certificate[b].reaction_imbalance = heat_imbalance(inflows(cells, loads[b], x), 0);
    tensor.certificate[b].solve_seconds = tensor.certificate[b].earlier_seconds + watch.seconds();
    tensor.certificate[b].solve_cpu_seconds = cpu.of_all_ranks(problem.where.comm);
  }
  find_principal_values(tensor);
  for (std::size_t b = 0; b < 3; ++b)
    tensor.temperature_K[b] = with_resting(all, driven, b, spread(problem, part, std::move(fields[b]), 0));
  return tensor;
}

}  // namespace osteon::physics
