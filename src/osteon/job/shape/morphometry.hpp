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

/// Return the job without the requirements that its physics has on the solid, such as a connection of two faces. The output
/// directory of the new job is the subfolder `morphometry`.
spec job_for_shape(const spec& job);

/// Thickness of a phase. @param phase 1 or 0, shape of where.owned @collective on where.comm
morphometry::thickness_statistics thickness_of(const grid::block& where, const std::vector<float>& phase,
                                               const vector3& spacing_mm);

/// The statistics as an answer. If the phase has no voxels, the result is null.
nlohmann::ordered_json to_json(const morphometry::thickness_statistics& s);

/// Measure the solid in the imported model of a job (docs/reference/morphometry.md). Results are independent of the number
/// of ranks.
/// @param with_throats true: also measure the throats of the pores. The pores are the fluid of a flow, or the empty space in
/// other jobs.
/// @throws data_error if there is no solid or no empty space; usage_error if there are more ranks than lines of voxels
/// @collective on comm @cost memory of 40 bytes per voxel of the rank's box, extended by the largest thickness
nlohmann::ordered_json measure_shape(MPI_Comm comm, const spec& job, bool with_throats, log_sink& log);

/// Add the morphometry of the solved model to the summary of the job. For a flow, the morphometry also contains throats. If
/// the model has no morphometry, the function warns. If there are more ranks than lines of voxels, the excess ranks wait.
/// @throws machine_error if the summary cannot be written @collective on comm
void report_shape(MPI_Comm comm, const spec& job, log_sink& log);

/// The measures as a table for the terminal.
std::string table_of_shape(const nlohmann::ordered_json& measures);

}  // namespace osteon::job
