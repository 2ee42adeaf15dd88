#pragma once
/// @file
/// What this study adds to the command line.
#include <app/registry.hpp>
#include <string>

namespace osteon::studies {

void add_bench_composite(app::registry& commands);

/// Print the frames per second that [Ono] measured beside those of the models. @return the exit code
int print_frames_of_paper(const std::string& json);

}  // namespace osteon::studies
