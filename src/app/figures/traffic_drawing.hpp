#pragma once
/// @file
/// A picture of what a job sends: for each plan, who sends how much to whom.
#include <osteon/job/plans/job_plans.hpp>
#include <string>

namespace osteon::app {

/// Draw the plans of a job as SVG: squares of senders (rows) and receivers (columns), the darker the more bytes. Of many
/// ranks a square stands for several.
std::string draw_traffic(const job::job_plans& plans);

}  // namespace osteon::app
