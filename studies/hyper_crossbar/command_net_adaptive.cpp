#include <fmt/format.h>

#include <app/common_options.hpp>
#include <app/net/net_input.hpp>
#include <app/process/json_output.hpp>
#include <memory>
#include <osteon/base/error.hpp>
#include <studies/hyper_crossbar/adaptive.hpp>
#include <studies/hyper_crossbar/commands.hpp>

namespace osteon::studies {

namespace {

struct net_adaptive_options {
  app::net_input_options input;
  std::string json;
};

int net_adaptive(const net_adaptive_options& o) {
  const app::net_input input = app::read_net_input(o.input);
  if (!input.places.empty()) throw usage_error("osteon net adaptive has rank r on PU r: omit --placement");
  const routing_comparison found = compare_routings(o.input.network, input.exchange);
  nlohmann::ordered_json answer = {{"schema", "osteon.net.adaptive/1"},
                                   {"network", input.where.name},
                                   {"plan", input.exchange.name},
                                   {"rounds", found.rounds},
                                   {"orders", found.orders},
                                   {"routings", nlohmann::ordered_json::array()}};
  const std::pair<const char*, const routing_loads*> routings[] = {{"fixed", &found.fixed}, {"adaptive", &found.adaptive}};
  for (const auto& [name, loads] : routings)
    answer["routings"].push_back({{"routing", name},
                                  {"largest", loads->largest},
                                  {"mean_largest", loads->mean_largest},
                                  {"free_rounds", loads->free_rounds},
                                  {"seconds", loads->seconds}});
  app::write_json(o.json, answer);
  if (o.json == "-") return 0;
  fmt::print("{} on {}: {} rounds, {} orders of the dimensions to choose among\n", input.exchange.name, input.where.name,
             found.rounds, found.orders);
  fmt::print("{:<10} {:>13} {:>10} {:>18} {:>12}\n", "routing", "largest load", "mean", "rounds without", "ms");
  for (const auto& [name, loads] : routings)
    fmt::print("{:<10} {:>13} {:>10.2f} {:>18} {:>12.4f}\n", name, loads->largest, loads->mean_largest, loads->free_rounds,
               1e3 * loads->seconds);
  return 0;
}

}  // namespace

void add_net_adaptive(app::registry& commands) {
  const auto o = std::make_shared<net_adaptive_options>();
  app::command c = commands.add("net", "adaptive", "Count conflicts of messages with adaptive dimension orders",
                                [o] { return net_adaptive(*o); });
  app::add_net_input(c, o->input);
  app::add_json(c, o->json);
  c.footer(
      "Fixed: the order of the network. Adaptive: each message selects the order whose busiest link has the least load, and "
      "all\n"
      "select again until none gains; a virtual channel for each order excludes a deadlock.\n\nExamples:\n"
      "  osteon net adaptive --network hxb:8x8x16 --plan transposition --bytes 4KiB\n"
      "  osteon net adaptive --network torus:4x4x8 --plan shift");
}

}  // namespace osteon::studies
