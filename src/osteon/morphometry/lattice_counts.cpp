#include <osteon/morphometry/lattice_counts.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <osteon/base/dense.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/grid/ghost_cells.hpp>

namespace osteon::morphometry {

namespace {

// Contribution to the Euler number of the common corner of eight voxels, multiplied by eight. The contribution contains the
// corner, halves of its 6 edges, quarters of its 12 faces, and eighths of its 8 cubes. Only elements of solid voxels
// contribute.
constexpr std::array<std::int32_t, 256> eighths = [] {
  std::array<std::int32_t, 256> all{};
  for (unsigned solid = 0; solid < 256; ++solid) {
    int value = solid != 0 ? 8 : 0;
    for (int a = 0; a < 3; ++a)
      for (unsigned side = 0; side < 2; ++side) {  // an edge along the axis a, and the four voxels around this edge
        bool is_there = false;
        for (unsigned v = 0; v < 8; ++v) is_there = is_there || ((v >> a & 1U) == side && (solid >> v & 1U) != 0);
        value -= is_there ? 4 : 0;
      }
    for (unsigned v = 0; v < 8; ++v)
      for (int a = 0; a < 3; ++a)
        if ((v >> a & 1U) == 0) value += (solid >> v & 1U) != 0 || (solid >> (v | 1U << a) & 1U) != 0 ? 2 : 0;
    all[solid] = value - std::popcount(solid);
  }
  return all;
}();

}  // namespace

lattice_counts count_lattice(const grid::block& where, const std::vector<float>& solid) {
  const grid::ghosted_field<float> around = grid::with_ghost_cells(where, solid, 1);
  lattice_counts counts;
  std::int64_t voxels = 0, eighth = 0, inner = 0;
  comm::collectively(where.comm, [&] {
    const index3 shape = around.present.shape();
    const auto at = [&](std::int64_t z, std::int64_t y, std::int64_t x) -> unsigned {
      const index3 v = index3{z, y, x} - around.present.begin;
      for (int a = 0; a < 3; ++a)
        if (v[a] < 0 || v[a] >= shape[a]) return 0;
      return around.values[static_cast<std::size_t>((v.z * shape.y + v.y) * shape.x + v.x)] != 0 ? 1 : 0;
    };
    const auto is_there = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      return z < where.domain.z && y >= 0 && y < where.domain.y && x >= 0 && x < where.domain.x;
    };
    const auto before = [](std::int64_t begin) { return begin == 0 ? std::int64_t{-1} : begin; };
    const box3& own = where.owned;
    std::array<std::int64_t, 26> found{};
    std::int64_t* const numbers = found.data();
#pragma omp parallel for schedule(dynamic) reduction(+ : voxels, eighth, inner, numbers[ : 26])
    for (std::int64_t z = before(own.begin.z); z < own.end.z; ++z)
      for (std::int64_t y = before(own.begin.y); y < own.end.y; ++y)
        for (std::int64_t x = before(own.begin.x); x < own.end.x; ++x) {
          unsigned cube = 0;  // one bit for each voxel around a corner, in the order z, y, x
          for (unsigned v = 0; v < 8; ++v) cube |= at(z + (v >> 2 & 1U), y + (v >> 1 & 1U), x + (v & 1U)) << v;
          eighth += eighths[cube];
          const bool is_inner = z >= 0 && y >= 0 && x >= 0 && is_there(z + 1, y + 1, x + 1);
          inner += is_inner ? eighths[cube] : 0;
          if (z < 0 || y < 0 || x < 0) continue;
          const unsigned here = cube & 1U;
          voxels += here;
          for (std::size_t k = 0; k < 13; ++k) {
            const auto& s = lattice_steps[k];
            if (!is_there(z + s[0], y + s[1], x + s[2])) continue;
            ++numbers[13 + k];
            numbers[k] += at(z + s[0], y + s[1], x + s[2]) != here;
          }
        }
    for (std::size_t k = 0; k < 13; ++k) {
      counts.mixed[k] = found[k];
      counts.pairs[k] = found[13 + k];
    }
  });
  comm::all_reduce(where.comm, &voxels, 1, MPI_SUM);
  comm::all_reduce(where.comm, &eighth, 1, MPI_SUM);
  comm::all_reduce(where.comm, &inner, 1, MPI_SUM);
  comm::all_reduce(where.comm, counts.mixed.data(), 13, MPI_SUM);
  comm::all_reduce(where.comm, counts.pairs.data(), 13, MPI_SUM);
  counts.voxels = voxels;
  counts.euler = eighth / 8;
  counts.inner_eighths = inner;
  return counts;
}

std::array<double, 13> intercepts_per_mm(const lattice_counts& counts, const vector3& spacing_mm) {
  std::array<double, 13> all{};
  for (std::size_t k = 0; k < 13; ++k) {
    const auto& s = lattice_steps[k];
    const double length = std::hypot(s[0] * spacing_mm.z, s[1] * spacing_mm.y, s[2] * spacing_mm.x);
    if (counts.pairs[k] > 0) all[k] = static_cast<double>(counts.mixed[k]) / (static_cast<double>(counts.pairs[k]) * length);
  }
  return all;
}

std::array<double, 13> direction_weights(const vector3& spacing_mm) {
  std::array<std::array<double, 3>, 13> unit{};
  for (std::size_t k = 0; k < 13; ++k) {
    const auto& s = lattice_steps[k];
    const double z = s[0] * spacing_mm.z, y = s[1] * spacing_mm.y, x = s[2] * spacing_mm.x, length = std::hypot(z, y, x);
    unit[k] = {z / length, y / length, x / length};
  }
  // On a sphere, equal steps of height and angle cover equal areas. One hemisphere is sufficient.
  constexpr int heights = 400, angles = 800;
  std::array<std::int64_t, 13> nearest{};
  for (int i = 0; i < heights; ++i)
    for (int j = 0; j < angles; ++j) {
      const double z = (i + 0.5) / heights, r = std::sqrt(1 - z * z), angle = 2 * std::numbers::pi * (j + 0.5) / angles;
      const double y = r * std::cos(angle), x = r * std::sin(angle);
      std::size_t best = 0;
      double most = -1;
      for (std::size_t k = 0; k < 13; ++k)
        if (const double c = std::abs(z * unit[k][0] + y * unit[k][1] + x * unit[k][2]); c > most) most = c, best = k;
      ++nearest[best];
    }
  std::array<double, 13> all{};
  for (std::size_t k = 0; k < 13; ++k) all[k] = static_cast<double>(nearest[k]) / (heights * angles);
  return all;
}

double surface_mm2(const lattice_counts& counts, index3 domain, const vector3& spacing_mm) {
  const auto intercepts = intercepts_per_mm(counts, spacing_mm), weight = direction_weights(spacing_mm);
  const double volume = static_cast<double>(domain.volume()) * spacing_mm.z * spacing_mm.y * spacing_mm.x;
  double mean = 0;
  for (std::size_t k = 0; k < 13; ++k) mean += weight[k] * intercepts[k];
  return 2 * mean * volume;
}

std::optional<fabric> fabric_of(const lattice_counts& counts, index3 domain, const vector3& spacing_mm) {
  const auto intercepts = intercepts_per_mm(counts, spacing_mm);
  const double share = static_cast<double>(counts.voxels) / static_cast<double>(domain.volume());
  std::array<double, 13 * 6> rows{};
  std::array<double, 13> squares{};
  for (std::size_t k = 0; k < 13; ++k) {
    const auto& s = lattice_steps[k];
    std::array<double, 3> u{s[0] * spacing_mm.z, s[1] * spacing_mm.y, s[2] * spacing_mm.x};
    const double length = std::hypot(u[0], u[1], u[2]);
    for (double& component : u) component /= length;
    const std::array row{u[0] * u[0], u[1] * u[1], u[2] * u[2], 2 * u[0] * u[1], 2 * u[1] * u[2], 2 * u[0] * u[2]};
    std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(6 * k));
    // The mean intercept is 2 share / intercepts. On a line with the length L, the length in the solid is share L. The line
    // has intercepts L intersections with the surface. Each intercept has two intersections.
    squares[k] = share > 0 ? std::pow(intercepts[k] / (2 * share), 2) : 0;
  }
  const std::vector<double> m = least_squares(rows, 6, squares);
  const symmetric_spectrum solved =
      spectrum_of_symmetric(std::array{m[0], m[3], m[5], m[3], m[1], m[4], m[5], m[4], m[2]}, 3);
  if (!(solved.values[0] > 1e-12 * solved.values[2]) || !(solved.values[2] > 0)) return {};
  fabric f;
  // the eigenvalues are ascending; the smallest inverse square belongs to the longest axis
  for (std::size_t n = 0; n < 3; ++n) {
    f.length_mm[n] = 1 / std::sqrt(solved.values[n]);
    std::copy_n(solved.vectors[n].begin(), 3, f.direction_zyx[n].begin());
  }
  return f;
}

}  // namespace osteon::morphometry
