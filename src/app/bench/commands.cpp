#include <app/commands.hpp>

namespace osteon::app::bench_commands {

void add_commands(registry& commands) {
  commands.add_group("bench", "Benchmark parts of osteon on this machine",
                     "Examples:\n  OMP_NUM_THREADS=1 osteon bench render\n"
                     "  osteon bench exchange -n 4");
  for (const auto add : {add_bench_render, add_bench_exchange, add_bench_flow, add_bench_io, add_bench_scaling})
    add(commands);
}

}  // namespace osteon::app::bench_commands
