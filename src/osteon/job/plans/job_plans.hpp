#pragma once
/// @file
/// The communication plans of a job on any number of ranks, without running it; and those that a run has counted.
#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// A part of a job that happens a number of times, and what it sends each time.
struct job_part {
  /// reading, set_up, load, restart, iteration, writing, picture; heat_... of an earlier problem; or what a solver calls its
  /// parts (comm::sent_part), those that are like an iteration with iteration in their names
  std::string name;
  std::string how_often;  ///< in words
  std::vector<comm::plan_traffic> plans;
};

/// Whether a solver takes such a part over and over. Of flow with inertia there are several, with directions that are kept
/// and without.
inline bool is_iteration(const job_part& part) {
  return part.name.starts_with("iteration") && !part.name.starts_with("iteration_without");
}

struct job_plans {
  std::string job, physics;
  int ranks = 1;
  bool bricks = false;
  std::vector<job_part> parts;
  bool are_marked = false;           ///< the solver marks its parts, which a run counts
  std::vector<std::string> assumed;  ///< what a run may do otherwise, in sentences

  bool is_sound() const;  ///< whether every plan passes plan::verify
  nlohmann::ordered_json to_json() const;
  std::string to_text() const;
};

/// What the plans of such a job cannot be made for without running it, in words that follow "as".
struct plans_unknown : usage_error {
  using usage_error::usage_error;
};

/// Import the model if needed and let virtual ranks set up the solver's neighbours on it, once; what iterations, files and
/// the picture send follows from these. Bytes that only packing or the physical solution tells are left out, and so is what
/// finds loads and parts of the solid (docs/reference/plans.md).
/// @throws plans_unknown; usage_error if there are more ranks than planes or voxels; as import_model
/// @collective local; MPI has to be initialised with MPI_THREAD_SERIALIZED
job_plans plans_of_job(const spec& job, int ranks, log_sink& log);
/// The same of a model that is there.
job_plans plans_of_model(const spec& job, const std::string& path, int ranks, log_sink& log);
/// Voxels that stand for those of a larger image.
struct thinned_image {
  std::int64_t planes = 0;  ///< of the larger image, which choose between planes and bricks; 0: it is none
  int missing_levels = 0;   ///< numerics::message_count::missing_levels
};
/// The same of voxels that are in memory. @param image material numbers, shape header.shape
job_plans plans_of_voxels(const spec& job, const voxel::model_header& header, const std::vector<material_number>& image,
                          int ranks, const thinned_image& thinned = {});

/// What was counted, for summary.json.
nlohmann::ordered_json describe(const std::vector<comm::plan_traffic>& counted);

}  // namespace osteon::job
