#include <osteon/physics/flow/solver/transport/transport_cells.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <utility>

namespace osteon::physics {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

heat_problem conduction_of(const temperature_problem& problem) {
  return {.where = problem.where,
          .spacing_mm = problem.spacing_mm,
          .materials = &problem.materials,
          .cells = problem.cells,
          .material = problem.material};
}

// Finds the position of a voxel's face among several places.
through_problem only_places(const temperature_problem& problem, std::vector<flow_boundary> places) {
  through_problem all;
  all.where = problem.where;
  all.spacing_mm = problem.spacing_mm;
  all.boundaries = std::move(places);
  return all;
}

std::vector<flow_boundary> places_of(const std::vector<heat_boundary>& conditions) {
  std::vector<flow_boundary> places;
  for (const heat_boundary& c : conditions) places.push_back(c.place);
  return places;
}

class transport_builder {
 public:
  transport_builder(const temperature_problem& problem, transport_cells& result)
      : problem_(problem),
        result_(result),
        openings_(only_places(problem, problem.openings)),
        conditions_(only_places(problem, places_of(problem.conditions))) {}

  void run(log_sink& log) {
    if (result_.grid.size == 0) result_.grid = all_cells(conduction_of(problem_));
    const heat_cells& grid = result_.grid;
    result_.sides.clear();
    for (auto& f : result_.flow) f.assign(at(grid.size), 0);
    for (auto& w : result_.weight) w.resize(at(grid.size), 0);
    result_.loose.assign(at(grid.owned), 0);
    result_.right.assign(at(grid.owned), 0);
    result_.is_fluid.assign(at(grid.size), 0);
    result_.free_part.clear();
    result_.free_parts = 0;
    result_.level_W = 0;
    find_reference();
    const std::vector<double> high_faces = take_velocities();
    grid.links.exchange(result_.is_fluid.data());
    find_sides(high_faces);
    refuse_unknown_inflow(log);
    for (const transport_side& s : result_.sides) {
      const double held = s.conductance + s.brings;
      result_.loose[at(s.cell)] += held;
      result_.right[at(s.cell)] += held * s.beyond_K + s.heat_W;
    }
    if (!problem_.source_W_per_mm3.empty()) {
      const vector3 h = problem_.spacing_mm;
      for (std::int32_t i = 0; i < grid.owned; ++i)
        result_.right[at(i)] += h.z * h.y * h.x * problem_.source_W_per_mm3[problem_.material[at(i)]];
    }
    if (!problem_.initial_K) fix_floating_parts(log);
  }

 private:
  double area(int axis) const {
    const vector3 h = problem_.spacing_mm;
    return h.z * h.y * h.x / h[axis];
  }

  void find_reference() {
    double low = infinity, high = -infinity;
    const auto add = [&](double value) { low = std::min(low, value), high = std::max(high, value); };
    for (const auto& k : problem_.incoming_K)
      if (k) add(*k);
    for (const heat_boundary& c : problem_.conditions)
      if (c.heat.kind == thermal::temperature || c.heat.kind == thermal::convection) add(c.heat.temperature_K);
    if (problem_.initial_K) add(*problem_.initial_K);
    if (low > high) low = high = 0;
    result_.reference_K = low;
    result_.highest_K = high;
    result_.least = 0;
    result_.most = high - low;
    const auto heats = [&](double heat) {
      if (heat > 0) result_.most = infinity;
      if (heat < 0) result_.least = -infinity;
    };
    for (const double s : problem_.source_W_per_mm3) heats(s);
    for (const heat_boundary& c : problem_.conditions)
      if (c.heat.kind == thermal::flux) heats(c.heat.flux_W_per_mm2);
  }

  // Set the flow through low faces. @return outflow through the high faces of the image, for each owned cell and axis
  std::vector<double> take_velocities() {
    const heat_cells& grid = result_.grid;
    std::vector<double> high(3 * at(grid.owned));
    const bool flows = !problem_.face_velocity_mm_per_s.empty();
    for (const voxel::run& r : problem_.fluid.runs()) {
      const std::int32_t first = problem_.cells.find(r.z, r.y, r.x);
      for (std::int32_t n = 0; n < r.length; ++n) {
        const std::size_t i = at(first + n);
        result_.is_fluid[i] = 1;
        if (!flows) continue;
        const double* const u = problem_.face_velocity_mm_per_s.data() + 6 * std::ptrdiff_t{r.first + n};
        for (std::size_t a = 0; a < 3; ++a) {
          const double per_velocity = problem_.heat_capacity_J_per_mm3K * area(static_cast<int>(a));
          result_.flow[a][i] = per_velocity * u[2 * a];
          high[3 * i + a] = per_velocity * u[2 * a + 1];
        }
      }
    }
    return high;
  }

  void find_sides(const std::vector<double>& high_faces) {
    const heat_cells& grid = result_.grid;
    const index3 domain = problem_.where.domain;
    for (const voxel::run& r : problem_.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const index3 p = problem_.where.owned.begin + index3{r.z, r.y, r.x + n};
        for (int side = 0; side < 6; ++side)
          if (p[side / 2] == (side % 2 == 0 ? 0 : domain[side / 2] - 1)) {
            const std::int32_t i = r.first + n;
            const std::size_t a = at(side / 2);
            // This value is the outward flow.
            const double flow = side % 2 == 0 ? -result_.flow[a][at(i)] : high_faces[3 * at(i) + a];
            add_side(i, p, side, flow);
            if (side % 2 == 0) result_.flow[a][at(i)] = 0;  // the list of sides already contains this flow
          }
      }
    for (auto& f : result_.flow) grid.links.exchange(f.data());
  }

  void add_side(std::int32_t i, index3 voxel, int side, double flow) {
    const heat_cells& grid = result_.grid;
    const std::size_t axis = at(side / 2);
    const double half = grid.face[axis] / grid.resistivity[grid.material[at(i)]];  // conductance between centre and face
    transport_side s;
    s.cell = i;
    s.side = static_cast<std::uint8_t>(side);
    const int opening = result_.is_fluid[at(i)] != 0 ? boundary_at(openings_, voxel, side) : -1;
    if (opening >= 0 &&
        (problem_.openings[at(opening)].gives_velocity() || problem_.openings[at(opening)].gives_pressure())) {
      s.opening = static_cast<std::int16_t>(opening);
      const bool rests = flow == 0 && problem_.holds_at_rest && problem_.incoming_K[at(opening)].has_value();
      if (flow < 0 || rests) {
        s.brings = -flow;
        if (const auto& incoming = problem_.incoming_K[at(opening)]) {
          if (problem_.conducts_through_openings) s.conductance = half;
          s.beyond_K = *incoming - result_.reference_K;
        } else {
          unknown_inflow_ += s.brings;
          unknown_opening_ = std::max(unknown_opening_, opening);
          s.returns = std::exchange(s.brings, 0.0);
        }
        inflow_ -= flow;
      } else {
        s.takes = flow;
      }
      result_.sides.push_back(s);
      return;
    }
    const int condition = boundary_at(conditions_, voxel, side);
    if (condition < 0) return;
    const face_condition& heat = problem_.conditions[at(condition)].heat;
    if (heat.kind == thermal::insulated) return;
    s.condition = static_cast<std::int16_t>(condition);
    s.beyond_K = heat.kind == thermal::flux ? 0 : heat.temperature_K - result_.reference_K;
    if (heat.kind == thermal::flux)
      s.heat_W = heat.flux_W_per_mm2 * area(static_cast<int>(axis));
    else if (heat.kind == thermal::temperature)
      s.conductance = half;
    else
      s.conductance = 1 / (1 / half + 1 / (heat.transfer_W_per_mm2K * area(static_cast<int>(axis))));
    result_.sides.push_back(s);
  }

  // A small backflow through an outlet is permitted. @throws usage_error for other inflow of unknown temperature @collective
  void refuse_unknown_inflow(log_sink& log) {
    std::array<double, 2> sums{unknown_inflow_, inflow_};
    comm::all_reduce(problem_.where.comm, sums.data(), sums.size(), MPI_SUM);
    comm::all_reduce(problem_.where.comm, &unknown_opening_, 1, MPI_MAX);
    if (sums[0] == 0) return;
    constexpr double little = 0.01;
    const std::string& name = problem_.openings[at(unknown_opening_)].name;
    if (problem_.may_return) return;
    if (sums[0] > little * sums[1])
      throw usage_error(fmt::format("{}: inflow ({:.2g} % of the total) without a temperature; set temperature_K", name,
                                    100 * sums[0] / sums[1]));
    log.warn(fmt::format("{}: backflow of {:.2g} % of the inflow without temperature_K; the local temperature is used", name,
                         100 * sums[0] / sums[1]));
  }

  // Set the temperature of parts with an undetermined level to the mean of the lowest and the highest given temperature.
  // @throws usage_error @collective
  void fix_floating_parts(log_sink& log) {
    const numbered_parts parts = number_flow_parts(problem_.where, problem_.cells);
    constexpr unsigned char is_held = 1, is_heated = 2;
    std::vector<unsigned char> known(at(parts.count));
    const auto runs = problem_.cells.runs();
    std::vector<std::int32_t> part_of(at(result_.grid.owned));
    for (std::size_t n = 0; n < runs.size(); ++n)
      std::fill_n(part_of.begin() + runs[n].first, runs[n].length, parts.of_run[n]);
    for (std::int32_t i = 0; i < result_.grid.owned; ++i) {
      unsigned char& own = known[at(part_of[at(i)])];
      if (result_.loose[at(i)] > 0)
        own |= is_held;
      else if (result_.right[at(i)] != 0)
        own |= is_heated;
    }
    comm::all_reduce(problem_.where.comm, known.data(), known.size(), MPI_BOR);
    std::int64_t held = 0;
    for (std::int32_t i = 0; i < result_.grid.owned; ++i) held += (known[at(part_of[at(i)])] & is_held) != 0;
    comm::all_reduce(problem_.where.comm, &held, 1, MPI_SUM);
    std::vector<bool> is_free(known.size());
    for (std::size_t p = 0; p < known.size(); ++p) is_free[p] = known[p] == is_heated;
    const bool has_free = std::find(is_free.begin(), is_free.end(), true) != is_free.end();
    if (has_free) level_free_parts(part_of, is_free, log);
    if (held == 0 && !has_free)
      throw usage_error(
          "no condition prescribes a temperature; set temperature_K for an inflow, or add a face with kind = "
          "\"temperature\" or \"convection\"");
    const heat_cells& grid = result_.grid;
    const double middle = 0.5 * (result_.highest_K - result_.reference_K);
    for (std::int32_t i = 0; i < grid.owned; ++i)
      if (known[at(part_of[at(i)])] == 0) {
        // The value is arbitrary, because no heat flows.
        const double coupling = grid.face[0] / (2 * grid.resistivity[grid.material[at(i)]]);
        result_.loose[at(i)] = coupling;
        result_.right[at(i)] = coupling * middle;
      }
  }

  // Fluxes and sources may heat a part without a condition. Such a part has a steady temperature if this heat is balanced.
  // The temperature then contains an undetermined constant. @throws usage_error if the heat is not balanced @collective
  void level_free_parts(const std::vector<std::int32_t>& part_of, const std::vector<bool>& is_free, log_sink& log) {
    const heat_cells& grid = result_.grid;
    const std::size_t count = is_free.size();
    std::vector<double> sums(3 * count);
    std::vector<int> owner(count, comm::size(problem_.where.comm));
    for (std::int32_t i = 0; i < grid.owned; ++i) {
      const std::size_t p = at(part_of[at(i)]);
      sums[3 * p] += result_.right[at(i)];
      sums[3 * p + 1] += std::abs(result_.right[at(i)]);
      ++sums[3 * p + 2];
      owner[p] = comm::rank(problem_.where.comm);
    }
    comm::all_reduce(problem_.where.comm, sums.data(), sums.size(), MPI_SUM);
    comm::all_reduce(problem_.where.comm, owner.data(), owner.size(), MPI_MIN);
    constexpr double balanced = 1e-6, rounding = 1e-12;
    double trapped = 0, net = 0, cells = 0, worst = 0;
    std::vector<std::int32_t> number(count, -1);
    result_.free_parts = 0;
    for (std::size_t p = 0; p < count; ++p) {
      if (!is_free[p]) continue;
      const double share = std::abs(sums[3 * p]) / (sums[3 * p + 1] / 2);
      if (share > balanced) trapped += sums[3 * p + 2], net += sums[3 * p];
      worst = std::max(worst, share);
      cells += sums[3 * p + 2];
      number[p] = result_.free_parts++;
    }
    if (trapped > 0)
      throw usage_error(
          fmt::format("{:.0f} voxels receive {:.4g} W by fluxes and sources and cannot release it: they are not connected "
                      "to an inflow of prescribed temperature or to a face with kind = \"temperature\" or \"convection\"; "
                      "add such a condition, or balance fluxes and sources to {:g}",
                      trapped, net, balanced));
    const double middle = 0.5 * (result_.highest_K - result_.reference_K);
    log.warn(fmt::format(
        "no condition prescribes the temperature level of {:.0f} voxels, and their fluxes and sources balance{}; the mean "
        "temperature of each connected part is set to {:g} K",
        cells,
        worst > rounding
            ? fmt::format(" to {:.2g} of the supplied heat (the remainder is removed evenly from the voxels)", worst)
            : "",
        result_.reference_K + middle));
    result_.free_part.assign(at(grid.owned), -1);
    for (std::int32_t i = 0; i < grid.owned; ++i) {
      const std::size_t p = at(part_of[at(i)]);
      if (number[p] < 0) continue;
      result_.free_part[at(i)] = number[p];
      if (std::abs(sums[3 * p]) > rounding * sums[3 * p + 1]) result_.right[at(i)] -= sums[3 * p] / sums[3 * p + 2];
      if (owner[p] != comm::rank(problem_.where.comm)) continue;
      owner[p] = -1;  // only the first cell of the part is fixed
      const double coupling = grid.face[0] / (2 * grid.resistivity[grid.material[at(i)]]);
      result_.loose[at(i)] += coupling;
      result_.right[at(i)] += coupling * middle;
      result_.level_W += coupling * middle;
    }
  }

  const temperature_problem& problem_;
  transport_cells& result_;
  through_problem openings_, conditions_;
  double unknown_inflow_ = 0, inflow_ = 0;
  int unknown_opening_ = -1;
};

// The weight of the hybrid scheme at the low face of cell i. The face must have flow.
double weight_without_oscillation(const transport_cells& cells, std::int32_t i, std::int32_t j, std::size_t axis) {
  return 0.5 * std::min(1.0, 2 * cells.conductance(i, j, axis) / std::abs(cells.flow[axis][at(i)]));
}

// Fraction of central differences on a face by van Leer's limiter, from 0 to 1. The limiter is a function of a ratio: the
// change of temperature across the upstream face divided by the change across the face. [vanLeer1974] @param noise square of
// a change that is ignored
double limiter(double before, double own, double noise) {
  const double product = before * own + noise;
  return product <= 0 ? 0 : std::min(1.0, 2 * product / (own * own + product + noise));
}

}  // namespace

transport_cells make_transport_cells(const temperature_problem& problem, log_sink& log) {
  transport_cells cells;
  transport_builder(problem, cells).run(log);
  return cells;
}

std::vector<double> levelled(const transport_cells& cells, std::vector<double> x) {
  if (cells.free_parts == 0) return x;
  std::vector<double> sums(2 * at(cells.free_parts));
  for (std::size_t i = 0; i < cells.free_part.size(); ++i)
    if (const std::int32_t p = cells.free_part[i]; p >= 0) sums[2 * at(p)] += x[i], ++sums[2 * at(p) + 1];
  comm::all_reduce(cells.grid.where.comm, sums.data(), sums.size(), MPI_SUM);
  const double middle = 0.5 * (cells.highest_K - cells.reference_K);
  for (std::size_t i = 0; i < cells.free_part.size(); ++i)
    if (const std::int32_t p = cells.free_part[i]; p >= 0) x[i] += middle - sums[2 * at(p)] / sums[2 * at(p) + 1];
  cells.grid.links.exchange(x.data());
  return x;
}

void take_velocities(const temperature_problem& problem, transport_cells& cells, log_sink& log) {
  transport_builder(problem, cells).run(log);
}

void set_weights(transport_cells& cells, heat_convection solver_options, const double* x, double taken) {
  const heat_cells& grid = cells.grid;
  const auto flows = [&](std::size_t axis) {
    return std::any_of(cells.flow[axis].begin(), cells.flow[axis].end(), [](double f) { return f != 0; });
  };
  double noise = 0;
  if (solver_options == heat_convection::limited) {
    constexpr double of_range = 1e-4;
    std::array<double, 2> ends{-infinity, -infinity};
    for (std::int32_t i = 0; i < grid.owned; ++i) ends = {std::max(ends[0], x[i]), std::max(ends[1], -x[i])};
    comm::all_reduce(grid.where.comm, ends.data(), 2, MPI_MAX);
    noise = of_range * (ends[0] + ends[1]);
    noise *= noise;
  }
  std::vector<double> below, above;  // change of temperature from the neighbour below, and to the neighbour above
  for (std::size_t axis = 0; axis < 3; ++axis) {
    int some = flows(axis) ? 1 : 0;
    comm::all_reduce(grid.where.comm, &some, 1, MPI_MAX);
    if (some == 0) continue;
    if (solver_options == heat_convection::limited) {
      below.assign(at(grid.size), 0);
      above.assign(at(grid.size), 0);
      visit_neighbours_in_parallel(grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
        if (const std::int32_t j = near[2 * axis]; j >= 0) below[at(i)] = x[i] - x[j];
        if (const std::int32_t j = near[2 * axis + 1]; j >= 0) above[at(i)] = x[j] - x[i];
      });
      for (const transport_side& s : cells.sides)
        if (at(s.side / 2) == axis && s.brings > 0) {
          const double change = 2 * (x[s.cell] - s.beyond_K);  // this change corresponds to a whole voxel
          if (s.side % 2 == 0)
            below[at(s.cell)] = change;
          else
            above[at(s.cell)] = -change;
        }
      grid.links.exchange(below.data());
    }
    visit_neighbours_in_parallel(grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      const std::int32_t j = near[2 * axis];
      const double flow = cells.flow[axis][at(i)];
      if (j < 0 || flow == 0) return;
      double share = 1;
      if (solver_options != heat_convection::central)
        share = std::min(1.0, 2 * cells.conductance(i, j, axis) / std::abs(flow));
      const double least = 0.5 * share;  // the non-oscillating weight
      if (!cells.pinned[axis].empty() && cells.pinned[axis][at(i)] != 0) {
        cells.weight[axis][at(i)] = static_cast<float>(least);
        return;
      }
      if (solver_options == heat_convection::limited && share < 1) {
        const double change = x[i] - x[j];
        share = std::max(share, limiter(flow > 0 ? below[at(j)] : above[at(i)], change, noise));
      }
      float& weight = cells.weight[axis][at(i)];
      const double mixed = static_cast<double>(weight) + taken * (0.5 * share - static_cast<double>(weight));
      weight = static_cast<float>(std::max(least, mixed));
    });
    grid.links.exchange(cells.weight[axis].data());
  }
}

double pin_faces_beyond_bounds(transport_cells& cells, const double* x) {
  const heat_cells& grid = cells.grid;
  double worst = 0;
  std::vector<std::uint8_t> is_beyond(at(grid.size));
  for (std::int32_t i = 0; i < grid.size; ++i) {
    const double beyond = std::max(cells.least - x[i], x[i] - cells.most);
    is_beyond[at(i)] = beyond > 0;
    if (i < grid.owned) worst = std::max(worst, beyond);
  }
  comm::all_reduce(grid.where.comm, &worst, 1, MPI_MAX);
  if (!(worst > 0)) return 0;
  const comm::sent_part sends(grid.where.comm, "heat_pins");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cells.pinned[axis].resize(at(grid.size));
    visit_neighbours_in_parallel(grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      const std::int32_t j = near[2 * axis];
      if (j < 0) return;
      const double flow = cells.flow[axis][at(i)];
      if (!(flow > 0 && is_beyond[at(j)] != 0) && !(flow < 0 && is_beyond[at(i)] != 0)) return;
      cells.pinned[axis][at(i)] = 1;
      cells.weight[axis][at(i)] = static_cast<float>(weight_without_oscillation(cells, i, j, axis));
    });
    grid.links.exchange(cells.weight[axis].data());
  }
  return worst;
}

std::array<std::int64_t, 2> count_limited(const transport_cells& cells) {
  std::array<std::int64_t, 2> counts{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::int32_t i = 0; i < cells.grid.owned; ++i)
      if (cells.flow[axis][at(i)] != 0) {
        ++counts[0];
        constexpr float central = 0.499F;
        counts[1] += cells.weight[axis][at(i)] < central;
      }
  comm::all_reduce(cells.grid.where.comm, counts.data(), 2, MPI_SUM);
  return counts;
}

}  // namespace osteon::physics
