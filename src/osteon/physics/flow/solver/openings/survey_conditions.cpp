#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/opening_profiles.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>
#include <osteon/physics/flow/solver/stokes/solid_faces.hpp>

namespace osteon::physics {

namespace {

constexpr std::size_t most_boundaries = 60;  // maximum number of boundaries; each boundary has one bit

void check_conditions(const through_problem& problem, const through_options& options) {
  fault_list expect;
  const vector3 h = problem.spacing_mm;
  expect(h.z > 0 && h.y > 0 && h.x > 0 && std::isfinite(h.z + h.y + h.x),
         fmt::format("voxel spacing {} x {} x {} mm (z, y, x) must be positive", h.z, h.y, h.x));
  for (const auto& [value, name, unit] :
       {std::tuple{problem.viscosity_Pa_s, "viscosity", "Pa s"}, std::tuple{problem.density_kg_per_m3, "density", "kg/m3"}})
    expect(value > 0 && std::isfinite(value), fmt::format("{}: {} {}; must be positive", name, value, unit));
  expect(problem.cells.shape() == problem.where.owned.shape(),
         "the cells do not match the block of the rank; pass the fluid voxels of where.owned");
  expect(!problem.multiples.empty(), "the list of multiples is empty; give at least one multiple of the conditions");
  for (const double m : problem.multiples)
    expect(std::isfinite(m) && m != 0, fmt::format("multiple of the conditions: {}; must not be 0", m));
  expect(problem.boundaries.size() <= most_boundaries,
         fmt::format("{} conditions on faces exceed the limit of {}", problem.boundaries.size(), most_boundaries));
  for (std::size_t n = 0; n < problem.boundaries.size(); ++n) {
    const flow_boundary& b = problem.boundaries[n];
    expect(std::isfinite(b.value), fmt::format("{}: value {} must be finite", b.name, b.value));
    expect(b.kind != face_flow::wall || b.is_inside || b.slide_mm_per_s[static_cast<int>(b.across)] == 0,
           fmt::format("{}: wall velocity of {} mm/s normal to the face; a wall slides parallel to its face", b.name,
                       b.slide_mm_per_s[static_cast<int>(b.across)]));
    for (std::size_t m = 0; m < n; ++m) {
      const flow_boundary& other = problem.boundaries[m];
      const bool same = b.is_inside == other.is_inside && (b.is_inside ? b.label == other.label : b.side() == other.side());
      expect(!(b.is_everywhere() && other.is_everywhere() && same),
             fmt::format("{} and {} are conditions on the same {}; keep one, or select different parts", b.name, other.name,
                         b.is_inside ? "label" : "face"));
    }
    expect(b.is_inside || !problem.periodic[at(static_cast<int>(b.across))],
           fmt::format("{} is a condition on a face of a periodic axis; remove the condition or the periodicity", b.name));
    expect(!b.is_inside || b.label != 0 || !b.is_everywhere(),
           fmt::format("{} has no face, label or part of the image", b.name));
  }
  int rates = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto& rate = problem.period_rate_mm3_per_s[a];
    const double drop = problem.period_drop_Pa[a];
    rates += rate.has_value();
    expect(std::isfinite(drop) && std::isfinite(rate.value_or(0)),
           fmt::format("the pressure drop or flow rate along {} must be finite", "zyx"[a]));
    expect(problem.periodic[a] || (drop == 0 && !rate),
           fmt::format("a pressure drop or flow rate over the period along {} requires a periodic image along this axis",
                       "zyx"[a]));
    expect(!rate || (drop == 0 && *rate != 0),
           fmt::format(
               "flow rate of {} mm3/s over the period along {} with a pressure drop of {} Pa; give one of the two, not 0",
               rate.value_or(0), "zyx"[a], drop));
  }
  expect(rates <= 1, fmt::format("flow rates are prescribed over the periods of {} axes; the limit is one", rates));
  expect(options.tolerance > 0 && options.tolerance < 1,
         fmt::format("flow tolerance {} must be between 0 and 1, for example 1e-4", options.tolerance));
  expect(options.max_iterations > 0, fmt::format("iteration limit {} must be at least 1", options.max_iterations));
  expect.require_none();
}

// Return the condition of a face of a voxel, and a second condition of this face. If there is no second condition, the
// second value is -1.
std::pair<int, int> claims(const through_problem& problem, index3 voxel, int side) {
  const int first = boundary_at(problem, voxel, side);
  if (first < 0 || problem.boundaries[at(first)].is_everywhere()) return {first, -1};
  through_problem rest;  // this problem has only the members that boundary_at reads
  rest.spacing_mm = problem.spacing_mm;
  rest.boundaries = problem.boundaries;
  rest.boundaries[at(first)].low_mm.z = flow_boundary::unlimited;  // no voxel is at this position
  const int second = boundary_at(rest, voxel, side);
  return {first, second >= 0 && !problem.boundaries[at(second)].is_everywhere() ? second : -1};
}

// The run that contains a cell.
std::size_t run_of_cell(std::span<const voxel::run> runs, std::int32_t cell) {
  const auto next =
      std::upper_bound(runs.begin(), runs.end(), cell, [](std::int32_t i, const voxel::run& r) { return i < r.first; });
  return at(next - runs.begin() - 1);
}

// Bits of the boundaries at each part of the fluid, and faces of each boundary.
std::vector<std::uint64_t> find_conditions(const through_problem& problem, const numbered_parts& parts,
                                           const solid_faces& solid, std::vector<std::int64_t>& faces) {
  std::vector<std::uint64_t> met(at(parts.count));
  faces.assign(problem.boundaries.size() + 1, 0);
  std::array<std::int64_t, 2> both{-1, -1};
  const auto runs = problem.cells.runs();
  bool has_parts = false;
  for (const flow_boundary& b : problem.boundaries) has_parts = has_parts || (!b.is_inside && !b.is_everywhere());
  for (std::size_t n = 0; n < runs.size(); ++n) {
    const index3 first = problem.where.owned.begin + index3{runs[n].z, runs[n].y, runs[n].x};
    const auto visit = [&](index3 voxel, int side) {
      const auto [b, other] = has_parts ? claims(problem, voxel, side) : std::pair(boundary_at(problem, voxel, side), -1);
      if (b < 0) return;
      met[at(parts.of_run[n])] |= std::uint64_t{1} << b;
      ++faces[at(b)];
      if (other >= 0) both = {std::min(b, other), std::max(b, other)};
    };
    for (int side = 0; side < 6; ++side) {
      const int axis = side / 2;
      const std::int64_t plane = side % 2 == 0 ? 0 : problem.where.domain[axis] - 1;
      if (axis == 2) {
        if (plane >= first.x && plane < first.x + runs[n].length) visit({first.z, first.y, plane}, side);
      } else if (first[axis] == plane) {
        for (std::int32_t x = 0; x < runs[n].length; ++x) visit(first + index3{0, 0, x}, side);
      }
    }
  }
  for (const solid_face& f : solid.faces)
    if (f.boundary >= 0) {
      met[at(parts.of_run[run_of_cell(runs, f.cell)])] |= std::uint64_t{1} << f.boundary;
      ++faces[at(f.boundary)];
    }
  if (solid.both[0] >= 0) both = {std::min(solid.both[0], solid.both[1]), std::max(solid.both[0], solid.both[1])};
  const MPI_Comm comm = problem.where.comm;
  comm::all_reduce(comm, met.data(), met.size(), MPI_BOR);
  comm::all_reduce(comm, faces.data(), faces.size(), MPI_SUM);
  comm::all_reduce(comm, both.data(), both.size(), MPI_MAX);
  if (both[0] >= 0)
    throw usage_error(fmt::format("{} and {} overlap on a voxel face; select disjoint parts",
                                  problem.boundaries[at(both[0])].name, problem.boundaries[at(both[1])].name));
  return met;
}

// Number of voxels of each part on all ranks.
std::vector<std::int64_t> sizes_of(const through_problem& problem, const numbered_parts& parts) {
  std::vector<std::int64_t> size(at(parts.count));
  const auto runs = problem.cells.runs();
  for (std::size_t n = 0; n < runs.size(); ++n) size[at(parts.of_run[n])] += runs[n].length;
  comm::all_reduce(problem.where.comm, size.data(), size.size(), MPI_SUM);
  return size;
}

// Flow rate through a face of an opening [mm3/s].
double rate_of(const through_problem& problem, const opening_face& f) {
  const auto& across = kernel::axes_across[at(f.side / 2)];
  return f.velocity_mm_per_s * problem.spacing_mm[static_cast<int>(across[0])] *
         problem.spacing_mm[static_cast<int>(across[1])];
}

// Balance the given velocities of each part without an outlet. The sum of the flow rates must be zero within the tolerance.
// The remaining difference is added to the opening with the highest flow rate. @throws usage_error if the sum is not zero
// within the tolerance
void balance_velocities(const through_problem& problem, const std::vector<std::int32_t>& free_number, double tolerance,
                        through_outline& result) {
  std::vector<double> net(free_number.size()), gross(net.size());
  for (const opening_face& f : result.velocities) {
    const double rate = rate_of(problem, f);
    net[at(f.part)] += rate;
    gross[at(f.part)] += std::abs(rate);
  }
  for (std::size_t p = 0; p < net.size(); ++p) {
    constexpr double rounding = 1e-12;
    if (free_number[p] < 0 || std::abs(net[p]) <= rounding * gross[p]) continue;
    const double inflow = gross[p] / 2, share = std::abs(net[p]) / inflow;
    if (share > tolerance)
      throw usage_error(
          fmt::format("the prescribed inflow exceeds the outflow by {:.6g} mm3/s ({:.2g} of the inflow; the limit is {:g}, "
                      "the flow tolerance) in a part of the fluid without an outlet; prescribe a pressure at one opening of "
                      "this part, or make it an outlet",
                      net[p], share, tolerance));
    std::vector<double> rate(problem.boundaries.size());
    const auto is_in_part = [&](const opening_face& f) { return at(f.part) == p && f.boundary >= 0; };
    for (const opening_face& f : result.velocities)
      if (is_in_part(f)) rate[at(f.boundary)] += rate_of(problem, f);
    const auto largest =
        std::max_element(rate.begin(), rate.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    const auto b = static_cast<std::size_t>(largest - rate.begin());
    const double used = *largest - net[p];
    for (opening_face& f : result.velocities)
      if (is_in_part(f) && at(f.boundary) == b) f.velocity_mm_per_s *= used / *largest;
    if (constexpr double least_reported = 1e-9; share > least_reported) result.balanced.push_back({b, *largest, used});
  }
}

}  // namespace

through_outline validate_conditions(const through_problem& problem, const through_options& options) {
  const MPI_Comm comm = problem.where.comm;
  comm::collectively(comm, [&] { check_conditions(problem, options); });
  through_outline result;
  result.counts.voxels = problem.where.domain.volume();
  result.counts.fluid = problem.cells.size();
  result.counts.fluid = comm::sum_over_ranks(comm, result.counts.fluid);
  if (result.counts.fluid == 0)
    throw data_error(fmt::format("none of the {} voxels is fluid; select other labels for the fluid", result.counts.voxels));
  result.parts = number_flow_parts(problem.where, problem.cells, problem.periodic);
  result.counts.parts = result.parts.count;
  std::vector<std::int64_t> faces;
  solid_faces solid;
  if (problem.has_labels()) solid = find_solid_faces(problem, problem.cells);
  const std::vector<std::uint64_t> met = find_conditions(problem, result.parts, solid, faces);

  std::uint64_t velocity = 0, pressure = 0, sliding = 0;
  for (std::size_t b = 0; b < problem.boundaries.size(); ++b) {
    const flow_boundary& boundary = problem.boundaries[b];
    const std::uint64_t bit = std::uint64_t{1} << b;
    if (boundary.gives_velocity() && boundary.value != 0) velocity |= bit;
    if (boundary.gives_pressure()) pressure |= bit;
    if (boundary.kind == face_flow::wall && boundary.slide_mm_per_s != vector3{}) sliding |= bit;
    const bool does_something = ((velocity | pressure | sliding) & bit) != 0;
    if (boundary.is_inside && faces[b] == 0)
      throw data_error(fmt::format(
          "{} has no voxel face in common with the fluid; select another label or part of the image, or other fluid voxels",
          boundary.name));
    if (does_something && faces[b] == 0)
      throw data_error(
          fmt::format("{} contains no fluid on its part of the face; select another face or part, or other fluid voxels",
                      boundary.name));
  }

  // A pocket is a part that has one opening with a given velocity, and no pressure. Inflow into a pocket is impossible.
  std::vector<std::int32_t> free_number(at(result.parts.count), -1);
  std::vector<bool> flows(at(result.parts.count));
  std::uint64_t leads = 0, met_pocket = 0;
  // bits of the axes with a pressure drop over their period, and bits of the axes with a percolating part
  unsigned driven = 0, led = 0;
  for (std::size_t a = 0; a < 3; ++a)
    if (problem.period_drop_Pa[a] != 0 || problem.period_rate_mm3_per_s[a]) driven |= 1U << a;
  const std::vector<std::int64_t> size = problem.is_buoyant ? sizes_of(problem, result.parts) : std::vector<std::int64_t>{};
  for (std::size_t p = 0; p < met.size(); ++p) {
    const int given = std::popcount(met[p] & velocity), pressures = std::popcount(met[p] & pressure);
    flows[p] = (met[p] & sliding) != 0 || given + pressures >= 2 || (result.parts.winds[p] & driven) != 0 ||
               (problem.is_buoyant && size[p] > 1);
    led |= result.parts.winds[p] & driven;
    result.counts.flowing_parts += flows[p];
    if (given + pressures >= 2) leads |= met[p];
    if (flows[p] && pressures == 0) free_number[p] = result.free_parts++;
    if (flows[p] && given == 1 && pressures == 0) met_pocket |= met[p] & velocity;
  }
  for (std::size_t b = 0; b < problem.boundaries.size(); ++b)
    if ((velocity >> b & 1) != 0 && ((leads >> b & 1) == 0 || (met_pocket >> b & 1) != 0))
      throw usage_error(
          fmt::format("{} prescribes a velocity, but no path of fluid connects it to another opening; make another face an "
                      "outlet, and check the selection of fluid voxels",
                      problem.boundaries[b].name));
  for (std::size_t a = 0; a < 3; ++a)
    if (((driven & ~led) >> a & 1) != 0)
      throw data_error(
          fmt::format("periodic axis {0}: none of the {1} parts of the fluid connects one period to the next, so that the "
                      "flow rate is 0; check that opposite faces match, and check the selection of fluid voxels",
                      "zyx"[a], result.parts.count));
  if (result.counts.flowing_parts == 0)
    throw data_error(problem.is_buoyant ? fmt::format("all {} parts of the fluid are single voxels, so that the fluid is at "
                                                      "rest; check the selection of fluid voxels",
                                                      result.parts.count)
                     : pressure != 0
                         ? fmt::format("none of the {} parts of the fluid connects two openings, so that the fluid is at "
                                       "rest; check the image, the faces of the openings, and the selection of fluid voxels",
                                       result.parts.count)
                         : "no driving force: no velocity, pressure difference between openings, pressure drop over a "
                           "period or sliding wall is prescribed");

  result.velocities = find_opening_velocities(problem, result.parts, flows, solid.faces);
  balance_velocities(problem, free_number, options.tolerance, result);

  const auto runs = problem.cells.runs();
  for (std::size_t n = 0; n < runs.size(); ++n) {
    const std::size_t p = at(result.parts.of_run[n]);
    result.keep.push_back(flows[p]);
    if (flows[p]) result.counts.flowing += runs[n].length;
    if (result.free_parts > 0) result.free_part.push_back(free_number[p]);
  }
  comm::all_reduce(comm, &result.counts.flowing, 1, MPI_SUM);
  return result;
}

}  // namespace osteon::physics
