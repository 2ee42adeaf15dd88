#include <osteon/physics/failure/solver/damaged_voxels.hpp>

#include <mpi.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/operators/fine_stiffness.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

// kappa of a broken voxel. This value is larger than the kappa of any strain.
constexpr float broken = 1e30F;

}  // namespace

double damaged_voxels::numbers::damage_of(double kappa) const {
  return kappa >= broken ? 1 - kernel::stiffness_of_broken : law.damage_of(kappa);
}

damaged_voxels::damaged_voxels(const elasticity_problem& problem, std::span<const kernel::damage_law> laws,
                               kernel::dilatation integration, std::int64_t stride)
    : problem_(problem),
      mean_dilatation_(integration == kernel::dilatation::mean),
      points_(problem.spacing_mm, stride),
      planes_(problem.cells.shape().z) {
  const auto lame = lame_table(*problem.materials);
  for (std::size_t m = 0; m < lame.size(); ++m) {
    const kernel::damage_law law = m < laws.size() && lame[m].mu > 0 ? laws[m] : kernel::damage_law{};
    const kernel::plastic_material elastic{lame[m].mu, lame[m].lambda + 2 * lame[m].mu / 3, law.surface};
    materials_.push_back({kernel::plastic_numbers<double>(elastic), law});
  }
  for (states* s : {&now_, &kept_})
    for (std::vector<float>* v : {&s->kappa, &s->energy, &s->dissipated})
      v->assign(static_cast<std::size_t>(problem.cells.size()), 0.0F);
  damaged_.resize(static_cast<std::size_t>(planes_));
}

damaged_voxels::centre_state damaged_voxels::evaluate(const kernel::tensor_at_points<double>& strain, const numbers& m,
                                                      double sign) const {
  double e[6];
  for (int i = 0; i < 6; ++i) e[i] = sum_of_points(strain.value[i]) / 8;
  const double mean = (e[0] + e[1] + e[2]) / 3, mu = m.elastic.mu;
  double square = (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]) / 2;
  for (int i = 0; i < 3; ++i) square += (e[i] - mean) * (e[i] - mean);
  centre_state s;
  s.pressure = 3 * m.elastic.bulk * mean;
  s.kappa = m.law.surface.a * 2 * mu * std::sqrt(1.5 * square) + sign * 3 * m.law.surface.b * s.pressure;
  s.energy = sum_of_points(kernel::energy_of_strain(strain, m.elastic, mean_dilatation_)) / 8;
  return s;
}

double damaged_voxels::largest_of_yield(const double* u, double sign) const {
  std::vector<double> largest(static_cast<std::size_t>(planes_), 0.0);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t z = 0; z < planes_; ++z)
    for_each_voxel_of(problem_, z, [&](std::int32_t cell, const std::int32_t (&node)[4]) {
      const numbers& m = numbers_of(cell);
      if (!m.law.surface.yields()) return;
      kernel::tensor_at_points<double> strain;
      points_.strains(u, node, strain);
      double& most = largest[static_cast<std::size_t>(z)];
      most = std::max(most, evaluate(strain, m, sign).kappa);
    });
  double result = 0;
  for (const double l : largest) result = std::max(result, l);
  return comm::max_over_ranks(problem_.where.comm, result);
}

void damaged_voxels::add_forces(const double* u, double* y) {
  by_parity(planes_, [&](std::int64_t z) {
    std::vector<damaged>& found = damaged_[static_cast<std::size_t>(z)];
    found.clear();
    for_each_voxel_of(problem_, z, [&](std::int32_t cell, const std::int32_t (&node)[4]) {
      const numbers& m = numbers_of(cell);
      if (!m.law.surface.yields()) return;
      kernel::tensor_at_points<double> strain;
      points_.strains(u, node, strain);
      const double before = static_cast<double>(now_.kappa[static_cast<std::size_t>(cell)]);
      const double damage = m.damage_of(std::max(before, evaluate(strain, m).kappa));
      if (damage == 0) return;
      kernel::eight deviator[6], pressure;
      kernel::elastic_stress(strain.value, m.elastic, mean_dilatation_, deviator, pressure);
      kernel::tensor_at_points<double> relaxed;
      for (int i = 0; i < 6; ++i) relaxed.value[i] = damage * (i < 3 ? deviator[i] + pressure : deviator[i]);
      points_.subtract(relaxed, node, y);
      found.push_back({{node[0], node[1], node[2], node[3]},
                       problem_.material[static_cast<std::size_t>(cell)],
                       static_cast<float>(damage)});
    });
  });
}

// The tangent is the secant stiffness with the damage at the displacements u.
void damaged_voxels::add_tangent(const double*, const double* p, double* q) const {
  by_parity(planes_, [&](std::int64_t z) {
    for (const damaged& v : damaged_[static_cast<std::size_t>(z)]) {
      const kernel::plastic_numbers<float> m(materials_[v.material].elastic.exact);
      kernel::tensor_at_points<float> strain, relaxed;
      points_.strains(p, v.node, strain);
      kernel::eight_of<float>::vector deviator[6], pressure;
      kernel::elastic_stress(strain.value, m, mean_dilatation_, deviator, pressure);
      for (int i = 0; i < 6; ++i) relaxed.value[i] = v.damage * (i < 3 ? deviator[i] + pressure : deviator[i]);
      points_.subtract(relaxed, v.node, q);
    }
  });
}

// Compute the present states for the displacements u. @return sums over all voxels, including elastic voxels
step_sums damaged_voxels::update(const double* u) {
  std::vector<step_sums> sums(static_cast<std::size_t>(planes_));
  const double volume = 8 * points_.weight;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t z = 0; z < planes_; ++z) {
    step_sums& sum = sums[static_cast<std::size_t>(z)];
    for_each_voxel_of(problem_, z, [&](std::int32_t cell, const std::int32_t (&node)[4]) {
      const numbers& m = numbers_of(cell);
      const auto at = static_cast<std::size_t>(cell);
      kernel::tensor_at_points<double> strain;
      points_.strains(u, node, strain);
      const centre_state s = evaluate(strain, m);
      float &kappa = now_.kappa[at], &energy = now_.energy[at], &dissipated = now_.dissipated[at];
      if (m.law.surface.yields() && kappa < broken && s.kappa > 1 && s.kappa > static_cast<double>(kappa)) {
        // D' = (1 - p) / kappa^2. The ratio of the energy to kappa^2 changes little. The integral of energy dD is therefore
        // computed with the mean of this ratio.
        const double before = std::max(1.0, static_cast<double>(kappa)), now = s.energy / (s.kappa * s.kappa);
        const double mean = energy > 0 ? (static_cast<double>(energy) + now) / 2 : now;
        kappa = static_cast<float>(s.kappa);
        energy = static_cast<float>(now);
        dissipated += static_cast<float>((1 - m.law.slope) * mean * (s.kappa - before));
        sum.violation = std::max(sum.violation, s.kappa / static_cast<double>(kappa) - 1);
      }
      sum.stored_mJ += volume * (1 - m.damage_of(static_cast<double>(kappa))) * s.energy;
      sum.dissipated_mJ += volume * static_cast<double>(dissipated);
      sum.smallest_dissipation =
          std::min(sum.smallest_dissipation, static_cast<double>(dissipated) - static_cast<double>(kept_.dissipated[at]));
      if (!(kappa > 1)) return;
      ++sum.yielded;
      sum.broken += kappa >= broken;
      sum.in_tension += s.pressure > 0;
      sum.in_compression += s.pressure < 0;
    });
  }
  step_sums total;
  for (const step_sums& s : sums) total.add(s);
  total.add_ranks(problem_.where.comm);
  return total;
}

std::int64_t damaged_voxels::break_voxels(const double* u) {
  std::vector<std::vector<std::int32_t>> breaks(static_cast<std::size_t>(planes_));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t z = 0; z < planes_; ++z)
    for_each_voxel_of(problem_, z, [&](std::int32_t cell, const std::int32_t (&node)[4]) {
      const numbers& m = numbers_of(cell);
      if (!m.law.surface.yields() || now_.kappa[static_cast<std::size_t>(cell)] >= broken) return;
      kernel::tensor_at_points<double> strain;
      points_.strains(u, node, strain);
      if (evaluate(strain, m).kappa >= m.law.fracture) breaks[static_cast<std::size_t>(z)].push_back(cell);
    });
  std::int64_t count = 0;
  for (const auto& plane : breaks) count += std::ssize(plane);
  comm::all_reduce(problem_.where.comm, &count, 1, MPI_SUM);
  if (count == 0) return 0;
  // During fracture, the plates do not move. The released energy is therefore the decrease of the stored energy.
  const step_sums before = update(u);
  if (!has_broken_) balance_ = before.stored_mJ + before.dissipated_mJ;
  has_broken_ = true;
  for (const auto& plane : breaks)
    for (const std::int32_t cell : plane) {
      const auto at = static_cast<std::size_t>(cell);
      const double kappa = static_cast<double>(now_.kappa[at]);
      now_.dissipated[at] +=
          static_cast<float>((1 - numbers_of(cell).damage_of(kappa)) * static_cast<double>(now_.energy[at]) * kappa * kappa);
      now_.kappa[at] = broken;
    }
  return count;
}

void damaged_voxels::discard_changes() {
  now_ = kept_;
  has_broken_ = false;
}

step_sums damaged_voxels::commit(const double* u) {
  step_sums sums = update(u);
  if (has_broken_) released_ += balance_ - sums.stored_mJ - sums.dissipated_mJ;
  has_broken_ = false;
  sums.dissipated_mJ += released_;
  kept_ = now_;
  return sums;
}

std::int64_t damaged_voxels::bytes() const { return static_cast<std::int64_t>(6 * sizeof(float)) * problem_.cells.size(); }

std::vector<float> damaged_voxels::damage() const {
  std::vector<float> values(now_.kappa.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(numbers_of(static_cast<std::int32_t>(i)).damage_of(static_cast<double>(now_.kappa[i])));
  return values;
}

// The low corner of a cell is a node on the rank of the cell. This corner is not the low corner of any other cell.
void damaged_voxels::put_states(int first, int count, std::span<float> at_corners) const {
  const std::array<const std::vector<float>*, 3> numbers{&kept_.kappa, &kept_.energy, &kept_.dissipated};
  for (std::int64_t z = 0; z < planes_; ++z)
    for_each_voxel_of(problem_, z, [&](std::int32_t cell, const std::int32_t (&node)[4]) {
      float* to = at_corners.data() + static_cast<std::size_t>(node[0]) * static_cast<std::size_t>(count);
      for (int k = 0; k < count; ++k)
        to[k] = (*numbers[static_cast<std::size_t>(first + k)])[static_cast<std::size_t>(cell)];
    });
}

void damaged_voxels::restore(std::span<const float> at_corners) {
  for (std::int64_t z = 0; z < planes_; ++z)
    for_each_voxel_of(problem_, z, [&](std::int32_t cell, const std::int32_t (&node)[4]) {
      const float* from = at_corners.data() + 3 * static_cast<std::size_t>(node[0]);
      const auto at = static_cast<std::size_t>(cell);
      kept_.kappa[at] = from[0], kept_.energy[at] = from[1], kept_.dissipated[at] = from[2];
    });
  now_ = kept_;
}

}  // namespace osteon::physics
