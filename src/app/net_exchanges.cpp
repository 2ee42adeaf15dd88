#include <fmt/format.h>

#include <algorithm>
#include <app/common_options.hpp>
#include <app/json_output.hpp>
#include <app/net_exchanges.hpp>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/net/exchange_cost.hpp>
#include <osteon/net/paper_tables.hpp>

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

int net_paper_hypercrossbar(const std::string& target) {
  static const char* const titles[] = {
      "Table 2. Skew rate of the all-to-all exchange of IS; corrected: (2) from the order after (1)",
      "Table 3. All-to-all exchange of IS, 10 runs; corrected: with the bytes of each machine's own messages",
      "Table 4. Transfers of IS; a term for the tables of counts is fitted to this very column, not derived",
      "Table 5. One transposition of FT", "Table 6. Transfers of FT"};
  const auto cells = net::tables_of_paper(net::skew_of_is());
  json answer = {{"schema", "osteon.net.paper.hypercrossbar/1"}, {"cells", json::array()}};
  const bool words = target != "-";
  int table = 0;
  double worst = 0;
  for (const auto& c : cells) {
    const bool corrected = !std::isnan(c.corrected);
    json cell = {{"table", c.table},           {"quantity", c.quantity},      {"pus", c.pus},       {"paper", c.paper},
                 {"as_printed", c.as_printed}, {"relative_error", c.error()}, {"fitted", c.fitted}, {"corrected", nullptr}};
    if (corrected) cell["corrected"] = c.corrected;
    answer["cells"].push_back(cell);
    if (c.quantity != "bytes per transfer") worst = std::max(worst, std::abs(c.error()));
    if (!words) continue;
    if (c.table != table) {
      fmt::print("{}{}\n{:<38} {:>6} {:>10} {:>12} {:>8} {:>12}\n", table == 0 ? "" : "\n", titles[c.table - 2], "", "PUs",
                 "paper", "as printed", "error", "corrected");
      table = c.table;
    }
    fmt::print("{:<38} {:>6} {:>10.6g} {:>12.5g} {:>7.2f}% {:>12}\n", c.quantity, c.pus, c.paper, c.as_printed,
               100 * c.error(), corrected ? fmt::format("{:.5g}", c.corrected) : "-");
  }
  if (words)
    fmt::print(
        "\nas printed: what the published numbers follow from; error: of that against the published one. Bytes per\n"
        "transfer are printed there with one or two digits; all other cells are within {:.2f} %.\n",
        100 * worst);
  write_json(target, answer);
  return 0;
}

}  // namespace osteon::app
