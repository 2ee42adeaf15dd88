#pragma once
/// @file
/// A variant of a finished job. The variant has changed keys.
#include <mpi.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// A variant of a job, and the command that computes the variant separately.
struct variant_job {
  spec job;
  std::string command;
};
/// Creates a variant from changes of keys in the form of `--set`. The results of the variant are stored in `folder`.
using variant_factory = std::function<variant_job(const std::vector<std::string>& keys, const std::string& folder)>;

struct variant {
  std::vector<std::string> keys;
  std::string folder;
  std::string description;   ///< description in messages, for example "the job with a threshold of 132"
  std::string stopped;       ///< continuation of the message "the stop affects"
  const char* importing;     ///< for example "importing the changed image"
  bool keeps_fields = true;  ///< false: model and fields are removed, because they occupy disk space
};

struct solved_variant {
  nlohmann::ordered_json summary;  ///< summary on rank 0; null: the variant has not been computed
  std::string fault;               ///< reason of a failure, equal on all ranks; empty: no failure
};

/// Import and solve a variant in a folder of its own. If the variant fails, the function warns, and the results of the job
/// remain valid.
/// @param import function that creates the model on rank 0; result false: there is no variant to compute
/// @throws interrupted_error if a request stopped the variant @collective on comm
solved_variant solve_variant(MPI_Comm comm, const variant& v, const variant_factory& make,
                             const std::function<bool(const spec&)>& import, log_sink& log,
                             const checkpoint_options& options);

}  // namespace osteon::job
