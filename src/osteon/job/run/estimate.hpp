#pragma once
/// @file
/// What a job would take, before it is run.
#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

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
  int computed = 1;                        ///< times: 2 if the other connectivity is compared
  double cpu_seconds = 0;                  ///< all ranks, each time
  double wall_seconds = 0;                 ///< on as many cores as ranks
  nlohmann::ordered_json to_json() const;
  std::string to_text() const;
};

/// Import the model if needed, so that voxels and unknowns are counted, not guessed, and predict from measured constants. Of
/// an image of more than 1 GiB the header and some planes are read instead.
/// @param ranks 0 for the ranks that the job would start @param always_count however large the image
estimation estimate(const spec& job, int ranks, bool always_count, log_sink& log);

}  // namespace osteon::job
