#pragma once
/// @file
/// Checks and estimates before a run. The checks find faults of the image and the loads, and the estimates are for sizes,
/// memory and time.
#include <mpi.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

struct image_check {
  std::vector<problem> problems;  ///< `where` contains the key of a problem
  std::vector<problem> warnings;
  /// format, shape, dtype, spacing_mm, grey range, fraction of solid, ...; null if the image cannot be read
  nlohmann::ordered_json facts;
  std::string looked_at;  ///< description of the part of the image that the check has read
};

/// Maximum number of voxels for a complete check. Such an image is segmented as by `osteon import`, and the model is in a
/// temporary folder.
constexpr std::int64_t most_voxels_to_check = std::int64_t{1} << 25;

/// Open the image of a job without faults, or read the model of another program. For images with up to `most_voxels` voxels,
/// execute all steps of `run` before the solve. These steps read and segment the image, and create sets, supports and
/// forces. For larger images, read the header, and a sample of the grey values.
/// @param comm communicator with one rank
/// @throws machine_error if images cannot be read on this machine
image_check check_image(MPI_Comm comm, const spec& job, std::int64_t most_voxels = most_voxels_to_check);

/// Check the files and the header of the image of a job with faults. The faults of the job and of the image can then be
/// reported together. Faults of the image are missing files, and errors of the voxel size or the shape. If the keys of the
/// image have faults, the function reads no files.
/// @param found faults of the job; the function appends faults of the image @param warnings receives warnings about keys and
/// size of the job
/// @return description of the part of the image that the function has read
std::string add_faults_of_image(const spec& job, std::vector<problem>& found, std::vector<problem>& warnings);

struct estimation {
  std::string job, physics;
  int ranks = 1, threads = 1;
  bool bricks = false;
  std::int64_t voxels = 0, elements = 0;
  std::int64_t dofs = 0;  ///< number of unknowns of the largest system
  /// true if the unknowns are counted in the model; unknowns that tests prescribe are not counted
  bool counted = false;
  std::int64_t sampled_voxels = 0;  ///< number of sampled voxels of a large image; 0: no sampling
  std::int64_t largest_elements_per_rank = 0;
  double imbalance = 1;                    ///< largest number of elements of a rank divided by the mean number
  std::int64_t memory_bytes_per_rank = 0;  ///< memory of the rank with the largest number of elements
  /// memory of the import process; the image reader is not included, because it runs earlier
  std::int64_t import_memory_bytes = 0;
  std::int64_t exchange_bytes = 0;  ///< size of the largest message of one halo exchange
  int computed = 1;                 ///< number of solves, including solves on changed images and with the other connectivity
  double cpu_seconds = 0;           ///< CPU time of all solves on all ranks, from estimate_time
  double wall_seconds = 0;          ///< wall time if there are as many cores as ranks
  nlohmann::ordered_json to_json() const;
  std::string to_text() const;
};

/// Size of a job. The size is independent of the number of ranks.
struct job_size {
  voxel::model_header header;  ///< shape and active_per_plane; complete only if the model has been imported
  std::int64_t nodes = 0;      ///< number of nodes; 0: unknown
  solver_work work;
  std::int64_t sampled_voxels = 0;
  bool imported = false;      ///< false: header and nodes are estimates from a sample
  bool was_there = false;     ///< true if the model existed before the call; a run then does not import the image
  double import_seconds = 0;  ///< CPU time in s of the import by this call, including the image reader
  std::string model;          ///< path of the model, if the model has been imported
};

/// Import the model if necessary. Voxels and unknowns are then counted instead of estimated. If an image has more than 1
/// GiB, or if an image without a model has more than 64 MiB, the function reads only the header and some planes.
/// @param always_count true: import the model of an image of any size
job_size size_of(const spec& job, bool always_count, log_sink& log);

/// Check the predicted memory of the ranks against the memory limit of the batch job.
/// @param ranks_on_host largest number of ranks on a host
/// @throws machine_error with both values if the limit is exceeded @collective local
void require_memory_of_allocation(const spec& job, std::int64_t ranks, std::int64_t ranks_on_host);

/// Predict sizes and memory from constants of the physics. @param ranks 0 for the default number of ranks of the job
estimation estimate(const spec& job, const job_size& size, int ranks);
/// Determine the size of a job, and predict sizes and memory.
estimation estimate(const spec& job, int ranks, bool always_count, log_sink& log);

}  // namespace osteon::job
