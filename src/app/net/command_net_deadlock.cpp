#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/net/net_input.hpp>
#include <app/process/json_output.hpp>
#include <memory>
#include <osteon/net/networks/deadlock.hpp>

namespace osteon::app {

namespace {

using json = nlohmann::ordered_json;

json to_json(const net::network& where, const net::virtual_channel& c) {
  return {{"link", where.link_name(c.link)}, {"channel", c.channel}};
}

int net_deadlock(const std::string& text, const std::string& target) {
  const net::network where = find_network(text);
  const net::deadlock_report report = net::find_deadlock(where);
  const bool free = report.circle.empty(), prints_text = target != "-";
  json answer = {{"schema", "osteon.net.deadlock/1"},
                 {"network", where.name},
                 {"pus", where.pus},
                 {"channels", report.channels},
                 {"dependencies", report.dependencies},
                 {"free", free},
                 {"circle", json::array()},
                 {"sufficient_channels", nullptr}};
  if (report.sufficient > 0) answer["sufficient_channels"] = report.sufficient;
  if (prints_text) {
    fmt::print("{}: the routes between all {} PUs use {} virtual channels between switches, with {} dependencies\n",
               where.name, where.pus, report.channels, report.dependencies);
    if (free)
      fmt::print("free of deadlock: the dependencies contain no cycle\n");
    else
      fmt::print("deadlock is possible: a cycle of {} dependencies\n", report.circle.size());
  }
  for (const net::waiting& w : report.circle) {
    answer["circle"].push_back({{"holds", to_json(where, w.holds)},
                                {"waits_for", to_json(where, w.for_)},
                                {"message", {{"from", w.message.from}, {"to", w.message.to}}}});
    if (prints_text)
      fmt::print("  {} holds {}, channel {}, and waits for {}, channel {}\n",
                 fmt::format("{} to {}", where.vertex_name(w.message.from), where.vertex_name(w.message.to)),
                 where.link_name(w.holds.link), w.holds.channel, where.link_name(w.for_.link), w.for_.channel);
  }
  if (prints_text && !free)
    fmt::print("{}\n", report.sufficient > 0
                           ? fmt::format("free of deadlock with {} virtual channels per link", report.sufficient)
                           : "more virtual channels alone do not remove the cycle");
  write_json(target, answer);
  return 0;
}

}  // namespace

void add_net_deadlock(registry& commands) {
  struct options {
    std::string network, json;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("net", "deadlock", "Test whether messages can block each other in a cycle",
                           [o] { return net_deadlock(o->network, o->json); });
  add_network(c, o->network);
  add_json(c, o->json);
  c.footer(
      "Examples:\n  osteon net deadlock --network torus:8x8x16\n  osteon net deadlock --network torus:8x8x16,channels=2\n"
      "  osteon net deadlock --network dragonfly:p=2,a=8,h=4,route=valiant,channels=4");
}

}  // namespace osteon::app
