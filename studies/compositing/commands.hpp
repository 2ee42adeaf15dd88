#pragma once
/// @file
/// Commands of this study.
#include <app/registry.hpp>
#include <string>
#include <studies/compositing/model/message_counts.hpp>
#include <vector>

namespace osteon::studies {

void add_bench_composite(app::registry& commands);

/// Print the number of messages that a rank sends, for each method and number of ranks. @param plot name of an SVG file;
/// empty: no file
/// @return exit code
int print_messages_of_methods(const std::string& json, const std::string& plot, int most_ranks);
/// Plot of the numbers of messages as SVG. The axes are logarithmic.
std::string draw_messages(const std::vector<messages_of_method>& methods);

/// Print the frame rates that [Ono] measured, and the frame rates that the models predict. @return exit code
int print_frames_of_paper(const std::string& json);

}  // namespace osteon::studies
