#pragma once
/// @file
/// Locations of the probes of a job. A location consists of voxels on this rank and of the weights of these voxels.
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

/// A point, or a region with a mean value. The value is the sum of weight times value of a voxel, over the voxels of all
/// ranks.
///
/// The value at a point is interpolated trilinearly between up to eight voxel centres. Beyond the outermost centres, the
/// value is constant. The velocity is interpolated as in streamlines and pathlines (render::interpolate). In solid voxels,
/// the velocity is zero. A mean contains the fluid voxels that have their centres in the box or ball.
struct probe_place {
  struct part {
    /// indices of the voxel in the fluid cells and in all active cells; -1: the voxel is not in the list
    std::int32_t fluid = -1, active = -1;
    double weight = 0;
  };
  std::vector<part> parts;  ///< voxels of this rank
};

struct probe_places {
  std::vector<probe_place> places;  ///< places of all probes: one place per probe, or one place for each point of a line
  std::vector<std::size_t> first;   ///< index of the first place of each probe, followed by the number of places
  /// for each probe with a mean: number of voxels on all ranks; 0: the probe is not a mean
  std::vector<std::int64_t> voxels;
};

/// Return true if the value of a probe is a mean.
inline bool is_mean(const probe_spec& p) { return p.low_mm || p.centre_mm; }
/// Return true if a probe records a field. @param has_temperature value of flow.heat
bool records_field(const probe_spec& p, const char* field, bool has_temperature);

/// @param fluid fluid voxels, a subset of part.cells
/// @throws data_error if probes are outside of the image or in the solid. The message lists these probes and the nearest
/// fluid voxels.
/// @collective on part.where.comm, which may be a communicator of virtual ranks @cost O(runs) per box or ball
probe_places place_probes(const spec& job, const local_model& part, const voxel::run_set& fluid, bool has_temperature);

}  // namespace osteon::physics
