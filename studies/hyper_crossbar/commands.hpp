#pragma once
/// @file
/// Commands of this study.
#include <app/registry.hpp>
#include <string>

namespace osteon::studies {

void add_bench_is(app::registry& commands);
void add_bench_ft(app::registry& commands);
void add_bench_predict(app::registry& commands);
void add_net_broadcast(app::registry& commands);
void add_net_adaptive(app::registry& commands);

/// Print Tables 2 to 6, Figure 2 and Table a with recomputed values. @param plot name of the SVG file for Figure 2; empty:
/// no file
/// @return exit code
int print_tables_of_paper(const std::string& json, const std::string& plot);

}  // namespace osteon::studies
