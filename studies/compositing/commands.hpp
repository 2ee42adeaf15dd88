#pragma once
/// @file
/// Commands of this study.
#include <app/registry.hpp>
#include <string>
#include <studies/compositing/model/message_counts.hpp>
#include <vector>

namespace osteon::studies {

void add_bench_composite(app::registry& commands);

/// Print the number of messages sent by a rank, by method and number of ranks. @param plot name of an SVG file to write;
/// empty: no file
/// @return the exit code
int print_messages_of_methods(const std::string& json, const std::string& plot, int most_ranks);
/// Plot of the numbers of messages as SVG, with logarithmic axes.
std::string draw_messages(const std::vector<messages_of_method>& methods);

/// Print the measured frame rates of [Ono], and the frame rates predicted by the models. @return the exit code
int print_frames_of_paper(const std::string& json);

}  // namespace osteon::studies
