#pragma once
/// @file
/// Communication plans of a job for any number of ranks. The plans are computed without running the job, or are counted in a
/// run.
#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// A repeated part of a job, and its messages per repetition.
struct job_part {
  /// reading, set_up, load, restart, iteration, writing or picture; heat_... for a preceding problem; or the name that a
  /// solver gives to the part (comm::sent_part). If a part is similar to an iteration, its name contains `iteration`.
  std::string name;
  std::string how_often;  ///< description of how often the part is repeated
  std::vector<comm::plan_traffic> plans;
};

/// Return true if a solver repeats this part. Flow with inertia has several such parts, with and without stored directions.
inline bool is_iteration(const job_part& part) {
  return part.name.starts_with("iteration") && !part.name.starts_with("iteration_without");
}

struct job_plans {
  std::string job, physics;
  int ranks = 1;
  bool bricks = false;
  std::vector<job_part> parts;
  bool are_marked = false;           ///< true if the solver marks its parts; marked parts are counted in a run
  std::vector<std::string> assumed;  ///< possible differences between a run and the plans, as sentences

  bool is_sound() const;  ///< true if every plan passes plan::verify
  nlohmann::ordered_json to_json() const;
  std::string to_text() const;
};

/// Error if the plans of a job require a run. The reason is a clause that follows "because".
struct plans_unknown : usage_error {
  using usage_error::usage_error;
};

/// Import the model if necessary, and set up the neighbours of the solver once on virtual ranks. The neighbours determine
/// the messages of iterations, files and the picture. The plans omit bytes that depend on packing, or on the physical
/// solution. The plans also omit messages of the search for loads and for parts of the solid (docs/reference/plans.md).
/// @throws plans_unknown; usage_error if there are more ranks than planes or voxels; errors of import_model
/// @collective local; MPI must be initialised with MPI_THREAD_SERIALIZED
job_plans plans_of_job(const spec& job, int ranks, log_sink& log);
/// Plans of a job for an existing model.
job_plans plans_of_model(const spec& job, const std::string& path, int ranks, log_sink& log);
/// Voxels that represent a larger image.
struct thinned_image {
  /// number of planes of the larger image; this number determines whether ranks own planes or bricks; 0: the image is not
  /// coarsened
  std::int64_t planes = 0;
  int missing_levels = 0;  ///< numerics::message_count::missing_levels
  /// Number of nodes on each level of the elasticity solver for the larger image. The finest level is first. Empty: unknown.
  std::vector<double> nodes_of_levels{};
};
/// Plans of a job for voxels in memory. @param image material numbers with shape header.shape
job_plans plans_of_voxels(const spec& job, const voxel::model_header& header, const std::vector<material_number>& image,
                          int ranks, const thinned_image& thinned = {});

/// Counted messages in the format of summary.json.
nlohmann::ordered_json describe(const std::vector<comm::plan_traffic>& counted);

}  // namespace osteon::job
