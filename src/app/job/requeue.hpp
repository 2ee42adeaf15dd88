#pragma once
/// @file
/// `osteon run --requeue`: a job that stops with a checkpoint is queued again.
#include <app/job/run_options.hpp>
#include <osteon/base/log_sink.hpp>

namespace osteon::app {

/// Check the option --requeue. @throws usage_error outside of a batch job of Slurm
void require_requeue_is_possible();

/// Queue the Slurm job again if `code` is that of a job that stopped with a checkpoint. A job that has not computed an
/// iteration since its last three restarts is not queued again. A job that its user cancels is not queued again either.
/// Slurm ends this process soon after this call. @return `code`, or the exit code of a machine error if Slurm rejects the
/// request @collective local
int requeue_if_stopped(const job::spec& job, int code, log_sink& log);

}  // namespace osteon::app
