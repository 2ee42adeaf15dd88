#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <osteon/physics/flow/solver/stokes/wall_surface.hpp>
#include <osteon/physics/flow/solver/transport/transport_solver.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

void check_locally(const temperature_problem& problem) {
  fault_list expect;
  expect(problem.heat_capacity_J_per_mm3K > 0 && std::isfinite(problem.heat_capacity_J_per_mm3K),
         fmt::format("fluid heat capacity {} J/(mm3 K) must be positive", problem.heat_capacity_J_per_mm3K));
  expect(problem.incoming_K.size() == problem.openings.size(),
         fmt::format("{} temperatures do not match {} flow conditions; give one optional temperature per condition",
                     problem.incoming_K.size(), problem.openings.size()));
  for (std::size_t n = 0; n < problem.incoming_K.size() && n < problem.openings.size(); ++n) {
    const auto& incoming = problem.incoming_K[n];
    expect(!incoming || std::isfinite(*incoming),
           fmt::format("{}: temperature {} K must be finite", problem.openings[n].name, incoming.value_or(0)));
    const flow_boundary& b = problem.openings[n];
    expect(incoming || !b.gives_velocity() || !(b.value > 0),
           fmt::format("{}: inflow without a temperature; set temperature_K", b.name));
  }
  for (std::size_t n = 0; n < problem.conditions.size(); ++n) {
    const heat_boundary& c = problem.conditions[n];
    expect(std::isfinite(c.heat.temperature_K) && std::isfinite(c.heat.flux_W_per_mm2),
           fmt::format("{}: temperature {} K and flux {} W/mm2 must be finite", c.place.name, c.heat.temperature_K,
                       c.heat.flux_W_per_mm2));
    expect(
        c.heat.kind != thermal::convection || (c.heat.transfer_W_per_mm2K > 0 && std::isfinite(c.heat.transfer_W_per_mm2K)),
        fmt::format("{}: heat transfer coefficient {} W/(mm2 K) must be positive and finite", c.place.name,
                    c.heat.transfer_W_per_mm2K));
    for (std::size_t m = 0; m < n; ++m)
      expect(!(c.place.is_everywhere() && problem.conditions[m].place.is_everywhere() &&
               c.place.side() == problem.conditions[m].place.side()),
             fmt::format("{} and {} are thermal conditions on the same face; keep one, or select different parts",
                         c.place.name, problem.conditions[m].place.name));
  }
  expect(problem.face_velocity_mm_per_s.empty() || problem.face_velocity_mm_per_s.size() == 6 * at(problem.fluid.size()),
         fmt::format("{} face velocities do not match {} fluid voxels; pass the face velocities of solve_flow_through",
                     problem.face_velocity_mm_per_s.size(), problem.fluid.size()));
  expect(problem.source_W_per_mm3.empty() || problem.source_W_per_mm3.size() >= problem.materials.size(),
         fmt::format("{} heat sources do not match {} materials; give one heat source per material, including void",
                     problem.source_W_per_mm3.size(), problem.materials.size()));
  for (const double s : problem.source_W_per_mm3)
    expect(std::isfinite(s), fmt::format("heat source {} W/mm3 must be finite", s));
  expect.require_none();
}

// Results that are computed from the temperatures of the solver.
class heat_account {
 public:
  heat_account(const temperature_problem& problem, const transport_cells& cells, const std::vector<double>& x)
      : problem_(problem), cells_(cells), x_(x) {}

  void fill(temperature_solution& all) const {
    add_sides(all);
    add_walls(all);
    add_means(all);
    const std::array<std::int64_t, 2> faces = count_limited(cells_);
    all.limited_share = faces[0] > 0 ? static_cast<double>(faces[1]) / static_cast<double>(faces[0]) : 0;
    find_peclet(all);
    find_overshoot(all);
  }
  /// Execute the communication of `fill`. @collective
  void count_messages() const { walls(numbers_of_fluid()); }

 private:
  MPI_Comm comm() const { return cells_.grid.where.comm; }
  std::vector<double> summed(std::vector<double> own) const {
    comm::all_reduce(comm(), own.data(), own.size(), MPI_SUM);
    return own;
  }

  double conducted(const transport_side& s) const { return s.conductance * (s.beyond_K - x_[at(s.cell)]) + s.heat_W; }

  void add_sides(temperature_solution& all) const {
    const std::size_t openings = problem_.openings.size(), conditions = problem_.conditions.size();
    enum : std::size_t { passed, mixed, net, heat, values };
    std::vector<double> of_opening(values * openings), of_condition(conditions), of_face(6), whole(6);
    for (const transport_side& s : cells_.sides) {
      of_face[s.side] += conducted(s);
      if (s.condition >= 0) {
        of_condition[at(s.condition)] += conducted(s);
        continue;
      }
      const double temperature = s.brings > 0 ? s.beyond_K : x_[at(s.cell)];
      double* const own = of_opening.data() + values * at(s.opening);
      const double enters = s.brings + s.returns;
      own[passed] += enters + s.takes;
      own[mixed] += (enters + s.takes) * temperature;
      own[net] += enters - s.takes;
      own[heat] += conducted(s);
      whole[0] += enters, whole[1] += enters * temperature;
      whole[2] += s.takes, whole[3] += s.takes * temperature;
    }
    double& source = whole[4];
    for (std::size_t i = 0; i < cells_.held.size(); ++i) whole[5] += cells_.held[i] * (x_[i] - cells_.before[i]);
    if (!problem_.source_W_per_mm3.empty()) {
      const vector3 h = problem_.spacing_mm;
      for (const material_number m : problem_.material) source += h.z * h.y * h.x * problem_.source_W_per_mm3[m];
    }
    of_opening = summed(std::move(of_opening));
    all.condition_W = summed(std::move(of_condition));
    of_face = summed(std::move(of_face));
    whole = summed(std::move(whole));
    for (std::size_t n = 0; n < openings; ++n) {
      const double* const own = of_opening.data() + values * n;
      opening_heat& o = all.openings.emplace_back();
      o.mixed_K = own[passed] > 0 ? cells_.reference_K + own[mixed] / own[passed] : none;
      o.inflow_mm3_per_s = own[net] / problem_.heat_capacity_J_per_mm3K;
      o.conducted_W = own[heat];
    }
    double gross = 0, in = 0;
    for (std::size_t side = 0; side < 6; ++side) {
      all.face_inflow_W[side / 2][side % 2] = of_face[side];
      in += of_face[side];
      gross += std::abs(of_face[side]);
    }
    all.in_K = whole[0] > 0 ? cells_.reference_K + whole[1] / whole[0] : none;
    all.out_K = whole[2] > 0 ? cells_.reference_K + whole[3] / whole[2] : none;
    all.source_W = whole[4];
    all.stored_W = whole[5];
    all.carried_out_W = whole[3] - whole[1];
    gross += std::abs(whole[4]) + std::abs(whole[1]) + std::abs(whole[3]) + std::abs(whole[5]);
    const double lost = in + whole[4] - all.carried_out_W - whole[5];
    all.certificate.reaction_imbalance = gross > 0 ? std::abs(lost) / (gross / 2) : 0;
  }

  // Conductance between the centre of a fluid voxel and a face of this voxel.
  double half_conductance(std::int32_t i, std::size_t axis) const {
    return cells_.grid.face[axis] / cells_.grid.resistivity[cells_.grid.material[at(i)]];
  }

  // Sides through which heat flows into the fluid, for each number of a fluid cell.
  std::vector<std::uint8_t> heated_sides(const std::vector<std::int32_t>& number) const {
    std::vector<std::uint8_t> walls(at(problem_.fluid.size()));
    const auto add = [&](std::int32_t i, std::size_t side) {
      auto& own = walls[at(number[at(i)])];
      own = static_cast<std::uint8_t>(own | 1U << side);
    };
    visit_neighbours(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      for (std::size_t d = 0; d < 6 && cells_.is_fluid[at(i)] != 0; ++d)
        if (near[d] >= 0 && cells_.is_fluid[at(near[d])] == 0) add(i, d);
    });
    for (const transport_side& s : cells_.sides)
      if (s.condition >= 0 && cells_.is_fluid[at(s.cell)] != 0) add(s.cell, s.side);
    return walls;
  }
  // For each owned cell: number of the fluid cell, or -1 for a solid cell.
  std::vector<std::int32_t> numbers_of_fluid() const {
    std::vector<std::int32_t> numbers(at(cells_.grid.owned), -1);
    for (const voxel::run& r : problem_.fluid.runs()) {
      const std::int32_t first = problem_.cells.find(r.z, r.y, r.x);
      for (std::int32_t n = 0; n < r.length; ++n) numbers[at(first + n)] = r.first + n;
    }
    return numbers;
  }

  wall_surface walls(const std::vector<std::int32_t>& number) const {
    const comm::sent_part sends(comm(), "heat_walls");
    return {problem_.where, problem_.fluid, heated_sides(number), problem_.spacing_mm};
  }

  void add_walls(temperature_solution& all) const {
    const std::vector<std::int32_t> number = numbers_of_fluid();
    const wall_surface surface = walls(number);
    std::vector<double> sums(2);
    const auto add = [&](std::int32_t i, std::size_t side, double heat) {
      const double area = surface.area_mm2(surface.find(number[at(i)], side));
      sums[0] += heat;
      sums[1] += area * (x_[at(i)] + heat / half_conductance(i, side / 2));
    };
    visit_neighbours(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      if (cells_.is_fluid[at(i)] == 0) return;
      for (std::size_t d = 0; d < 6; ++d)
        if (const std::int32_t j = near[d]; j >= 0 && cells_.is_fluid[at(j)] == 0)
          add(i, d, cells_.conductance(i, j, d / 2) * (x_[at(j)] - x_[at(i)]));
    });
    for (const transport_side& s : cells_.sides)
      if (s.condition >= 0 && cells_.is_fluid[at(s.cell)] != 0) add(s.cell, s.side, conducted(s));
    sums = summed(std::move(sums));
    all.walls.area_mm2 = surface.total_area_mm2();
    all.walls.heat_W = sums[0];
    all.walls.mean_K = all.walls.area_mm2 > 0 ? cells_.reference_K + sums[1] / all.walls.area_mm2 : none;
  }

  void add_means(temperature_solution& all) const {
    std::vector<double> sums(4);
    std::array<double, 2> ends{-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    all.temperature_K.resize(at(cells_.grid.owned));
    for (std::size_t i = 0; i < all.temperature_K.size(); ++i) {
      const std::size_t to = cells_.is_fluid[i] != 0 ? 0 : 2;
      sums[to] += x_[i];
      ++sums[to + 1];
      ends[0] = std::max(ends[0], -x_[i]);
      ends[1] = std::max(ends[1], x_[i]);
      all.temperature_K[i] = cells_.reference_K + x_[i];
    }
    sums = summed(std::move(sums));
    comm::all_reduce(comm(), ends.data(), 2, MPI_MAX);
    all.low_K = cells_.reference_K - ends[0];
    all.high_K = cells_.reference_K + ends[1];
    const auto mean = [&](double sum, double count) { return count > 0 ? cells_.reference_K + sum / count : none; };
    all.mean_fluid_K = mean(sums[0], sums[1]);
    all.mean_solid_K = mean(sums[2], sums[3]);
    all.mean_K = mean(sums[0] + sums[2], sums[1] + sums[3]);
  }

  void find_peclet(temperature_solution& all) const {
    double highest = 0;
    visit_neighbours(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      for (std::size_t a = 0; a < 3; ++a)
        if (near[2 * a] >= 0)
          highest = std::max(highest, std::abs(cells_.flow[a][at(i)]) / cells_.conductance(i, near[2 * a], a));
    });
    for (const transport_side& s : cells_.sides)
      highest = std::max(highest, 2 * (s.brings + s.takes) / half_conductance(s.cell, s.side / 2));
    comm::all_reduce(comm(), &highest, 1, MPI_MAX);
    all.cell_peclet_number = highest;
  }

  void find_overshoot(temperature_solution& all) const {
    bool heats = false, cools = false;
    const auto add = [&](double heat) { heats = heats || heat > 0, cools = cools || heat < 0; };
    for (const double s : problem_.source_W_per_mm3) add(s);
    for (const heat_boundary& c : problem_.conditions)
      if (c.heat.kind == thermal::flux) add(c.heat.flux_W_per_mm2);
    if (!cools) all.overshoot_K = std::max(all.overshoot_K, cells_.reference_K - all.low_K);
    if (!heats) all.overshoot_K = std::max(all.overshoot_K, all.high_K - cells_.highest_K);
  }

  const temperature_problem& problem_;
  const transport_cells& cells_;
  const std::vector<double>& x_;
};

}  // namespace

void account_for_heat(const temperature_problem& problem, const transport_cells& cells, const std::vector<double>& x,
                      temperature_solution& all) {
  heat_account(problem, cells, x).fill(all);
}

void check_flow_temperature(const temperature_problem& problem) {
  check_conduction({.where = problem.where,
                    .spacing_mm = problem.spacing_mm,
                    .materials = &problem.materials,
                    .cells = problem.cells,
                    .material = problem.material});
  comm::collectively(problem.where.comm, [&] { check_locally(problem); });
}

temperature_solution solve_flow_temperature(const temperature_problem& problem, const options& solver_options,
                                            log_sink& log) {
  check_flow_temperature(problem);
  check_tolerance(solver_options);
  const stopwatch setup;
  transport_cells cells = make_transport_cells(problem, log);
  temperature_solution all;
  std::int64_t unknowns = cells.grid.owned;
  comm::all_reduce(problem.where.comm, &unknowns, 1, MPI_SUM);
  transport_solver solver(cells);
  all.certificate.setup_seconds = setup.seconds();
  if (problem.counts_messages) {
    solver.count_messages(problem.convection);
    if (problem.convection == heat_convection::limited) solver.residual_with(heat_convection::limited);
    heat_account(problem, cells, {}).count_messages();
    return all;
  }
  solver.solve(problem.convection, solver_options, all.certificate, log);
  all.certificate.unknowns = unknowns;
  account_for_heat(problem, cells, levelled(cells, solver.answer()), all);
  if (problem.convection == heat_convection::limited) all.limiter_residual = solver.residual_with(heat_convection::limited);
  return all;
}

}  // namespace osteon::physics
