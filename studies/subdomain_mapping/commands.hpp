#pragma once
/// @file
/// Commands of this study.
#include <app/registry.hpp>

namespace osteon::studies {

void add_bench_poisson(app::registry& commands);
void add_bench_weak_scaling(app::registry& commands);

}  // namespace osteon::studies
