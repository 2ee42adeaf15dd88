#pragma once
/// @file
/// What this study adds to the command line.
#include <app/registry.hpp>
#include <string>
#include <studies/compositing/model/message_counts.hpp>
#include <vector>

namespace osteon::studies {

void add_bench_composite(app::registry& commands);

/// Print how many messages a rank sends by method and number of ranks. @param plot SVG to write; empty: none
/// @return the exit code
int print_messages_of_methods(const std::string& json, const std::string& plot, int most_ranks);
/// The same as SVG, both axes logarithmic.
std::string draw_messages(const std::vector<messages_of_method>& methods);

/// Print the frames per second that [Ono] measured beside those of the models. @return the exit code
int print_frames_of_paper(const std::string& json);

}  // namespace osteon::studies
