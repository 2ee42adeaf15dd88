#include <fmt/format.h>

#include <app/common_options.hpp>
#include <app/json_output.hpp>
#include <app/net/net_exchanges.hpp>
#include <osteon/base/error.hpp>
#include <osteon/net/exchange_cost.hpp>

namespace osteon::app {

using json = nlohmann::ordered_json;

void add_exchange_cost(command c, exchange_cost_options& target) {
  c.add_option("--network", target.input.network, "Exchanges: text such as hxb:8x8x16, or a JSON file (docs/network.md)");
  add_repeatable(c, "--plan", target.plans, "Exchanges: as `osteon net simulate` takes it; may be repeated");
  c.add_option("--placement", target.input.placement, "Exchanges: file with the PU of each rank");
  c.add_option("--bytes", target.input.bytes, "Exchanges: size of a parcel, object or face").show_default();
  c.add_option("--sizes", target.input.sizes, "Exchanges: file with the bytes from each rank (a row) to each rank");
  add_net_ends(c, target.ends);
}

int net_cost_of_exchanges(const exchange_cost_options& o, const std::string& target) {
  if (o.plans.empty()) throw usage_error("--plan is missing: which exchange on this network?");
  const net::simulate_options ends = read_net_ends(o.ends);
  const bool words = target != "-";
  json answer = {{"schema", "osteon.net.cost.exchange/1"}, {"network", o.input.network}, {"plans", json::array()}};
  if (words)
    fmt::print(
        "{:<26} {:>7} {:>10} {:>10} {:>6} {:>14} {:>12} {:>12}\n{:<26} {:>7} {:>10} {:>10} {:>6} {:>14} {:>12} {:>12}\n",
        o.input.network, "", "", "", "", "start-up", "LogGP,", "busiest", "plan", "rounds", "messages", "MB", "skew",
        "and bytes, s", "s", "links, s");
  for (const std::string& plan : o.plans) {
    net_input_options one = o.input;
    one.plan = plan;
    const net_input input = read_net_input(one);
    const auto cost = net::cost_of(input.where, input.what, ends, input.places);
    answer["plans"].push_back({{"plan", input.what.name},
                               {"ranks", input.what.ranks},
                               {"rounds", cost.rounds},
                               {"messages", cost.messages},
                               {"bytes", cost.bytes},
                               {"skew", cost.skew},
                               {"startup_and_bytes_s", cost.startup_and_bytes},
                               {"log_gp_s", cost.log_gp},
                               {"busiest_links_s", cost.busiest_links}});
    if (words)
      fmt::print("{:<26} {:>7} {:>10} {:>10.4g} {:>6.3f} {:>14.6g} {:>12.6g} {:>12.6g}\n", input.what.name, cost.rounds,
                 cost.messages, cost.bytes * 1e-6, cost.skew, cost.startup_and_bytes, cost.log_gp, cost.busiest_links);
  }
  write_json(target, answer);
  return 0;
}

}  // namespace osteon::app
