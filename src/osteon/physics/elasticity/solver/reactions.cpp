#include <osteon/physics/elasticity/solver/reactions.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/comm/reductions.hpp>

namespace osteon::physics {

namespace {

// Call body(position [mm], index of the first component) for the nodes not present on a lower rank.
template <class F>
void for_each_owned(const elasticity_problem& problem, const elasticity_solution& solution,
                    std::span<const std::int32_t> nodes, F body) {
  const vector3 h = problem.spacing_mm;
  auto run = problem.nodes.runs().begin();
  for (const std::int32_t node : nodes) {
    if (std::binary_search(solution.copies.begin(), solution.copies.end(), node)) continue;
    while (node >= run->first + run->length) ++run;
    const index3 at = problem.where.owned.begin + index3{run->z, run->y, run->x + node - run->first};
    body(vector3{h.z * static_cast<double>(at.z), h.y * static_cast<double>(at.y), h.x * static_cast<double>(at.x)},
         3 * static_cast<std::size_t>(node));
  }
}

}  // namespace

wrench resultant(const elasticity_problem& problem, const elasticity_solution& solution, std::span<const std::int32_t> nodes,
                 std::optional<vector3> about_mm) {
  const MPI_Comm comm = problem.where.comm;
  std::array<double, 4> place{};  // sum of the positions, number of nodes
  for_each_owned(problem, solution, nodes, [&](vector3 at, std::size_t) {
    for (int c = 0; c < 3; ++c) place[static_cast<std::size_t>(c)] += at[c];
    ++place[3];
  });
  comm::all_reduce(comm, place.data(), 4, MPI_SUM);
  wrench result;
  result.nodes = static_cast<std::int64_t>(place[3]);
  if (result.nodes > 0) result.about_mm = {place[0] / place[3], place[1] / place[3], place[2] / place[3]};
  if (about_mm) result.about_mm = *about_mm;

  std::array<double, 6> sums{};
  for_each_owned(problem, solution, nodes, [&](vector3 at, std::size_t i) {
    const vector3 arm{at.z - result.about_mm.z, at.y - result.about_mm.y, at.x - result.about_mm.x};
    const vector3 f{solution.reaction_N[i], solution.reaction_N[i + 1], solution.reaction_N[i + 2]};
    const double terms[6] = {f.z, f.y, f.x, arm.x * f.y - arm.y * f.x, arm.z * f.x - arm.x * f.z, arm.y * f.z - arm.z * f.y};
    for (std::size_t c = 0; c < 6; ++c) sums[c] += terms[c];
  });
  comm::all_reduce(comm, sums.data(), 6, MPI_SUM);
  result.force_N = {sums[0], sums[1], sums[2]};
  result.moment_N_mm = {sums[3], sums[4], sums[5]};
  return result;
}

void force_balance::add(const elasticity_problem& problem, std::int32_t node, int along, double force_N, double moves) {
  const vector3 arm = position_mm(problem, node);
  sums_[static_cast<std::size_t>(along)] += force_N;
  for (int about = 0; about < 3; ++about) {
    if (about == along) continue;
    const int third = 3 - about - along;
    const double moment = ((about + 1) % 3 == along ? 1 : -1) * arm[third] * force_N;  // the order (z, y, x) is left-handed
    sums_[static_cast<std::size_t>(3 + about)] += moment;
    sums_[7] += std::abs(moment);
  }
  sums_[6] += std::abs(force_N);
  sums_[8] += force_N * moves;
}

void force_balance::certify(MPI_Comm comm, double energy, numerics::solve_certificate& certificate) {
  comm::all_reduce(comm, sums_.data(), 9, MPI_SUM);
  const auto& [z, y, x, about_z, about_y, about_x, forces, moments, work] = sums_;
  certificate.reaction_imbalance = forces > 0 ? std::hypot(z, y, x) / (forces / 2) : 0;
  certificate.moment_imbalance = moments > 0 ? std::hypot(about_z, about_y, about_x) / (moments / 2) : 0;
  certificate.energy_identity_error = work != 0 ? std::abs(energy - work) / std::abs(work) : 0;
}

}  // namespace osteon::physics
