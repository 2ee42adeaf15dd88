#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/net/net_ends.hpp>
#include <app/net/net_input.hpp>
#include <app/process/json_output.hpp>
#include <memory>
#include <osteon/net/costs/choose.hpp>

namespace osteon::app {

namespace {

using json = nlohmann::ordered_json;

struct net_choose_options {
  net_input_options input;
  net_ends_options ends;
  bool barrier = false;
  std::string json;
};

int net_choose(const net_choose_options& o) {
  const net_parcels input = read_net_parcels(o.input);
  net::simulate_options settings = read_net_ends(o.ends);
  settings.barrier = o.barrier;
  const auto choices = net::choose_exchange(input.where, input.sizes, input.ranks, settings, input.places);
  json answer = {{"schema", "osteon.net.choose/1"},
                 {"network", input.where.name},
                 {"ranks", input.ranks},
                 {"barrier", o.barrier},
                 {"schedules", json::array()}};
  if (o.json != "-")
    fmt::print("All-to-all of {} ranks on {}, {}\n\n{:<22} {:>7} {:>10} {:>10} {:>6} {:>12}\n", input.ranks,
               input.where.name,
               o.barrier ? "with a barrier after each round: time of the busiest link of each round"
                         : "without barriers: time by LogGP and by the busiest link",
               "schedule", "rounds", "messages", "MB", "skew", "s");
  for (const net::exchange_choice& c : choices) {
    answer["schedules"].push_back({{"schedule", c.schedule},
                                   {"seconds", c.seconds},
                                   {"rounds", c.cost.rounds},
                                   {"messages", c.cost.messages},
                                   {"bytes", c.cost.bytes},
                                   {"skew", c.cost.skew}});
    if (o.json != "-")
      fmt::print("{:<22} {:>7} {:>10} {:>10.4g} {:>6.3f} {:>12.6g}\n", c.schedule, c.cost.rounds, c.cost.messages,
                 c.cost.bytes * 1e-6, c.cost.skew, c.seconds);
  }
  write_json(o.json, answer);
  return 0;
}

}  // namespace

void add_net_choose(registry& commands) {
  const auto o = std::make_shared<net_choose_options>();
  command c = commands.add("net", "choose", "Rank the schedules of an all-to-all exchange by predicted time",
                           [o] { return net_choose(*o); });
  add_net_parcels(c, o->input);
  add_net_ends(c, o->ends);
  c.add_flag("--barrier", o->barrier, "Synchronise all ranks before each round");
  add_json(c, o->json);
  c.footer(
      "Pass the first schedule as --schedule, or as the option `schedule` of comm::all_to_all.\n\nExamples:\n  osteon net "
      "choose --network hxb:8x8x16 --bytes 640 --barrier\n  osteon net choose --network fattree:16x8x4,over=4 --bytes "
      "64KiB\n  osteon net choose --network dragonfly:p=4,a=8,h=4 -n 256 --sizes sizes.txt");
}

}  // namespace osteon::app
