#pragma once
/// @file
/// Checks and estimates before a run: faults of the image and the loads, sizes, memory and time.
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
  std::vector<problem> problems;  ///< `where` is the key
  std::vector<problem> warnings;
  nlohmann::ordered_json facts;  ///< format, shape, dtype, spacing_mm, grey range, solid share ...; null if unreadable
  std::string looked_at;         ///< description of the part of the image that was read
};

/// Images of up to this number of voxels are segmented in the same way as by `osteon import`, with a temporary folder for
/// the model.
constexpr std::int64_t most_voxels_to_check = std::int64_t{1} << 25;

/// Open the image of a job without faults, or read the model of another program. For images of up to `most_voxels` voxels,
/// perform all steps of `run` before the solve: read and segment the image, and make sets, supports and forces. For larger
/// images, read the header and a sample of the grey values.
/// @param comm of one rank
/// @throws machine_error if images cannot be read on this machine
image_check check_image(MPI_Comm comm, const spec& job, std::int64_t most_voxels = most_voxels_to_check);

/// Check the files and the header of the image of a job with faults, so that all faults are reported together. Faults of the
/// image are missing files, and errors of voxel size and shape. No file is read if the keys of the image have faults.
/// @param found faults of the job; the function adds faults of the image @param warnings receives warnings about the job's
/// keys and size
/// @return description of the part of the image that was read
std::string add_faults_of_image(const spec& job, std::vector<problem>& found, std::vector<problem>& warnings);

struct estimation {
  std::string job, physics;
  int ranks = 1, threads = 1;
  bool bricks = false;
  std::int64_t voxels = 0, elements = 0;
  std::int64_t dofs = 0;            ///< unknowns of the largest system
  bool counted = false;             ///< the unknowns are counted in the model, without the unknowns that tests prescribe
  std::int64_t sampled_voxels = 0;  ///< number of sampled voxels of a large image; 0: all voxels, or none
  std::int64_t largest_elements_per_rank = 0;
  double imbalance = 1;                    ///< largest share of a rank relative to the mean
  std::int64_t memory_bytes_per_rank = 0;  ///< memory of the rank with the largest share
  std::int64_t import_memory_bytes = 0;    ///< memory of the import process without its image reader, which runs earlier
  std::int64_t exchange_bytes = 0;         ///< largest message of one halo exchange
  int computed = 1;         ///< number of solves, including solves on changed images and with the other connectivity
  double cpu_seconds = 0;   ///< CPU time of solving, all ranks and all solves, by estimate_time
  double wall_seconds = 0;  ///< wall time with as many cores as ranks
  nlohmann::ordered_json to_json() const;
  std::string to_text() const;
};

/// Size of a job, independent of the number of ranks.
struct job_size {
  voxel::model_header header;  ///< shape and active_per_plane; complete if the model was imported
  std::int64_t nodes = 0;      ///< 0: unknown
  solver_work work;
  std::int64_t sampled_voxels = 0;
  bool imported = false;      ///< if false, header and nodes are estimated from a sample
  bool was_there = false;     ///< the model existed before, so that a run does not import the image
  double import_seconds = 0;  ///< CPU seconds of the import just performed, including its reader
  std::string model;          ///< path, if the model was imported
};

/// Import the model if needed, so that voxels and unknowns are counted instead of estimated. Read only the header and some
/// planes if an image has more than 1 GiB, or if it has more than 64 MiB and no model.
/// @param always_count import the model of an image of any size
job_size size_of(const spec& job, bool always_count, log_sink& log);

/// Predict sizes and memory from constants of the physics. @param ranks 0 for the default number of ranks of the job
estimation estimate(const spec& job, const job_size& size, int ranks);
/// Determine the size of a job, and predict sizes and memory.
estimation estimate(const spec& job, int ranks, bool always_count, log_sink& log);

}  // namespace osteon::job
