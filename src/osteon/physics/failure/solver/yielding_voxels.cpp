#include <osteon/physics/failure/solver/yielding_voxels.hpp>

#include <mpi.h>
#include <algorithm>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/failure/solver/damaged_voxels.hpp>
#include <osteon/physics/failure/solver/plastic_voxels.hpp>

namespace osteon::physics {

void step_sums::add(const step_sums& other) {
  stored_mJ += other.stored_mJ;
  dissipated_mJ += other.dissipated_mJ;
  hardening_mJ += other.hardening_mJ;
  whole_strain_mJ += other.whole_strain_mJ;
  yielded += other.yielded;
  in_tension += other.in_tension;
  in_compression += other.in_compression;
  broken += other.broken;
  violation = std::max(violation, other.violation);
  smallest_dissipation = std::min(smallest_dissipation, other.smallest_dissipation);
}

void step_sums::add_ranks(MPI_Comm comm) {
  double energies[4] = {stored_mJ, dissipated_mJ, hardening_mJ, whole_strain_mJ};
  comm::all_reduce(comm, energies, 4, MPI_SUM);
  std::int64_t voxels[4] = {yielded, in_tension, in_compression, broken};
  comm::all_reduce(comm, voxels, 4, MPI_SUM);
  double worst[2] = {violation, -smallest_dissipation};
  comm::all_reduce(comm, worst, 2, MPI_MAX);
  stored_mJ = energies[0], dissipated_mJ = energies[1], hardening_mJ = energies[2], whole_strain_mJ = energies[3];
  yielded = voxels[0], in_tension = voxels[1], in_compression = voxels[2], broken = voxels[3];
  violation = worst[0], smallest_dissipation = -worst[1] + 0.0;
}

std::unique_ptr<yielding_voxels> make_yielding_voxels(const elasticity_problem& problem, const failure_plan& plan,
                                                      std::int64_t stride) {
  if (!plan.damage.empty()) return std::make_unique<damaged_voxels>(problem, plan.damage, plan.integration, stride);
  return std::make_unique<plastic_voxels>(problem, plan.surfaces, plan.integration, stride);
}

}  // namespace osteon::physics
