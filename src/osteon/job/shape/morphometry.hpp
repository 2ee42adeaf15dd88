#pragma once
/// @file
/// The shape of a job's solid, in the measures that bone is described by.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/morphometry/local_thickness.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The same job without what only its physics asks of the solid, such as that it joins two faces, with a folder of its own,
/// `morphometry` in that of the job.
spec job_for_shape(const spec& job);

/// Thickness of a phase. @param phase 1 or 0, shape of where.owned @collective on where.comm
morphometry::thickness_statistics thickness_of(const grid::block& where, const std::vector<float>& phase,
                                               const vector3& spacing_mm);

/// That as an answer; null: the phase has no voxel.
nlohmann::ordered_json to_json(const morphometry::thickness_statistics& s);

/// Measure the solid of a job's model, which import has made: docs/reference/morphometry.md. Nothing depends on the number
/// of ranks.
/// @param with_throats those of the pores, too: of the fluid of a flow, else of what is not solid
/// @throws data_error if there is no solid, or nothing else; usage_error if there are more ranks than lines of voxels
/// @collective on comm @cost memory: 40 bytes a voxel of the rank's box, and as many voxels around it as the thickest place
nlohmann::ordered_json measure_shape(MPI_Comm comm, const spec& job, bool with_throats, log_sink& log);

/// Put the measures of a job's model, as it was solved on, into its summary as `morphometry`; of a flow with throats. A
/// model that cannot be measured is a warning. Ranks beyond the lines of voxels wait.
/// @throws machine_error if the summary cannot be written @collective on comm
void tell_shape(MPI_Comm comm, const spec& job, log_sink& log);

/// The measures as a table for the terminal.
std::string table_of_shape(const nlohmann::ordered_json& measures);

}  // namespace osteon::job
