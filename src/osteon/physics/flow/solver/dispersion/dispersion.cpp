#include <osteon/physics/flow/solver/dispersion/dispersion.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/flow/solver/transport/transport_solver.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

// The sample, and its mirror image behind the high face of the flow axis. Together, the sample and its mirror image are
// periodic along this axis. The flow is normal to the planes between the sample and the mirror image. In the mirror image,
// the flow enters at the mirrored outlet, and leaves at the mirrored inlet.
struct mirrored_sample {
  grid::block where;     ///< block of the doubled box; along the axis, each rank has twice as many voxels
  voxel::run_set cells;  ///< cells of where.owned
  std::vector<double> face_velocity_mm_per_s;  ///< face velocities in the format of flow_direction
};

// A voxel of the doubled box, with the velocities on its faces.
struct carrying_voxel {
  std::array<std::int32_t, 3> place{};
  std::array<double, 6> velocity{};
};

bool comes_before(const carrying_voxel& a, const carrying_voxel& b) { return a.place < b.place; }

// Return the block in which all boxes are doubled along an axis.
grid::block twice_as_long(const grid::block& where, int axis) {
  index3 domain = where.domain;
  domain[axis] *= 2;
  std::vector<grid::box_tree::cut> cuts(where.boxes->cuts().begin(), where.boxes->cuts().end());
  for (grid::box_tree::cut& c : cuts)
    if (c.along == axis) c.position *= 2;
  return grid::make_block(where.comm, grid::box_tree(domain, std::move(cuts)));
}

// Mirror a voxel along the axis of the flow. Faces normal to the axis are exchanged. Velocities along the plane of the
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

// Send the voxels to their owners. The result has the order of the positions.
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

// @param keep for each run of problem.cells: true if the fluid of the run flows @collective on problem.where.comm
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

// The closure problem on the flowing cells. The velocities are those for the Peclet number 1.
class closure {
 public:
  closure(const dispersion_problem& problem, std::int64_t& flowing, double& mean_velocity) : problem_(problem) {
    const auto bit = static_cast<std::uint8_t>(1U << static_cast<int>(problem.along));
    const flow_parts parts = find_flow_parts(problem.where, problem.cells, !problem.is_mirrored, bit);
    if (parts.flowing_parts > 1)
      throw data_error(
          fmt::format("{} separate parts of the fluid flow through the sample without exchange, so that a common dispersion "
                      "does not exist; use a sample in which these parts are connected",
                      parts.flowing_parts));
    if (parts.flowing_parts == 0) throw data_error("dispersion is undefined: no path of fluid crosses the sample");
    std::vector<bool> keep;
    for (const std::uint8_t t : parts.through) keep.push_back((t & bit) != 0);
    if (problem.is_mirrored) {
      const mirrored_sample both = mirror_along_flow(problem, keep);
      std::array<bool, 3> periodic{};
      periodic[at(static_cast<int>(problem.along))] = true;
      take_cells(both.where, both.cells, periodic, both.cells, both.face_velocity_mm_per_s);
      find_sides();
    } else {
      std::vector<voxel::run> runs;
      for (std::size_t n = 0; n < keep.size(); ++n)
        if (keep[n]) runs.push_back(problem.cells.runs()[n]);
      take_cells(problem.where, {problem.cells.shape(), std::move(runs)}, {true, true, true}, problem.cells,
                 problem.face_velocity_mm_per_s);
    }
    find_means();
    flowing = cells_count_;
    mean_velocity = mean_velocity_;
  }

  // @return tensor for a Peclet number
  dispersion_tensor solve(double peclet, const options& solver_options, log_sink& log) {
    dispersion_tensor result;
    result.peclet_number = peclet;
    const double scale = mean_velocity_ != 0 ? peclet / std::abs(mean_velocity_) : 0;
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t i = 0; i < unit_flow_[a].size(); ++i) transport_.flow[a][i] = scale * unit_flow_[a][i];
      mean_[a] = scale * unit_mean_[a];
      for (const double f : transport_.flow[a])
        result.cell_peclet_number = std::max(result.cell_peclet_number, std::abs(f) / conductance(a));
    }
    comm::all_reduce(comm(), &result.cell_peclet_number, 1, MPI_MAX);
    std::array<std::array<double, 3>, 3> tensor{};
    std::vector<solve_certificate> certificates;
    std::optional<transport_solver> solver;
    for (std::size_t j = 0; j < 3; ++j) {
      solve_certificate& certificate = certificates.emplace_back();
      if (!solver || problem_.is_mirrored) {
        fix_level(j);
        solver.emplace(transport_);  // if the axes differ only in their right-hand sides, one set-up is sufficient
      }
      solver->restart();
      if (constexpr double rounding = 1e-11; set_right_side(j) > rounding)
        solver->solve(heat_convection::central, solver_options, certificate, log);
      else
        certificate.converged = true;  // without a velocity fluctuation along this axis, b = 0
      certificate.unknowns = cells_count_;
      const std::array<double, 3> column = column_of(j, solver->answer());
      for (std::size_t i = 0; i < 3; ++i) tensor[i][j] = column[i];
      result.from_gradients[j] = from_gradients(j, solver->answer());
      // smallest divisor of the error relative to the diffusivity; needed for nearly closed axes
      constexpr double hardly = 0.01;
      certificate.energy_identity_error =
          std::abs(result.from_gradients[j] - tensor[j][j]) / std::max(std::abs(tensor[j][j]), hardly);
      certificate.reaction_imbalance = 0;
    }
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) result.over_diffusivity[i][j] = (tensor[i][j] + tensor[j][i]) / 2;
    result.certificate = joint_certificate(certificates);
    return result;
  }

 private:
  MPI_Comm comm() const { return transport_.grid.where.comm; }
  double edge(std::size_t axis) const { return problem_.spacing_mm[static_cast<int>(axis)]; }
  // Conductance of a face between two voxels. The conductance is area / distance for a diffusivity of 1 in the units of
  // `flow`.
  double conductance(std::size_t axis) const { return transport_.grid.face[axis] / (2 * resistivity_); }
  // A face of a cell that is on a side of a mirrored sample.
  struct side {
    std::int32_t cell;
    std::uint8_t number;  // side of the cell, 2 axis + (1 on the high side)
  };
  static double outwards(const side& s) { return s.number % 2 == 0 ? -1 : 1; }

  // @param cells flowing cells @param all all cells with velocities, whose shape is (all, 6)
  void take_cells(const grid::block& where, voxel::run_set cells, std::array<bool, 3> periodic, const voxel::run_set& all,
                  const std::vector<double>& velocity) {
    flow_cells numbered;
    numbered.numbers = std::move(cells);
    set_grid(numbered, where, problem_.spacing_mm, periodic);
    transport_.grid = std::move(numbered.grid);
    const heat_cells& grid = transport_.grid;
    cells_count_ = grid.owned;
    comm::all_reduce(comm(), &cells_count_, 1, MPI_SUM);
    resistivity_ = grid.resistivity.at(1);
    for (auto& f : unit_flow_) f.assign(at(grid.size), 0);
    for (const voxel::run& r : numbered.numbers.runs()) {
      const std::int32_t from = all.find(r.z, r.y, r.x);
      for (std::int32_t n = 0; n < r.length; ++n)
        for (std::size_t a = 0; a < 3; ++a) unit_flow_[a][at(r.first + n)] = velocity[6 * at(from + n) + 2 * a];
    }
    for (auto& f : unit_flow_) grid.links.exchange(f.data());
    for (auto& w : transport_.weight) w.assign(at(grid.size), 0);
    for (auto& f : transport_.flow) f.assign(at(grid.size), 0);
    transport_.right.assign(at(grid.owned), 0);
    transport_.is_fluid.assign(at(grid.size), 1);
    numbers_ = std::move(numbered.numbers);
  }

  // Find the faces of cells on the sides of a mirrored sample, for each axis across the flow.
  void find_sides() {
    const grid::block& where = transport_.grid.where;
    for (const voxel::run& r : numbers_.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const index3 p = where.owned.begin + index3{r.z, r.y, r.x + n};
        for (int a = 0; a < 3; ++a)
          for (const bool high : {false, true})
            if (a != static_cast<int>(problem_.along) && p[a] == (high ? where.domain[a] - 1 : 0))
              sides_[at(a)].push_back({r.first + n, static_cast<std::uint8_t>(2 * a + high)});
      }
  }

  // In a solution for axis j, b is odd and therefore zero on the sides. Other solutions contain an undetermined constant.
  // The value in one cell is therefore fixed. The sum of all other terms is zero. The flux through the faces of the fixed
  // cell is therefore zero.
  void fix_level(std::size_t j) {
    transport_.loose.assign(at(transport_.grid.owned), 0);
    transport_.sides.clear();
    for (const side& s : sides_[j]) {
      transport_side& face = transport_.sides.emplace_back();
      face.cell = s.cell;
      face.side = s.number;
      face.conductance = 2 * conductance(j);
      face.heat_W = conductance(j) * outwards(s) * edge(j);
      transport_.loose[at(s.cell)] += face.conductance;
    }
    std::int64_t fixed = std::ssize(sides_[j]);
    comm::all_reduce(comm(), &fixed, 1, MPI_SUM);
    if (fixed > 0) return;
    int first_rank = transport_.grid.owned > 0 ? comm::rank(comm()) : comm::size(comm());
    comm::all_reduce(comm(), &first_rank, 1, MPI_MIN);
    if (first_rank == comm::rank(comm())) transport_.loose.front() = conductance(0) + conductance(1) + conductance(2);
  }

  // Convert velocities to heat capacity flows at the Peclet number 1. The conductivity is u A / (U length) with the mean
  // velocity U.
  void find_means() {
    std::array<double, 3> sums{};
    visit_neighbours(transport_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      for (std::size_t a = 0; a < 3; ++a)
        if (near[2 * a] >= 0) sums[a] += unit_flow_[a][at(i)];
    });
    sums = sum_of_ranks(comm(), sums);
    mean_velocity_ = sums[at(static_cast<int>(problem_.along))] / static_cast<double>(cells_count_);
    for (std::size_t a = 0; a < 3; ++a) {
      const double to_flow = conductance(a) * edge(a) / problem_.length_mm;
      unit_mean_[a] = to_flow * sums[a] / static_cast<double>(cells_count_) * edge(a);
      for (double& f : unit_flow_[a]) f *= to_flow;
    }
  }

  // Set the right-hand side of each voxel. The terms are mean(u) - u, and the walls normal to x_j. mean_ is the mean of flow
  // times edge.
  // @return mean magnitude of the right-hand side, relative to a wall in each voxel
  double set_right_side(std::size_t j) {
    std::array<double, 1> size{};
    visit_neighbours(transport_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      double sum = mean_[j];
      for (const std::size_t d : {2 * j, 2 * j + 1}) {
        if (near[d] < 0) continue;
        const double step = d % 2 == 0 ? -edge(j) : edge(j);
        sum -= transport_.leaves(i, near[d], d) * step / 2 - conductance(j) * step;
      }
      transport_.right[at(i)] = sum;
    });
    for (const side& s : sides_[j]) transport_.right[at(s.cell)] += conductance(j) * outwards(s) * edge(j);
    for (const double b : transport_.right) size[0] += std::abs(b);
    return sum_of_ranks(comm(), size)[0] / (static_cast<double>(cells_count_) * conductance(j) * edge(j));
  }

  // Flux of x_j + b_j along each axis, minus the transport of x_j + b_j by the mean velocity, divided by the diffusivity.
  std::array<double, 3> column_of(std::size_t j, const std::vector<double>& b) const {
    std::array<double, 4> sums{};
    visit_neighbours(transport_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      sums[3] += b[at(i)];
      for (std::size_t a = 0; a < 3; ++a) {
        const std::int32_t below = near[2 * a];
        if (below < 0) continue;
        const double change = (a == j ? edge(a) : 0) + b[at(i)] - b[at(below)];
        const double middle = (b[at(i)] + b[at(below)]) / 2;
        sums[a] += edge(a) * (conductance(a) * change - transport_.flow[a][at(i)] * middle);
      }
    });
    // The flux is that from the cell to the side over half of a voxel. The off-diagonal contribution of the mirror image has
    // the opposite sign.
    for (const side& s : sides_[j]) sums[j] += edge(j) * conductance(j) * (edge(j) / 2 - outwards(s) * b[at(s.cell)]);
    if (problem_.is_mirrored)
      for (std::size_t a = 0; a < 3; ++a)
        if (a != j) sums[a] = 0;
    sums = sum_of_ranks(comm(), sums);
    std::array<double, 3> column{};
    for (std::size_t a = 0; a < 3; ++a)
      column[a] = (sums[a] + (problem_.is_mirrored && a != j ? 0 : mean_[a] * sums[3])) /
                  (static_cast<double>(cells_count_) * conductance(a) * edge(a) * edge(a));
    return column;
  }

  // Mean square of the gradient of x_j + b_j. This value equals the diagonal entry, because advection conserves the square.
  double from_gradients(std::size_t j, const std::vector<double>& b) const {
    std::array<double, 1> sum{};
    visit_neighbours(transport_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      for (std::size_t a = 0; a < 3; ++a) {
        const std::int32_t below = near[2 * a];
        if (below < 0) continue;
        const double change = (a == j ? edge(a) : 0) + b[at(i)] - b[at(below)];
        sum[0] += conductance(a) * change * change;
      }
    });
    for (const side& s : sides_[j]) {
      const double change = edge(j) / 2 - outwards(s) * b[at(s.cell)];
      sum[0] += 2 * conductance(j) * change * change;
    }
    return sum_of_ranks(comm(), sum)[0] / (static_cast<double>(cells_count_) * conductance(j) * edge(j) * edge(j));
  }

  const dispersion_problem& problem_;
  transport_cells transport_;
  voxel::run_set numbers_;
  std::array<std::vector<side>, 3> sides_;  // faces for each axis
  std::array<std::vector<double>, 3> unit_flow_;
  std::array<double, 3> unit_mean_{}, mean_{};
  double mean_velocity_ = 0, resistivity_ = 1;
  std::int64_t cells_count_ = 0;
};

}  // namespace

void check_dispersion(const dispersion_problem& problem) {
  fault_list expect;
  expect(!problem.peclet_numbers.empty(), "no Peclet number is given; give at least one, for example 0 for pure diffusion");
  for (const double p : problem.peclet_numbers)
    expect(std::isfinite(p) && p >= 0, fmt::format("Peclet number {} must not be negative", p));
  expect(problem.length_mm > 0 && std::isfinite(problem.length_mm),
         fmt::format("length of the Peclet number: {} mm; must be positive", problem.length_mm));
  expect.require_none();
}

dispersion_solution solve_dispersion(const dispersion_problem& problem, const options& solver_options, log_sink& log) {
  comm::collectively(problem.where.comm, [&] {
    check_dispersion(problem);
    check_tolerance(solver_options);
    if (problem.face_velocity_mm_per_s.size() != 6 * at(problem.cells.size()))
      throw usage_error(
          fmt::format("{} face velocities do not match {} fluid voxels; pass the face velocities of solve_permeability",
                      problem.face_velocity_mm_per_s.size(), problem.cells.size()));
  });
  dispersion_solution all;
  closure carried(problem, all.cells, all.mean_velocity_mm_per_s);
  for (const double peclet : problem.peclet_numbers) {
    log.note(fmt::format("dispersion at Peclet number {:.6g}", peclet));
    all.tensors.push_back(carried.solve(peclet, solver_options, log));
    if (!all.tensors.back().certificate.converged) break;
  }
  return all;
}

}  // namespace osteon::physics
