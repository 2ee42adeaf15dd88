#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/base/dense.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/kernel/flow/lattice_relax.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/numerics/multigrid/heat_cycle.hpp>
#include <osteon/physics/flow/solver/stokes/flow_preconditioner.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

constexpr material_number nothing = 1;  // material of cells without an unknown; the coupling to neighbours is weak
constexpr material_number first_material = 2;
constexpr double loose = 1e-6;

heat_cells like(const flow_cells& cells) {
  heat_cells c = cells.grid;
  c.face = cells.weight;
  std::fill(c.material.begin(), c.material.end(), material_number{0});
  std::fill_n(c.material.begin(), c.owned, nothing);
  return c;
}

// Return the heat cells of a component. The cells represent the faces of the component. The friction is the heat storage.
heat_cells velocity_cells(const flow_cells& cells, std::size_t axis, double stored) {
  heat_cells c = like(cells);
  constexpr int most = 5;
  c.resistivity.assign(first_material + most * most * most, 0.5);
  c.storage.assign(c.resistivity.size(), 0);
  c.resistivity[0] = 0;
  c.resistivity[nothing] = 0.5 / loose;
  c.storage[nothing] = loose;
  for (int z = 0; z < most; ++z)
    for (int y = 0; y < most; ++y)
      for (int x = 0; x < most; ++x)
        c.storage[at(first_material + z + most * (y + most * x))] =
            stored + z * cells.weight[0] + y * cells.weight[1] + x * cells.weight[2];
  visit_neighbours_in_parallel(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    int number = cells.friction[axis][at(i)];
    if (number == 0) return;
    std::array<int, 3> walls{};
    walls[axis] = number > open_face_frictions ? 1 : 2;
    number -= number > open_face_frictions ? open_face_frictions : 0;
    walls[kernel::axes_across[axis][0]] = (number - 1) % 5;
    walls[kernel::axes_across[axis][1]] = (number - 1) / 5;
    for (std::size_t d = 0; d < 6; ++d)
      if (near[d] >= 0 && cells.has_face(axis, near[d])) --walls[d / 2];
    for (int& w : walls) w = std::clamp(w, 0, most - 1);
    c.material[at(i)] = static_cast<material_number>(first_material + walls[0] + most * (walls[1] + most * walls[2]));
  });
  c.links.exchange(c.material.data());
  return c;
}

// Return the heat cells of the pressure. The conductivity of a cell is the mean mobility of its faces, rounded to one of
// many values.
heat_cells pressure_cells(const flow_cells& cells, const std::array<std::vector<float>, 3>& mobility) {
  constexpr int classes = 1000;
  heat_cells c = like(cells);
  std::vector<float> mean(at(c.owned));
  std::vector<std::uint8_t> open(mean.size());
  constexpr int most_open = 2;  // on coarse levels, materials distinguish up to this number of open faces of a cell
  for (const kernel::stokes_open_face& f : cells.open_faces)
    if (f.pressure < c.owned)
      open[at(f.pressure)] = static_cast<std::uint8_t>(std::min(open[at(f.pressure)] + 1, most_open));
  std::vector<std::uint8_t> beyond(mean.size());
  for (const std::int32_t i : cells.beyond) beyond[at(i)] = 1;
  visit_neighbours_in_parallel(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (beyond[at(i)] != 0) return;
    float sum = 0;
    int count = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto add = [&](std::int32_t j) {
        if (j >= 0 && cells.has_face(axis, j)) sum += mobility[axis][at(j)], ++count;
      };
      add(i);
      add(near[2 * axis + 1]);
    }
    mean[at(i)] = count > 0 ? sum / static_cast<float>(count) : 0.1F;
  });
  double low = std::numeric_limits<double>::max(), high = 0;
  for (std::int32_t i = 0; i < c.owned; ++i) {
    if (beyond[at(i)] != 0) continue;
    low = std::min(low, static_cast<double>(mean[at(i)]));
    high = std::max(high, static_cast<double>(mean[at(i)]));
  }
  comm::all_reduce(c.where.comm, &low, 1, MPI_MIN);
  comm::all_reduce(c.where.comm, &high, 1, MPI_MAX);
  const double range = std::max(std::log(high / low), 1e-3);
  c.resistivity.assign(first_material + 3 * classes, 0);
  c.storage.assign(c.resistivity.size(), 0);
  c.resistivity[nothing] = 0.5 / (loose * low);
  c.storage[nothing] = loose * low;
  for (int n = 0; n < classes; ++n)
    for (int k = 0; k < 3; ++k) {
      const double value = low * std::exp(range * n / (classes - 1));
      c.resistivity[at(first_material + 3 * n + k)] = 0.5 / value;
      // The distance to the pressure of an open face is half of a voxel.
      c.storage[at(first_material + 3 * n + k)] = 2 * k * value * cells.weight[at(std::max(cells.through, 0))];
    }
  for_each(c.owned, [&](std::int64_t n) {
    const auto i = static_cast<std::size_t>(n);
    if (beyond[i] != 0) return;
    const double place = std::log(static_cast<double>(mean[i]) / low) / range * (classes - 1);
    c.material[i] = static_cast<material_number>(
        first_material + 3 * std::clamp(static_cast<int>(std::lround(place)), 0, classes - 1) + open[i]);
  });
  c.links.exchange(c.material.data());
  return c;
}

// Aggregates are stiffer than the fine cells, because velocities are not constant between walls. The factor was measured
// with packs and sponges.
constexpr float aggregate_correction = 1.2F;

// Number of sweeps on the coarse levels of a velocity. In all pores, walls determine the velocity. Coarse levels therefore
// have a smaller effect than in heat problems. In measurements with packs, sponges and foams of 64^3 and 128^3 voxels, four
// times as many sweeps (the number for heat) did not change the number of flow iterations.
int sweeps_of_velocity(std::size_t level) { return 1 << std::min<std::size_t>(level, 4); }

// A sweep, and a residual, of an operator on the cells of the flow.
// @param unknown, smoothing_sweeps arguments as in cell_kernels
template <class Lattice>
heat_multigrid::cell_kernels kernels_of(const flow_cells& cells, const Lattice& lattice, const std::uint8_t* unknown,
                                        int (*smoothing_sweeps)(std::size_t)) {
  return {[&lattice, ghosts = cells.grid.owned, walls = cells.grid.walls](const kernel::conduction_part& part,
                                                                          kernel::sweep way, const float* r, float* z) {
            kernel::relax(lattice, part, ghosts, walls, way, r, z);
          },
          [&lattice](const kernel::conduction_part& part, const float* r, const float* z, std::int32_t first,
                     float* residual) { kernel::subtract_product(lattice, part, r, z, first, residual); },
          aggregate_correction, unknown, smoothing_sweeps};
}

// Compute q = A p on the owned cells, and p . q of this rank. Sums are computed plane by plane, and are independent of the
// number of threads.
// @param none zeros @param p vector with current ghosts
double product(const kernel::velocity_lattice& lattice, const heat_cells& grid, const std::vector<float>& none,
               const float* p, float* q) {
  const auto planes = static_cast<std::int64_t>(grid.planes.size()) - 1;
  std::vector<double> sums(at(planes));
  for_each_block(planes, 1, [&](std::int64_t plane, std::int64_t) {
    const std::int32_t begin = grid.planes[at(plane)].cell, end = grid.planes[at(plane + 1)].cell;
    std::vector<float> minus(at(end - begin + kernel::conduction_padding));
    kernel::subtract_product(lattice, grid.part(plane, plane + 1), none.data(), p, begin, minus.data());
    double sum = 0;
    for (std::int32_t i = begin; i < end; ++i) {
      q[i] = -minus[at(i - begin)];
      sum += static_cast<double>(p[i]) * static_cast<double>(q[i]);
    }
    sums[at(plane)] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

velocity_cycle::velocity_cycle(const flow_cells& cells, std::size_t axis, double stored)
    : lattice{cells.grid.open.data(), cells.friction[axis].data(), {}, diagonal.data(), inverse.data()},
      cycle(cells.grid, velocity_cells(cells, axis, stored),
            kernels_of(cells, lattice, cells.friction[axis].data(), sweeps_of_velocity)),
      weight_(cells.weight) {
  for (std::size_t n = 1; n < unscaled_.size(); ++n)
    if (cells.diagonal[axis][n] > 0) unscaled_[n] = stored + cells.diagonal[axis][n];
  set_scale(1);
}

void velocity_cycle::set_scale(float scale) {
  if (scale == scale_) return;
  scale_ = scale;
  const auto by = static_cast<double>(scale);
  for (std::size_t a = 0; a < 3; ++a) lattice.weight[a] = static_cast<float>(weight_[a] / by);
  for (std::size_t n = 1; n < unscaled_.size(); ++n) {
    if (unscaled_[n] == 0) continue;
    diagonal[n] = static_cast<float>(unscaled_[n] / by);
    inverse[n] = static_cast<float>(by / unscaled_[n]);
  }
  cycle.set_correction(aggregate_correction * scale);
}

pressure_cycle::pressure_cycle(const flow_cells& cells, std::array<std::vector<float>, 3> weight)
    : conductance(std::move(weight)),
      inverse(at(cells.grid.size)),
      lattice{cells.grid.open.data(), {}, inverse.data()},
      cycle(cells.grid, pressure_cells(cells, conductance),
            kernels_of(cells, lattice, nullptr, heat_cycle::smoothing_sweeps)) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (float& g : conductance[axis]) g *= static_cast<float>(cells.weight[axis]);
    lattice.conductance[axis] = conductance[axis].data();
  }
  // The distance to the pressure of an open face is half of a voxel.
  for (const kernel::stokes_open_face& f : cells.open_faces) conductance[at(f.axis)][at(f.cell)] *= 2;
  for (auto& g : conductance) cells.grid.links.exchange(g.data());  // another rank may own the cell inside the image
  visit_neighbours_in_parallel(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    float sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum += conductance[axis][at(i)];
      if (const std::int32_t above = near[2 * axis + 1]; above >= 0) sum += conductance[axis][at(above)];
    }
    inverse[at(i)] = sum > 0 ? 1 / sum : 0;
  });
  for (const std::int32_t i : cells.beyond) inverse[at(i)] = 0;
}

flow_preconditioner::flow_preconditioner(const flow_cells& cells)
    : cells_(cells), stencil_(cells.stencil<float>()), q_(at(cells.stride())) {
  for (std::size_t axis = 0; axis < 3; ++axis) velocity_[axis] = std::make_unique<velocity_cycle>(cells, axis);
  std::array<std::vector<float>, 3> mobility;
  set_mobility(mobility);
  pressure_ = std::make_unique<pressure_cycle>(cells, std::move(mobility));
}

// Execute some steps of conjugate gradients for A W = 1. The components are processed separately.
void flow_preconditioner::set_mobility(std::array<std::vector<float>, 3>& mobility) {
  constexpr int steps = 3;
  const heat_cells& grid = cells_.grid;
  const std::int64_t owned = grid.owned, stride = cells_.stride();
  const std::vector<float> none(at(stride));
  std::vector<float> r(at(3 * stride)), z(r.size()), p(r.size()), q(r.size());
  std::array<double, 3> before{}, previous{};
  std::array<bool, 3> goes_on{true, true, true};
  // Lanczos matrix, which is computed from the coefficients of conjugate gradients.
  std::array<std::vector<double>, 3> diagonal, coupling;
  for (std::int64_t c = 0; c < 3; ++c) {
    mobility[at(c)].assign(at(stride), 0);
    for_each(owned, [r = r.data() + c * stride, friction = cells_.friction[at(c)].data()](std::int64_t i) {
      r[i] = friction[i] != 0 ? 1 : 0;
    });
  }
  for (int step = 0; step < steps; ++step) {
    apply_velocities(r.data(), z.data());
    std::array<double, 3> now{}, square{};
    for (std::int64_t c = 0; c < 3; ++c)
      now[at(c)] = reduce_blocks(owned, [&, first = c * stride](std::int64_t begin, std::int64_t end) {
        double part = 0;
        for (std::int64_t i = first + begin; i < first + end; ++i)
          part += static_cast<double>(r[at(i)]) * static_cast<double>(z[at(i)]);
        return part;
      });
    now = sum_of_ranks(grid.where.comm, now);
    std::array<float, 3> beta{};
    for (std::size_t c = 0; c < 3; ++c) {
      goes_on[c] = goes_on[c] && now[c] > 0;
      if (!goes_on[c]) continue;
      beta[c] = static_cast<float>(step == 0 ? 0 : now[c] / before[c]);
      before[c] = now[c];
      const auto first = static_cast<std::ptrdiff_t>(c) * stride;
      for_each(owned, [z = z.data() + first, p = p.data() + first, b = beta[c]](std::int64_t i) { p[i] = z[i] + b * p[i]; });
      grid.links.exchange(p.data() + first);
      square[c] = product(velocity_[c]->lattice, grid, none, p.data() + first, q.data() + first);
    }
    square = sum_of_ranks(grid.where.comm, square);
    for (std::size_t c = 0; c < 3; ++c) {
      if (!goes_on[c]) continue;
      const double length = now[c] / square[c];
      diagonal[c].push_back(1 / length + (step == 0 ? 0 : static_cast<double>(beta[c]) / previous[c]));
      if (step > 0) coupling[c].push_back(std::sqrt(static_cast<double>(beta[c])) / previous[c]);
      previous[c] = length;
      const auto first = static_cast<std::ptrdiff_t>(c) * stride;
      for_each(owned, [w = mobility[c].data(), r = r.data() + first, p = p.data() + first, q = q.data() + first,
                       alpha = static_cast<float>(length)](std::int64_t i) {
        w[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      });
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    if (!diagonal[c].empty())
      least_velocity_eigenvalue_ =
          std::clamp(eigenvalues_of_tridiagonal(diagonal[c], coupling[c]).front(), 0.05, least_velocity_eigenvalue_);
    for_each(owned, [w = mobility[c].data(), friction = cells_.friction[c].data()](std::int64_t i) {
      if (friction[i] != 0) w[i] = std::max(w[i], 1e-3F);
    });
    grid.links.exchange(mobility[c].data());
  }
}

kernel_work flow_preconditioner::work() const {
  // Work of the divergence of three components, and of the sum of the pressures.
  constexpr double bytes = 21 + 12, operations = 9 + 2;
  const auto owned = static_cast<double>(cells_.grid.owned);
  kernel_work all = pressure_->cycle.work_of_cycle() + kernel_work{bytes * owned, operations * owned};
  for (const auto& v : velocity_) all += v->cycle.work_of_cycle();
  return all;
}

void flow_preconditioner::apply(const float* r, float* z, float velocity_scale) {
  const heat_cells& grid = cells_.grid;
  const std::int64_t stride = cells_.stride();
  for (const auto& v : velocity_) v->set_scale(velocity_scale);
  apply_velocities(r, z);
  for (std::int64_t axis = 0; axis < 3; ++axis) grid.links.exchange(z + axis * stride);
  float* const q = q_.data();
  subtract_mass(z, r + 3 * stride, q);
  float* const p = z + 3 * stride;
  apply_pressure(q, p);
  for_each(grid.owned, [p, q](std::int64_t i) { p[i] = q[i] + pressure_weight * p[i]; });
}

// z_u = M^-1 r_u. The ghosts do not become current. The three cycles run simultaneously, and use the same sweeps over the
// cells.
void flow_preconditioner::apply_velocities(const float* r, float* z) {
  const heat_cells& grid = cells_.grid;
  const std::int64_t stride = cells_.stride();
  for (std::int64_t axis = 0; axis < 3; ++axis) for_each(grid.walls, [z = z + axis * stride](std::int64_t i) { z[i] = 0; });
  for (int n = 0; n < heat_cycle::cell_sweeps; ++n) smooth_velocities(kernel::sweep::forth, r, z);
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    grid.links.exchange(z + axis * stride);
    velocity_[at(axis)]->cycle.correct(r + axis * stride, z + axis * stride);
  }
  for (int n = 0; n < heat_cycle::cell_sweeps; ++n) smooth_velocities(kernel::sweep::back, r, z);
}

// This function corresponds to heat_multigrid::smooth.
void flow_preconditioner::smooth_velocities(kernel::sweep way, const float* r, float* z) const {
  const heat_cells& grid = cells_.grid;
  const std::int64_t stride = cells_.stride(), planes = static_cast<std::int64_t>(grid.planes.size()) - 1;
  const std::array lattices{velocity_[0]->lattice, velocity_[1]->lattice, velocity_[2]->lattice};
  for (int colour = 0; colour < 2; ++colour) {
    for (std::int64_t axis = 0; axis < 3; ++axis) grid.links.exchange(z + axis * stride);
    const std::int64_t first = heat_cycle::first_plane(grid.where.owned.begin.z, colour, way == kernel::sweep::back);
    for_each_block((planes - first + 1) / 2, 1, [&](std::int64_t n, std::int64_t) {
      kernel::relax(lattices, grid.part(first + 2 * n, first + 2 * n + 1), grid.owned, grid.walls, way, stride, r, z);
    });
  }
}

void flow_preconditioner::subtract_mass(const float* z, const float* mass, float* q) const {
  for_each_divergence(stencil_, z,
                      [q, mass]<class V>(std::int32_t i, V sum) { kernel::put(q + i, sum - kernel::get<V>(mass + i)); });
  for (const std::int32_t i : cells_.beyond) q[i] = 0;
}

void flow_preconditioner::apply_pressure(const float* q, float* z) {
  pressure_->cycle.apply(q, z);
  for (const std::int32_t i : cells_.beyond) z[i] = 0;
}

const std::vector<float>& flow_preconditioner::conductance(std::size_t axis) const { return pressure_->conductance[axis]; }

}  // namespace osteon::physics
