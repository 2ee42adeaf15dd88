#pragma once
/// @file
/// Parent process and ranks of `osteon run`. If a launcher starts the ranks, there is no parent process. Rank 0 then imports
/// the model and finishes the run.
#include <app/job/run_options.hpp>
#include <optional>
#include <osteon/base/box.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

/// Start the ranks of a job and wait for their end. @return the exit code of the program
int run_as_parent(const run_options& options);

/// Compute a job as one of its ranks. @return the exit code of the program
int run_as_rank(run_options options);

/// Compute the digests of the images, and make the model unless the job is done.
/// @return shape of the model; none if the job is done (--unless-done) @throws as import_model @collective local
std::optional<index3> import_for_run(const run_options& options, job::spec& spec, log_sink& log);

/// Write the report and print the answers. @param was_done true if the job was finished before; an existing report is kept
/// @collective local
void finish_run(const run_options& options, const job::spec& spec, bool was_done);

/// Return true for an exit code of a failure, after which the output may be removed. The exit code of a stopped job is not a
/// failure, because a stopped job keeps its model.
bool is_failure(int code);

}  // namespace osteon::app
