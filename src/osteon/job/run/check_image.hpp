#pragma once
/// @file
/// What `osteon run` would refuse of a job's image, and of its loads on that image, without running it.
#include <mpi.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <osteon/job/spec.hpp>
#include <vector>

namespace osteon::job {

struct image_check {
  std::vector<problem> problems;  ///< `where` is the key
  std::vector<problem> warnings;
  nlohmann::ordered_json facts;  ///< format, shape, dtype, spacing_mm, grey range, solid share ...; null if unreadable
  std::string looked_at;         ///< how much of the image was read, in words
};

/// Images of up to so many voxels are segmented as by `osteon import`, into a folder that is gone afterwards.
constexpr std::int64_t most_voxels_to_check = std::int64_t{1} << 25;

/// Open the image of a job without faults, or read the model of another program. Up to `most_voxels` all is done that `run`
/// does before it solves: the image is read and segmented, sets, supports and forces are made. Of a larger one the header is
/// read, and a sample for the greys.
/// @param comm of one rank
/// @throws machine_error if images cannot be read here
image_check check_image(MPI_Comm comm, const spec& job, std::int64_t most_voxels = most_voxels_to_check);

}  // namespace osteon::job
