#include <osteon/physics/flow/solver/transport/stability.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <osteon/base/at.hpp>
#include <osteon/base/dense.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::physics {

namespace {

constexpr double small_disturbance = 5e-3;  // size of the disturbance relative to the range of the temperature
constexpr int stability_steps = 20;
// Growth and decay of the disturbance after which further steps add no information.
constexpr double much_growth = 30, much_decay = 1e-3;

double counted_product(const std::vector<std::uint8_t>& counts, const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (counts.empty() || counts[i] != 0) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

// Uniform random number in [-1, 1], computed from the number of a voxel (splitmix64).
double noise_of(std::uint64_t n) {
  n += 0x9e3779b97f4a7c15ULL;
  n = (n ^ (n >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  n = (n ^ (n >> 27U)) * 0x94d049bb133111ebULL;
  n ^= n >> 31U;
  return 2 * std::ldexp(static_cast<double>(n >> 11U), -53) - 1;
}

}  // namespace

double leading_multiplier(MPI_Comm comm, const std::vector<std::uint8_t>& counts,
                          const std::vector<std::vector<float>>& vectors) {
  const std::size_t size = vectors.size();
  if (size < 2) return 0;
  std::vector<double> gram(size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      gram[i * size + j] = gram[j * size + i] = counted_product(counts, vectors[i], vectors[j]);
  comm::all_reduce(comm, gram.data(), static_cast<std::int64_t>(gram.size()), MPI_SUM);
  constexpr double error_of_steps = 1e-5;
  return spectral_radius_of_sequence(gram, static_cast<int>(size), error_of_steps);
}

stability_verdict test_stability(MPI_Comm comm, const std::vector<std::uint8_t>& counts, const stepped_state& steps,
                                 const std::vector<double>& steady, const std::vector<double>& first) {
  stability_verdict result;
  std::vector<double> state = steady;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += small_disturbance * first[i];
  steps.set(state);
  std::vector<std::vector<float>> vectors;
  double first_size = 0;
  for (int n = 0; n <= stability_steps; ++n) {
    if (!steps.step()) return result;
    state = steps.get();
    std::vector<float>& own = vectors.emplace_back(state.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<float>(state[i] - steady[i]);
    double square = counted_product(counts, own, own);
    comm::all_reduce(comm, &square, 1, MPI_SUM);
    const double size = std::sqrt(square);
    if (!std::isfinite(size)) return result;
    if (n == 0) first_size = size;
    if (n >= 2 && (size > much_growth * first_size || size < much_decay * first_size)) break;
  }
  result.is_known = true;
  result.multiplier = leading_multiplier(comm, counts, vectors);
  result.disturbance.assign(vectors.back().begin(), vectors.back().end());
  return result;
}

std::vector<double> disturbance_of(const temperature_problem& heat, const transport_cells& cells, std::size_t size) {
  std::vector<double> result(size);
  const index3 domain = heat.where.domain;
  const auto wave = [&](int a, std::int64_t place) {
    // The disturbance varies along all axes. The mean along each axis is not zero. The disturbance therefore contains
    // waves that are uniform along an axis.
    constexpr std::array<std::array<double, 3>, 3> share{{{0.7, 0.45, 0.31}, {0.83, 0.52, 0.23}, {0.61, 0.37, 0.29}}};
    const double angle = std::numbers::pi * (static_cast<double>(place) + 0.5) / static_cast<double>(domain[a]);
    double sum = 0.5;
    for (std::size_t k = 0; k < 3; ++k) sum += share[at(a)][k] * std::cos(static_cast<double>(k + 1) * angle);
    return sum;
  };
  for (const voxel::run& r : heat.cells.runs()) {
    const index3 first = heat.where.owned.begin + index3{r.z, r.y, r.x};
    const double across = wave(0, first.z) * wave(1, first.y);
    for (std::int32_t n = 0; n < r.length; ++n) {
      const std::size_t i = at(r.first + n);
      if (cells.is_fluid[i] == 0) continue;
      const auto number = static_cast<std::uint64_t>((first.z * domain.y + first.y) * domain.x + first.x + n);
      constexpr double share_of_noise = 0.3;
      result[i] = across * wave(2, first.x + n) + share_of_noise * noise_of(number);
    }
  }
  return result;
}

}  // namespace osteon::physics
