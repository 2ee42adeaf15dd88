#pragma once
/// @file
/// Commands of this study.
#include <app/registry.hpp>
#include <string>
#include <studies/compositing/model/message_counts.hpp>
#include <vector>

namespace osteon::studies {

void add_bench_composite(app::registry& commands);

/// Print the number of messages sent by a rank, by method and number of ranks. @param plot SVG to write; empty: none
/// @return the exit code
int print_messages_of_methods(const std::string& json, const std::string& plot, int most_ranks);
/// The same as SVG, both axes logarithmic.
std::string draw_messages(const std::vector<messages_of_method>& methods);

/// Print the frames per second that [Ono] measured, with those of the models. @return the exit code
int print_frames_of_paper(const std::string& json);

}  // namespace osteon::studies
