#pragma once
/// @file
/// Subcommands. Each function adds one command with its options and help. The command returns the exit code of the program
/// and throws osteon::error on failure.
#include <app/registry.hpp>

namespace osteon::app {

void add_batch(registry& commands);
void add_compare(registry& commands);
void add_loads(registry& commands);
void add_run(registry& commands);
void add_resume(registry& commands);
void add_check(registry& commands);
void add_cohort(registry& commands);
void add_estimate(registry& commands);
void add_import(registry& commands);
void add_verify(registry& commands);
void add_convert(registry& commands);
void add_export(registry& commands);
void add_new(registry& commands);
void add_morphometry(registry& commands);
void add_rev(registry& commands);
void add_render(registry& commands);
void add_report(registry& commands);
void add_studio(registry& commands);
void add_place(registry& commands);
void add_plan(registry& commands);
void add_plan_job(registry& commands, command plan);
void add_probe(registry& commands);
void add_net_choose(registry& commands);
void add_net_conflicts(registry& commands);
void add_net_cost(registry& commands);
void add_net_deadlock(registry& commands);
void add_net_draw(registry& commands);
void add_net_simulate(registry& commands);
void add_bench_render(registry& commands);
void add_bench_exchange(registry& commands);
void add_bench_flow(registry& commands);
void add_bench_io(registry& commands);
void add_bench_scaling(registry& commands);
void add_join(registry& commands);
void add_relay(registry& commands);
void add_schema(registry& commands);
void add_version(registry& commands);
void add_completion(registry& commands);
void add_manual(registry& commands);

/// Add the commands of other linked parts, such as studies/. These parts may extend the groups above. CMake writes the list
/// of commands (CMakeLists.txt).
void add_linked_commands(registry& commands);

}  // namespace osteon::app
