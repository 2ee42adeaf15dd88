#pragma once
/// @file
/// Cost constants from a pilot. A pilot consists of runs of the job on two pieces of its image on this machine.
#include <app/common_options.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/stage_costs.hpp>
#include <string>
#include <vector>

namespace osteon::app {

struct pilot_request {
  std::string job_file;
  std::vector<std::string> set;  ///< keys changed in the pilot runs
  bool shares_host = true;       ///< true if several ranks of a host compute simultaneously
  bool anew = false;             ///< ignore the constants of an earlier pilot
};

/// Run the job on a central piece of at most 80^3 voxels, and on a piece with half the edge lengths. If ranks share hosts,
/// also run one copy per core simultaneously. Store the constants for the same job, image, program and machine in
/// $OSTEON_CACHE, or in osteon/ of the user's cache folder.
/// @param shape size in voxels of the job's image
/// @return the constants; none, after a note, if the job cannot run on pieces of its image
std::optional<job::stage_costs> costs_by_pilot(const job::spec& job, index3 shape, const pilot_request& request,
                                               log_sink& log);

}  // namespace osteon::app
