#pragma once
/// @file
/// Constants of compute by a pilot: the job itself, run on two pieces of its image, on this machine.
#include <app/common_options.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/stage_costs.hpp>
#include <string>
#include <vector>

namespace osteon::app {

struct pilot_request {
  std::string job_file;
  std::vector<std::string> set;  ///< changes of its keys
  bool shares_host = true;       ///< whether several ranks of a host compute at once
  bool anew = false;             ///< whatever is kept from an earlier pilot
};

/// Run the job on a piece of at most 80^3 voxels out of the middle, on one of half its edges, and, where ranks share hosts,
/// on a copy for each core at once. Kept for the same job, image, program and machine in $OSTEON_CACHE, or in osteon/ of the
/// user's cache folder.
/// @param shape of the job's image
/// @return nothing if the job cannot be run on pieces of its image, which is said
std::optional<job::stage_costs> costs_by_pilot(const job::spec& job, index3 shape, const pilot_request& request,
                                               log_sink& log);

}  // namespace osteon::app
