#pragma once
/// @file
/// The halves of `osteon run`: the process that a user starts, and the ranks that compute. Both import by the same call;
/// ranks of a launcher have no parent, and their first one imports and ends the run.
#include <app/job/run_options.hpp>
#include <optional>
#include <osteon/base/box.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

/// Start the ranks of a job and wait for them. @return the exit code of the program
int run_as_parent(const run_options& options);

/// Compute a job as one of its ranks. @return the exit code of the program
int run_as_rank(run_options options);

/// Compute the digests of the images, and make the model unless the job is done.
/// @return shape of the model; nothing: the job is done (--unless-done) @throws as import_model @collective local
std::optional<index3> import_for_run(const run_options& options, job::spec& spec, log_sink& log);

/// Make the report, and print the answers. @param was_done before: a report that exists stays @collective local
void finish_run(const run_options& options, const job::spec& spec, bool was_done);

/// Return true if a job that ended so may leave nothing: one that was stopped keeps its model.
bool is_failure(int code);

}  // namespace osteon::app
