#pragma once
/// @file
/// Locations of the probes of a job: the voxels of this rank and the weights that contribute to each value.
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

/// A point or a mean. The value is the sum of voxel value times weight over the voxels of all ranks.
///
/// The value at a point is interpolated trilinearly between up to eight voxel centres. Beyond the outermost centres the
/// value is constant. Streamlines and pathlines use the same interpolation of the velocity (render::interpolate). The
/// velocity is zero in solid. A mean includes the fluid voxels with centres in the box or ball.
struct probe_place {
  struct part {
    std::int32_t fluid = -1, active = -1;  ///< indices in the fluid cells and in all active cells; -1: not contained
    double weight = 0;
  };
  std::vector<part> parts;  ///< voxels of this rank
};

struct probe_places {
  std::vector<probe_place> places;   ///< places of all probes: one per probe, or one for each point of a line
  std::vector<std::size_t> first;    ///< index of the first place of each probe, and index past the last place
  std::vector<std::int64_t> voxels;  ///< for each probe: number of voxels of a mean, all ranks; 0: not a mean
};

/// Return true if a probe is a mean.
inline bool is_mean(const probe_spec& p) { return p.low_mm || p.centre_mm; }
/// Return true if a probe records a field. @param has_temperature flow.heat
bool records_field(const probe_spec& p, const char* field, bool has_temperature);

/// @param fluid among part.cells
/// @throws data_error if probes are outside the image or in solid; the message lists these probes with the nearest fluid
/// voxels
/// @collective on part.where.comm, which may be of virtual ranks @cost O(runs) per box or ball
probe_places place_probes(const spec& job, const local_model& part, const voxel::run_set& fluid, bool has_temperature);

}  // namespace osteon::physics
