#pragma once
/// @file
/// Where the probes of a job are: which voxels of this rank each value is made from, and by which weights.
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

/// A point or a mean: the sum over the voxels that a rank owns, then over the ranks, of value times weight.
///
/// A point lies between up to eight middles of voxels, and has their values trilinearly; beyond the outermost middles it is
/// as there. That is how streamlines and pathlines see the velocity (render::interpolate), which is zero in solid.
/// A mean is that over the fluid voxels whose middles lie in the box or ball.
struct probe_place {
  struct part {
    std::int32_t fluid = -1, active = -1;  ///< numbers among the fluid and among all active cells; -1: not one of them
    double weight = 0;
  };
  std::vector<part> parts;  ///< voxels of this rank
};

struct probe_places {
  std::vector<probe_place> places;   ///< of all probes: one, or one for each point of a line
  std::vector<std::size_t> first;    ///< of each probe, and one more at the end
  std::vector<std::int64_t> voxels;  ///< of each probe, of all ranks: those that its mean is over; 0: it has no mean
};

/// Whether a probe is a mean.
inline bool is_mean(const probe_spec& p) { return p.low_mm || p.centre_mm; }
/// Whether it tells a field. @param has_temperature flow.heat
bool tells(const probe_spec& p, const char* field, bool has_temperature);

/// @param fluid among part.cells
/// @throws data_error that names the probes which lie outside the image or in solid, and the fluid voxel next to each
/// @collective on part.where.comm, which may be of virtual ranks @cost O(runs) a box or ball
probe_places place_probes(const spec& job, const local_model& part, const voxel::run_set& fluid, bool has_temperature);

}  // namespace osteon::physics
