#pragma once
/// @file
/// Before a job is run: what `osteon run` would refuse of its image, and of its loads on that image; and what it would take.
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

/// What the files and the header of a job's image tell of a job that has faults, so that all are reported at once: missing
/// files, voxel size, shape. Nothing is read where the faults are in its keys.
/// @param found the faults of the job; those of the image are added @param warnings of the job's keys and size
/// @return how much of the image was read, in words
std::string add_faults_of_image(const spec& job, std::vector<problem>& found, std::vector<problem>& warnings);

struct estimation {
  std::string job, physics;
  int ranks = 1, threads = 1;
  bool bricks = false;
  std::int64_t voxels = 0, elements = 0;
  std::int64_t dofs = 0;            ///< of the largest system
  bool counted = false;             ///< whether the unknowns are counted on the model, those that tests hold left out
  std::int64_t sampled_voxels = 0;  ///< of a large image: so many were looked at instead; 0: all, or none
  std::int64_t largest_elements_per_rank = 0;
  double imbalance = 1;                    ///< largest share of a rank over the mean
  std::int64_t memory_bytes_per_rank = 0;  ///< of the rank with the largest share
  std::int64_t import_memory_bytes = 0;    ///< of the one process that imports; its image reader runs before
  std::int64_t exchange_bytes = 0;         ///< largest message of one halo exchange
  int computed = 1;                        ///< times: on changed images, with the other connectivity
  double cpu_seconds = 0;                  ///< of solving, all ranks, each time, as estimate_time finds them
  double wall_seconds = 0;                 ///< the same on as many cores as ranks
  nlohmann::ordered_json to_json() const;
  std::string to_text() const;
};

/// How large a job is, which does not depend on its ranks.
struct job_size {
  voxel::model_header header;  ///< shape and active_per_plane; all of it if it was imported
  std::int64_t nodes = 0;      ///< 0: not known
  solver_work work;
  std::int64_t sampled_voxels = 0;
  bool imported = false;      ///< otherwise header and nodes are those of a sample
  bool was_there = false;     ///< the model, so that a run does not import it
  double import_seconds = 0;  ///< CPU seconds that importing has just taken, its reader's too
  std::string model;          ///< path, if it was imported
};

/// Import the model if needed, so that voxels and unknowns are counted, not guessed. Of an image of more than 64 MiB whose
/// model is not there yet, and of any of more than 1 GiB, the header and some planes are read instead.
/// @param always_count however large the image
job_size size_of(const spec& job, bool always_count, log_sink& log);

/// Predict sizes and memory from constants that each physics has. @param ranks 0 for the ranks that the job would start
estimation estimate(const spec& job, const job_size& size, int ranks);
/// Both.
estimation estimate(const spec& job, int ranks, bool always_count, log_sink& log);

}  // namespace osteon::job
