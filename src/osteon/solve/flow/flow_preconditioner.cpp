#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/kernel/flow/lattice_relax.hpp>
#include <osteon/solve/flow/flow_preconditioner.hpp>

namespace osteon::solve {

namespace {

constexpr material_number nothing = 1;  // of cells without an unknown: they hang loosely on their neighbours
constexpr material_number first_material = 2;
constexpr double loose = 1e-6;

void mark_uniform(heat_cells& c) {
  for (kernel::conduction_segment& s : c.segments) {
    const material_number own = c.material[at(s.first)];
    bool same = own != nothing;
    for (std::int32_t n = 0; same && n < static_cast<std::int32_t>(s.length); ++n) {
      const std::int32_t i = s.first + n;
      same = c.material[at(i)] == own;
      for (int d = 0; same && d < kernel::directions; ++d)
        if ((c.open[at(i)] >> d & 1) != 0)
          same = c.material[at(d < 4 ? s.neighbour[at(d)] + n : d == 4 ? i - 1 : i + 1)] == own;
    }
    s.uniform = same ? 1 : 0;
  }
}

heat_cells like(const flow_cells& cells) {
  heat_cells c = cells.grid;
  c.face = cells.weight;
  std::fill(c.material.begin(), c.material.end(), material_number{0});
  std::fill_n(c.material.begin(), c.owned, nothing);
  return c;
}

// The cells of a component: its faces with friction, as heat that they store.
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
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
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
  mark_uniform(c);
  return c;
}

// The cells of the pressure, whose conductivity is the mean mobility of a cell's faces, rounded to one of many values.
heat_cells pressure_cells(const flow_cells& cells, const std::array<std::vector<float>, 3>& mobility) {
  constexpr int classes = 1000;
  heat_cells c = like(cells);
  std::vector<float> mean(at(c.owned));
  std::vector<std::uint8_t> open(mean.size());
  constexpr int most_open = 2;  // of a cell that the coarse levels tell apart
  for (const kernel::stokes_open_face& f : cells.open_faces)
    if (f.pressure < c.owned)
      open[at(f.pressure)] = static_cast<std::uint8_t>(std::min(open[at(f.pressure)] + 1, most_open));
  double low = std::numeric_limits<double>::max(), high = 0;
  std::vector<bool> beyond(mean.size());
  for (const std::int32_t i : cells.beyond) beyond[at(i)] = true;
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (beyond[at(i)]) return;
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
    low = std::min(low, static_cast<double>(mean[at(i)]));
    high = std::max(high, static_cast<double>(mean[at(i)]));
  });
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
      // The pressure of an open face is half a voxel away.
      c.storage[at(first_material + 3 * n + k)] = 2 * k * value * cells.weight[at(std::max(cells.through, 0))];
    }
  for (std::int32_t i = 0; i < c.owned; ++i)
    if (!beyond[at(i)]) {
      const double place = std::log(static_cast<double>(mean[at(i)]) / low) / range * (classes - 1);
      c.material[at(i)] = static_cast<material_number>(
          first_material + 3 * std::clamp(static_cast<int>(std::lround(place)), 0, classes - 1) + open[at(i)]);
    }
  c.links.exchange(c.material.data());
  mark_uniform(c);
  return c;
}

// What coarse levels give to cells without the face.
void zero_without_face(const flow_cells& cells, std::size_t axis, float* z) {
  for_each(cells.grid.owned, [z, friction = cells.friction[axis].data()](std::int64_t i) {
    if (friction[i] == 0) z[i] = 0;
  });
}

kernel::velocity_lattice lattice_of(const flow_cells& cells, std::size_t axis, double stored) {
  kernel::velocity_lattice k{cells.grid.open.data(), cells.friction[axis].data(), {}, {}};
  for (std::size_t a = 0; a < 3; ++a) k.weight[a] = static_cast<float>(cells.weight[a]);
  for (std::size_t n = 1; n < k.inverse.size(); ++n)
    if (cells.diagonal[axis][n] > 0) k.inverse[n] = static_cast<float>(1 / (stored + cells.diagonal[axis][n]));
  return k;
}

// A sweep and a residual of an operator on the flow's cells.
template <class Lattice>
heat_multigrid::cell_kernels kernels_of(const flow_cells& cells, const Lattice& lattice) {
  // Aggregates are stiffer than what they stand for: a velocity is no constant between walls. Measured on packs and sponges.
  constexpr float correction = 1.2F;
  return {[&lattice, ghosts = cells.grid.owned, walls = cells.grid.walls](const kernel::conduction_part& part,
                                                                          kernel::sweep way, const float* r, float* z) {
            kernel::relax(lattice, part, ghosts, walls, way, r, z);
          },
          [&lattice](const kernel::conduction_part& part, const float* r, const float* z, std::int32_t first,
                     float* residual) { kernel::subtract_product(lattice, part, r, z, first, residual); },
          correction};
}

}  // namespace

velocity_cycle::velocity_cycle(const flow_cells& cells, std::size_t axis, double stored)
    : lattice(lattice_of(cells, axis, stored)),
      cycle(cells.grid, velocity_cells(cells, axis, stored), kernels_of(cells, lattice)) {}

pressure_cycle::pressure_cycle(const flow_cells& cells, std::array<std::vector<float>, 3> weight)
    : conductance(std::move(weight)),
      inverse(at(cells.grid.size)),
      lattice{cells.grid.open.data(), {}, inverse.data()},
      cycle(cells.grid, pressure_cells(cells, conductance), kernels_of(cells, lattice)) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (float& g : conductance[axis]) g *= static_cast<float>(cells.weight[axis]);
    lattice.conductance[axis] = conductance[axis].data();
  }
  // The pressure of an open face is half a voxel away.
  for (const kernel::stokes_open_face& f : cells.open_faces) conductance[at(f.axis)][at(f.cell)] *= 2;
  for (auto& g : conductance) cells.grid.links.exchange(g.data());  // the cell inside may be another rank's
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    float sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum += conductance[axis][at(i)];
      if (const std::int32_t above = near[2 * axis + 1]; above >= 0) sum += conductance[axis][at(above)];
    }
    inverse[at(i)] = sum > 0 ? 1 / sum : 0;
  });
  for (const std::int32_t i : cells.beyond) inverse[at(i)] = 0;
}

flow_preconditioner::flow_preconditioner(const flow_cells& cells) : cells_(cells), q_(at(cells.stride())) {
  for (std::size_t axis = 0; axis < 3; ++axis) velocity_[axis] = std::make_unique<velocity_cycle>(cells, axis);
  std::array<std::vector<float>, 3> mobility;
  set_mobility(mobility);
  pressure_ = std::make_unique<pressure_cycle>(cells, std::move(mobility));
}

// Of owned values, over all ranks.
double flow_preconditioner::dot(const std::vector<float>& a, const std::vector<float>& b) const {
  double sum = reduce_blocks(cells_.grid.owned, [&](std::int64_t begin, std::int64_t end) {
    double part = 0;
    for (std::int64_t i = begin; i < end; ++i) part += static_cast<double>(a[at(i)]) * static_cast<double>(b[at(i)]);
    return part;
  });
  comm::all_reduce(cells_.grid.where.comm, &sum, 1, MPI_SUM);
  return sum;
}

// Some steps of conjugate gradients for A W = 1, each component by itself.
void flow_preconditioner::set_mobility(std::array<std::vector<float>, 3>& mobility) {
  constexpr int steps = 3;
  const std::int32_t owned = cells_.grid.owned;
  const heat_cells& grid = cells_.grid;
  const std::vector<float> none(at(cells_.stride()));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    velocity_cycle& own = *velocity_[axis];
    const std::size_t size = none.size();
    std::vector<float>& w = mobility[axis];
    w.assign(size, 0);
    std::vector<float> r(size), z(size), p(size), q(size);
    for (std::int32_t i = 0; i < owned; ++i) r[at(i)] = cells_.has_face(axis, i) ? 1 : 0;
    double before = 0, previous = 0;
    // Of the Lanczos method, from the factors of conjugate gradients.
    Eigen::MatrixXd t = Eigen::MatrixXd::Zero(steps, steps);
    int made = 0;
    for (int step = 0; step < steps; ++step) {
      own.cycle.apply(r.data(), z.data());
      zero_without_face(cells_, axis, z.data());
      const double now = dot(r, z);
      if (!(now > 0)) break;
      const auto beta = static_cast<float>(step == 0 ? 0 : now / before);
      before = now;
      for (std::int32_t i = 0; i < owned; ++i) p[at(i)] = z[at(i)] + beta * p[at(i)];
      grid.links.exchange(p.data());
      kernel::subtract_product(own.lattice, grid.part(0, static_cast<std::int64_t>(grid.planes.size()) - 1), none.data(),
                               p.data(), 0, q.data());
      const double length = -now / dot(p, q);
      t(step, step) = 1 / length + (step == 0 ? 0 : static_cast<double>(beta) / previous);
      if (step > 0) t(step - 1, step) = t(step, step - 1) = std::sqrt(static_cast<double>(beta)) / previous;
      previous = length;
      made = step + 1;
      const auto alpha = static_cast<float>(length);
      for (std::int32_t i = 0; i < owned; ++i) w[at(i)] += alpha * p[at(i)], r[at(i)] += alpha * q[at(i)];
    }
    if (made > 0)
      least_velocity_eigenvalue_ =
          std::clamp(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(t.topLeftCorner(made, made)).eigenvalues()[0], 0.05,
                     least_velocity_eigenvalue_);
    for (std::int32_t i = 0; i < owned; ++i)
      if (cells_.has_face(axis, i)) w[at(i)] = std::max(w[at(i)], 1e-3F);
    grid.links.exchange(w.data());
  }
}

kernel_work flow_preconditioner::work() const {
  // Scaling of three components, with a byte of friction each; the divergence of three; the pressure's sum.
  constexpr double bytes = 3 * 9 + 20 + 12, operations = 3 + 9 + 2;
  const auto owned = static_cast<double>(cells_.grid.owned);
  kernel_work all = pressure_->cycle.work_of_cycle() + kernel_work{bytes * owned, operations * owned};
  for (const auto& v : velocity_) all += v->cycle.work_of_cycle();
  return all;
}

void flow_preconditioner::apply(const float* r, float* z, float velocity_scale) {
  const heat_cells& grid = cells_.grid;
  const std::int64_t stride = cells_.stride();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float* const own = z + static_cast<std::int64_t>(axis) * stride;
    velocity_[axis]->cycle.apply(r + static_cast<std::int64_t>(axis) * stride, own);
    for_each(grid.owned, [own, velocity_scale, friction = cells_.friction[axis].data()](std::int64_t i) {
      own[i] = friction[i] == 0 ? 0 : velocity_scale * own[i];  // coarse levels give to cells without the face, too
    });
    grid.links.exchange(own);
  }
  float* const q = q_.data();
  subtract_mass(z, r + 3 * stride, q);
  float* const p = z + 3 * stride;
  apply_pressure(q, p);
  for_each(grid.owned, [p, q](std::int64_t i) { p[i] = q[i] + pressure_weight * p[i]; });
}

void flow_preconditioner::subtract_mass(const float* z, const float* mass, float* q) const {
  const std::int64_t stride = cells_.stride();
  const std::array<float, 3> slope{static_cast<float>(cells_.slope[0]), static_cast<float>(cells_.slope[1]),
                                   static_cast<float>(cells_.slope[2])};
  visit_neighbours(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    float sum = -mass[i];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float* const u = z + static_cast<std::int64_t>(axis) * stride;
      sum += slope[axis] * (u[i] - (near[2 * axis + 1] < 0 ? 0 : u[near[2 * axis + 1]]));
    }
    q[i] = sum;
  });
  for (const std::int32_t i : cells_.beyond) q[i] = 0;
}

void flow_preconditioner::apply_pressure(const float* q, float* z) {
  pressure_->cycle.apply(q, z);
  for (const std::int32_t i : cells_.beyond) z[i] = 0;
}

const std::vector<float>& flow_preconditioner::conductance(std::size_t axis) const { return pressure_->conductance[axis]; }

}  // namespace osteon::solve
