#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/physics/flow/solver/openings/opening_profiles.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>

namespace osteon::physics {

namespace {

std::vector<opening_face> on_all_ranks(MPI_Comm comm, const std::vector<opening_face>& own) {
  std::vector<opening_face> all = comm::gather_to_all(comm, own).values;
  std::sort(all.begin(), all.end());
  return all;
}

// Equations for the cross-section of a channel. The members are the friction and the adjacent faces of each face.
struct cross_section {
  std::vector<double> diagonal;
  std::vector<std::array<std::int32_t, 4>> beside;  // adjacent faces; -1: the adjacent face has no velocity of this opening
  std::array<double, 2> weight{};
};

// The faces [begin, end) of `all` are on one side. Faces of the boundary have a velocity.
cross_section section_of(const through_problem& problem, const std::vector<opening_face>& all,
                         const std::vector<std::size_t>& chosen) {
  const int side = all[chosen.front()].side, axis = side / 2;
  const std::int16_t boundary = all[chosen.front()].boundary;
  cross_section section;
  std::array<int, 2> across{};
  for (std::size_t n = 0; n < 2; ++n) {
    across[n] = static_cast<int>(kernel::axes_across[at(axis)][n]);
    section.weight[n] = 1 / (problem.spacing_mm[across[n]] * problem.spacing_mm[across[n]]);
  }
  std::vector<std::int32_t> number(all.size(), -1);
  for (std::size_t n = 0; n < chosen.size(); ++n) number[chosen[n]] = static_cast<std::int32_t>(n);
  for (const std::size_t k : chosen) {
    const opening_face& f = all[k];
    auto& beside = section.beside.emplace_back();
    beside.fill(-1);
    double diagonal = 0;
    for (std::size_t d = 0; d < 4; ++d) {
      opening_face other = f;
      (d / 2 == 0 ? other.first : other.second) += d % 2 == 0 ? -1 : 1;
      std::int32_t& place = d / 2 == 0 ? other.first : other.second;
      const auto length = static_cast<std::int32_t>(problem.where.domain[across[d / 2]]);
      if (problem.periodic[at(across[d / 2])]) place = (place + length) % length;
      double friction = 2;
      if (place < 0 || place >= length) {
        index3 voxel;
        voxel[axis] = f.layer;
        voxel[across[0]] = f.first;
        voxel[across[1]] = f.second;
        const int b = boundary_at(problem, voxel, 2 * across[d / 2] + static_cast<int>(d % 2));
        if (b >= 0) {
          const face_flow kind = problem.boundaries[at(b)].kind;
          if (kind == face_flow::slip || kind == face_flow::outlet) friction = 0;
        }
      } else if (const auto found = std::lower_bound(all.begin(), all.end(), other);
                 found != all.end() && !(other < *found)) {
        friction = 1;
        if (found->boundary == boundary) beside[d] = number[at(found - all.begin())];
      }
      diagonal += friction * section.weight[d / 2];
    }
    section.diagonal.push_back(diagonal);
  }
  return section;
}

// Velocities under a unit force, computed by conjugate gradients.
std::vector<double> developed(const cross_section& s) {
  const std::size_t size = s.diagonal.size();
  double loose = 0;  // friction that no velocity of the opening balances
  for (std::size_t i = 0; i < size; ++i) {
    double sum = s.diagonal[i];
    for (std::size_t d = 0; d < 4; ++d)
      if (s.beside[i][d] >= 0) sum -= s.weight[d / 2];
    loose += sum;
  }
  if (loose < 1e-9 * s.weight[0]) return std::vector<double>(size, 1);
  std::vector<double> u(size, 0), r(size, 1), z(size), p(size), q(size);
  double before = 0, first = 0;
  for (std::size_t step = 0; step < 4 * size + 100; ++step) {
    double now = 0;
    for (std::size_t i = 0; i < size; ++i) z[i] = r[i] / s.diagonal[i], now += z[i] * r[i];
    if (step == 0) first = now;
    if (now <= 1e-28 * first) break;
    for (std::size_t i = 0; i < size; ++i) p[i] = z[i] + (step == 0 ? 0 : now / before) * p[i];
    before = now;
    double pq = 0;
    for (std::size_t i = 0; i < size; ++i) {
      q[i] = s.diagonal[i] * p[i];
      for (std::size_t d = 0; d < 4; ++d)
        if (s.beside[i][d] >= 0) q[i] -= s.weight[d / 2] * p[at(s.beside[i][d])];
      pq += p[i] * q[i];
    }
    const double alpha = now / pq;
    for (std::size_t i = 0; i < size; ++i) u[i] += alpha * p[i], r[i] -= alpha * q[i];
  }
  return u;
}

// The product of two parabolas. Each parabola is zero on the edges of the rectangle around the faces.
std::vector<double> parabolic(const std::vector<opening_face>& all, const std::vector<std::size_t>& chosen) {
  std::array<std::int32_t, 2> low{all[chosen[0]].first, all[chosen[0]].second}, high = low;
  for (const std::size_t k : chosen) {
    low = {std::min(low[0], all[k].first), std::min(low[1], all[k].second)};
    high = {std::max(high[0], all[k].first), std::max(high[1], all[k].second)};
  }
  std::vector<double> u;
  for (const std::size_t k : chosen) {
    const std::array<std::int32_t, 2> place{all[k].first, all[k].second};
    double product = 1;
    for (std::size_t n = 0; n < 2; ++n) {
      const double from_low = place[n] - low[n] + 0.5, width = high[n] - low[n] + 1;
      product *= from_low * (width - from_low) / (width * width);
    }
    u.push_back(product);
  }
  return u;
}

}  // namespace

opening_face opening_face_at(index3 voxel, int side) {
  const auto& across = kernel::axes_across[at(side / 2)];
  const auto place = [&](std::size_t a) { return static_cast<std::int32_t>(voxel[static_cast<int>(a)]); };
  return {place(at(side / 2)), place(across[0]), place(across[1]), 0, -1, static_cast<std::int16_t>(side), 0};
}

std::vector<opening_face> find_opening_velocities(const through_problem& problem, const numbered_parts& parts,
                                                  const std::vector<bool>& flows, const std::vector<solid_face>& inner) {
  std::array<bool, 6> wanted{};
  bool is_inside_wanted = false;
  for (const flow_boundary& b : problem.boundaries) {
    if (!b.gives_velocity()) continue;
    if (b.is_inside)
      is_inside_wanted = true;
    else
      wanted[b.side()] = true;
  }
  std::vector<opening_face> own;
  const auto runs = problem.cells.runs();
  for (std::size_t n = 0; n < runs.size(); ++n)
    for (int side = 0; side < 6; ++side) {
      if (!wanted[at(side)]) continue;
      const int axis = side / 2;
      const std::int64_t plane = side % 2 == 0 ? 0 : problem.where.domain[axis] - 1;
      const index3 first = problem.where.owned.begin + index3{runs[n].z, runs[n].y, runs[n].x};
      const auto add = [&](index3 voxel) {
        opening_face& f = own.emplace_back(opening_face_at(voxel, side));
        f.part = parts.of_run[n];
        f.boundary = static_cast<std::int16_t>(boundary_at(problem, voxel, side));
      };
      if (axis == 2) {
        if (plane >= first.x && plane < first.x + runs[n].length) add({first.z, first.y, plane});
      } else if (first[axis] == plane) {
        for (std::int32_t x = 0; x < runs[n].length; ++x) add(first + index3{0, 0, x});
      }
    }
  if (is_inside_wanted)
    for (const solid_face& s : inner) {
      if (s.boundary < 0 || !problem.boundaries[at(s.boundary)].passes()) continue;
      const auto next = std::upper_bound(runs.begin(), runs.end(), s.cell,
                                         [](std::int32_t i, const voxel::run& r) { return i < r.first; });
      opening_face& f = own.emplace_back(opening_face_at(s.voxel, s.side));
      f.part = parts.of_run[at(next - runs.begin() - 1)];
      f.boundary = s.boundary;
    }
  std::vector<opening_face> all = on_all_ranks(problem.where.comm, own);
  for (std::size_t b = 0; b < problem.boundaries.size(); ++b) {
    const flow_boundary& boundary = problem.boundaries[b];
    if (!boundary.gives_velocity()) continue;
    std::vector<std::size_t> chosen;
    for (std::size_t n = 0; n < all.size(); ++n)
      if (all[n].boundary == static_cast<std::int16_t>(b) && flows[at(all[n].part)]) chosen.push_back(n);
    if (chosen.empty()) continue;
    const vector3 h = problem.spacing_mm;
    const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
    const auto count = static_cast<double>(chosen.size());
    double whole = 0;
    bool is_flat = true;
    for (const std::size_t n : chosen) {
      whole += area[at(all[n].side / 2)];
      is_flat = is_flat && all[n].side == all[chosen[0]].side && all[n].layer == all[chosen[0]].layer;
    }
    const double mean = boundary.kind == face_flow::velocity ? boundary.value : boundary.value / whole;
    if (!is_flat && (boundary.is_developed || boundary.is_parabolic))
      throw usage_error(fmt::format(
          "{}: the voxel faces of this opening are not in one plane; only the uniform profile is available", boundary.name));
    std::vector<double> profile(chosen.size(), 1);
    if (boundary.is_developed) profile = developed(section_of(problem, all, chosen));
    if (boundary.is_parabolic) profile = parabolic(all, chosen);
    double sum = 0;
    for (const double u : profile) sum += u;
    for (std::size_t n = 0; n < chosen.size(); ++n) all[chosen[n]].velocity_mm_per_s = mean * profile[n] * count / sum;
  }
  return all;
}

}  // namespace osteon::physics
