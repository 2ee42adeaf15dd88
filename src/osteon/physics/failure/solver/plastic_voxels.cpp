#include <osteon/physics/failure/solver/plastic_voxels.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/operators/fine_stiffness.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

using kernel::eight;

constexpr std::size_t state_floats = 8 * plastic_voxels::state_size;

using tensor = kernel::tensor_at_points<double>;
using numbers = kernel::plastic_numbers<double>;

}  // namespace

plastic_voxels::plastic_voxels(const elasticity_problem& problem, std::span<const kernel::yield_surface> surfaces,
                               kernel::dilatation integration, std::int64_t stride)
    : problem_(problem),
      mean_dilatation_(integration == kernel::dilatation::mean),
      points_(problem.spacing_mm, stride),
      planes_(at(problem.cells.shape().z)) {
  const auto lame = lame_table(*problem.materials);
  for (std::size_t m = 0; m < lame.size(); ++m)
    materials_.push_back({lame[m].mu, lame[m].lambda + 2 * lame[m].mu / 3,
                          m < surfaces.size() && lame[m].mu > 0 ? surfaces[m] : kernel::yield_surface{}});
}

// Call body(cell, rows of nodes, material, index of the state or -1) in order for the cells of a plane that may yield.
template <class Body>
void plastic_voxels::for_each_voxel(std::int64_t z, Body&& body) const {
  const plane& of = planes_[at(z)];
  std::size_t next = 0;
  for_each_voxel_of(problem_, z, [&](std::int32_t cell, const std::int32_t (&node)[4]) {
    const material_number material = problem_.material[at(cell)];
    if (!materials_[material].surface.yields()) return;
    const bool has_state = next < of.yielded.size() && of.yielded[next] == cell;
    body(cell, node, material, has_state ? static_cast<std::int32_t>(next) : -1);
    next += has_state;
  });
}

template <class T>
bool plastic_voxels::read_state(const plane& of, std::int32_t place, kernel::plastic_state<T>& to) {
  if (place < 0) return false;
  const float* from = of.state.data() + at(place) * state_floats;
  for (int i = 0; i < 7; ++i) {
    kernel::eight_of<float>::vector f;
    kernel::load(f, from + 8 * i);
    (i < 6 ? to.strain[i] : to.alpha) = __builtin_convertvector(f, typename kernel::eight_of<T>::vector);
  }
  return true;
}

double plastic_voxels::largest_of_yield(const double* u, double sign) const {
  std::vector<double> largest(planes_.size(), 0.0);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t z = 0; z < static_cast<std::int64_t>(planes_.size()); ++z)
    for_each_voxel(z, [&](std::int32_t, const std::int32_t (&node)[4], material_number material, std::int32_t) {
      const numbers m(materials_[material]);
      eight deviator[6], pressure;
      tensor strain;
      points_.strains(u, node, strain);
      kernel::elastic_stress(strain.value, m, mean_dilatation_, deviator, pressure);
      const eight square =
          1.5 * m.a * m.a * kernel::product_of_deviators(deviator, deviator) + 9 * m.c * m.c * pressure * pressure;
      for (int g = 0; g < 8; ++g)
        largest[at(z)] = std::max(largest[at(z)], std::sqrt(square[g]) + sign * 3 * m.b * pressure[g]);
    });
  double result = 0;
  for (const double l : largest) result = std::max(result, l);
  return comm::max_over_ranks(problem_.where.comm, result);
}

void plastic_voxels::add_forces(const double* u, double* y) {
  by_parity(std::ssize(planes_), [&](std::int64_t z) {
    plane& of = planes_[at(z)];
    of.flowing.clear();
    of.returns.clear();
    for_each_voxel(z, [&](std::int32_t, const std::int32_t (&node)[4], material_number material, std::int32_t place) {
      const numbers m(materials_[material]);
      tensor strain, relaxed;
      kernel::plastic_state<double> state;
      kernel::trial_stress<double> trial;
      points_.strains(u, node, strain);
      const kernel::plastic_state<double>* known = read_state(of, place, state) ? &state : nullptr;
      const bool flows = kernel::return_to_surface(strain, known, m, mean_dilatation_, trial);
      if (!flows && !known) return;
      kernel::relaxed_stress(trial, known, m, mean_dilatation_, relaxed);
      points_.subtract(relaxed, node, y);
      if (!flows) return;
      of.flowing.push_back({{node[0], node[1], node[2], node[3]}, material, place});
      if (m.is_quadric) {
        const kernel::quadric_returns end = kernel::returns_of(trial);
        of.returns.resize(of.returns.size() + 16);
        kernel::store(of.returns.data() + of.returns.size() - 16, end.multiplier);
        kernel::store(of.returns.data() + of.returns.size() - 8, end.per_root);
      }
    });
  });
}

void plastic_voxels::add_tangent(const double* u, const double* p, double* q) const {
  by_parity(std::ssize(planes_), [&](std::int64_t z) {
    const plane& of = planes_[at(z)];
    std::size_t next = 0;  // number of voxels with a quadric
    for (const plane::flow_place& v : of.flowing) {
      // Single precision is sufficient, because corrections are accurate to only two digits.
      const kernel::plastic_numbers<float> m(materials_[v.material]);
      kernel::tensor_at_points<float> strain, change, relaxed;
      kernel::plastic_state<float> state;
      kernel::trial_stress<float> trial;
      points_.strains(u, v.node, strain);
      kernel::quadric_returns known;
      if (m.is_quadric) {
        kernel::load(known.multiplier, of.returns.data() + next);
        kernel::load(known.per_root, of.returns.data() + next + 8);
        next += 16;
      }
      kernel::return_to_surface(strain, read_state(of, v.state, state) ? &state : nullptr, m, mean_dilatation_, trial,
                                m.is_quadric ? &known : nullptr);
      points_.strains(p, v.node, change);
      kernel::relaxed_tangent(trial, change, m, mean_dilatation_, relaxed);
      points_.subtract(relaxed, v.node, q);
    }
  });
}

step_sums plastic_voxels::commit(const double* u) {
  std::vector<step_sums> sums(planes_.size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t z = 0; z < static_cast<std::int64_t>(planes_.size()); ++z) {
    plane& of = planes_[at(z)];
    plane now;
    step_sums& sum = sums[at(z)];
    // Exactly the needed capacity is reserved. Growth by doubling would leave unused capacity. This capacity would be a
    // significant part of the memory of the job.
    const auto anew = std::count_if(of.flowing.begin(), of.flowing.end(), [](const auto& v) { return v.state < 0; });
    const std::size_t most = of.yielded.size() + at(anew);
    now.yielded.reserve(most);
    now.state.reserve(most * state_floats);
    for_each_voxel(z, [&](std::int32_t cell, const std::int32_t (&node)[4], material_number material, std::int32_t place) {
      const numbers m(materials_[material]);
      tensor strain;
      kernel::plastic_state<double> state;
      kernel::trial_stress<double> trial;
      points_.strains(u, node, strain);
      const bool known = read_state(of, place, state);
      const bool flows = kernel::return_to_surface<double>(strain, known ? &state : nullptr, m, mean_dilatation_, trial);
      sum.stored_mJ += points_.weight * sum_of_points(kernel::elastic_energy(trial, m));
      sum.whole_strain_mJ += points_.weight * sum_of_points(kernel::energy_of_strain(strain, m, mean_dilatation_));
      if (!known && !flows) return;
      const eight before = state.alpha;
      if (flows) kernel::flow(trial, m, state);
      now.yielded.push_back(cell);
      const std::size_t begin = now.state.size();
      now.state.resize(begin + state_floats);
      for (int i = 0; i < 7; ++i)
        for (int g = 0; g < 8; ++g)
          now.state[begin + at(8 * i + g)] = static_cast<float>(i < 6 ? state.strain[i][g] : state.alpha[g]);
      // The sums are computed with the rounded states, because later steps use the rounded states.
      read_state(now, static_cast<std::int32_t>(now.yielded.size() - 1), state);
      kernel::return_to_surface(strain, &state, m, mean_dilatation_, trial);
      for (int g = 0; g < 8; ++g) {
        sum.violation = std::max(sum.violation, trial.excess[g]);
        sum.smallest_dissipation = std::min(sum.smallest_dissipation, state.alpha[g] - before[g]);
      }
      sum.dissipated_mJ += points_.weight * sum_of_points(state.alpha);
      sum.hardening_mJ += points_.weight * m.h / 2 * sum_of_points(state.alpha * state.alpha);
      ++sum.yielded;
      const double pressure = sum_of_points(trial.pressure);
      sum.in_tension += pressure > 0;
      sum.in_compression += pressure < 0;
    });
    of = std::move(now);
  }
  step_sums total;
  for (const step_sums& s : sums) total.add(s);
  total.add_ranks(problem_.where.comm);
  return total;
}

std::int64_t plastic_voxels::bytes() const {
  std::int64_t sum = 0;
  for (const plane& of : planes_)
    sum += static_cast<std::int64_t>(of.state.capacity() * sizeof(float) + of.yielded.capacity() * sizeof(std::int32_t));
  return sum;
}

std::vector<float> plastic_voxels::plastic_strain() const {
  std::vector<float> values(at(problem_.cells.size()), 0.0F);
  for (const plane& of : planes_)
    for (std::size_t i = 0; i < of.yielded.size(); ++i) {
      const float* s = of.state.data() + i * state_floats;
      double sum = 0;
      for (int g = 0; g < 8; ++g) {
        double e[6];
        for (int c = 0; c < 6; ++c) e[c] = s[8 * c + g];
        const double mean = (e[0] + e[1] + e[2]) / 3;
        double square = (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]) / 2;
        for (int c = 0; c < 3; ++c) square += (e[c] - mean) * (e[c] - mean);
        sum += std::sqrt(square * 2 / 3);
      }
      values[at(of.yielded[i])] = static_cast<float>(sum / 8);
    }
  return values;
}

std::vector<float> plastic_voxels::dissipation() const {
  std::vector<float> values(at(problem_.cells.size()), 0.0F);
  for (const plane& of : planes_)
    for (std::size_t i = 0; i < of.yielded.size(); ++i) {
      const float* alpha = of.state.data() + i * state_floats + 48;
      double sum = 0;
      for (int g = 0; g < 8; ++g) sum += alpha[g];
      values[at(of.yielded[i])] = static_cast<float>(sum / 8);
    }
  return values;
}

// The low corner of a cell is a node on the rank of the cell. This corner is not the low corner of any other cell.
void plastic_voxels::put_states(int first, int count, std::span<float> at_corners) const {
  for (std::size_t z = 0; z < planes_.size(); ++z) {
    const plane& of = planes_[z];
    for_each_voxel(static_cast<std::int64_t>(z),
                   [&](std::int32_t, const std::int32_t (&node)[4], material_number, std::int32_t place) {
                     if (place < 0) return;
                     const std::size_t from = at(place) * state_floats + at(first);
                     std::copy_n(of.state.data() + from, count, at_corners.data() + at(node[0]) * at(count));
                   });
  }
}

void plastic_voxels::restore(std::span<const float> at_corners) {
  for (std::size_t z = 0; z < planes_.size(); ++z) {
    plane now;
    planes_[z] = {};
    for_each_voxel(static_cast<std::int64_t>(z),
                   [&](std::int32_t cell, const std::int32_t (&node)[4], material_number, std::int32_t) {
                     const auto state = at_corners.subspan(at(node[0]) * state_floats, state_floats);
                     if (std::all_of(state.begin(), state.end(), [](float v) { return v == 0; })) return;
                     now.yielded.push_back(cell);
                     now.state.insert(now.state.end(), state.begin(), state.end());
                   });
    planes_[z] = std::move(now);
  }
}

}  // namespace osteon::physics
