#pragma once
/// @file
/// Warnings of a job that is being run, which `osteon check` prints, too.
#include <osteon/job/local_model.hpp>
#include <osteon/job/warning_record.hpp>
#include <span>

namespace osteon::job {

/// Print the doubts of the model, and keep those that were printed before the ranks started: of the job's keys and of its
/// import. @collective local
void tell_doubts(const spec& job, const local_model& part, warning_record& told);

/// Add warnings to the summary of a job that has been run. @throws machine_error
void add_warnings(const spec& job, std::span<const std::string> texts);

}  // namespace osteon::job
