#include <studies/commands.hpp>
#include <studies/compositing/commands.hpp>
#include <studies/hyper_crossbar/commands.hpp>
#include <studies/subdomain_mapping/commands.hpp>

namespace osteon::studies {

void add_commands(app::registry& commands) {
  for (const auto add : {add_net_paper, add_bench_composite, add_bench_is, add_bench_ft, add_bench_predict,
                         add_bench_poisson, add_bench_weak_scaling, add_net_adaptive, add_net_broadcast})
    add(commands);
}

}  // namespace osteon::studies
