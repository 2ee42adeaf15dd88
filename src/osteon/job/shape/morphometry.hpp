#pragma once
/// @file
/// Bone morphometry of the solid of a job.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/morphometry/local_thickness.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Return the job without the requirements of its physics on the solid, such as a connection of two faces. Its output
/// directory is the subfolder `morphometry`.
spec job_for_shape(const spec& job);

/// Thickness of a phase. @param phase 1 or 0, shape of where.owned @collective on where.comm
morphometry::thickness_statistics thickness_of(const grid::block& where, const std::vector<float>& phase,
                                               const vector3& spacing_mm);

/// The statistics as an answer; null: the phase has no voxel.
nlohmann::ordered_json to_json(const morphometry::thickness_statistics& s);

/// Measure the solid of a job's imported model (docs/reference/morphometry.md). Results are independent of the number of
/// ranks.
/// @param with_throats also measure the throats of the pores, which are the fluid of a flow or else the empty space
/// @throws data_error if there is no solid, or no empty space; usage_error if there are more ranks than lines of voxels
/// @collective on comm @cost memory: 40 bytes per voxel of the rank's box, extended by the largest thickness
nlohmann::ordered_json measure_shape(MPI_Comm comm, const spec& job, bool with_throats, log_sink& log);

/// Add the morphometry of the solved model to the summary of the job. For a flow, the morphometry includes throats. A model
/// without morphometry causes a warning. Ranks in excess of the number of voxel lines wait.
/// @throws machine_error if the summary cannot be written @collective on comm
void report_shape(MPI_Comm comm, const spec& job, log_sink& log);

/// The measures as a table for the terminal.
std::string table_of_shape(const nlohmann::ordered_json& measures);

}  // namespace osteon::job
