#include <fmt/format.h>

#include <algorithm>
#include <app/commands.hpp>
#include <app/figures/drawings.hpp>
#include <app/net/net_input.hpp>
#include <cstdio>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/net/networks/conflicts.hpp>

namespace osteon::app {

namespace {

struct net_draw_options {
  net_input_options input;
  std::string round = "0", output = "-";
};

int net_draw(const net_draw_options& o) {
  const net_input input = read_net_input(o.input);
  const bool all = o.round == "all";
  std::int64_t round = -1;
  if (!all) {
    round = parse_bytes(o.round, "--round");
    if (round >= input.exchange.rounds)
      throw usage_error(
          fmt::format("--round {}: '{}' has rounds 0 to {}", o.round, input.exchange.name, input.exchange.rounds - 1));
  }
  const auto loads = net::loads_of(input.where, input.exchange, round, input.places);
  std::vector<double> shown(loads.messages.begin(), loads.messages.end());
  std::string title;
  if (all) {
    double largest = 0;
    for (std::size_t l = 0; l < shown.size(); ++l) {
      shown[l] = loads.bytes[l] / input.where.links[l].rate;
      largest = std::max(largest, shown[l]);
    }
    title = fmt::format("{}, all {} rounds: busy time of the busiest link {:.4g} s", input.exchange.name,
                        input.exchange.rounds, largest);
  } else {
    title = fmt::format("{}, round {}: largest load {}", input.exchange.name, round,
                        *std::max_element(loads.messages.begin(), loads.messages.end()));
  }
  const std::string picture = draw_network(input.where, shown, title, all ? "" : "message");
  if (o.output == "-") {
    fmt::print("{}", picture);
    if (std::fflush(stdout) != 0) throw machine_error("cannot write the picture to standard output");
  } else {
    job::write_file(o.output, picture);
  }
  return 0;
}

}  // namespace

void add_net_draw(registry& commands) {
  const auto o = std::make_shared<net_draw_options>();
  command c = commands.add("net", "draw", "Draw a network and the load of its links as SVG", [o] { return net_draw(*o); });
  add_net_input(c, o->input);
  c.add_option("--round", o->round, "Round to show, or 'all' for the bytes of all rounds").show_default();
  c.add_option("-o,--output", o->output, "SVG file, - for standard output").show_default();
  c.footer("Example:\n  osteon net draw --network hxb:4x4x4 --plan transposition --round 3 -o network.svg");
}

}  // namespace osteon::app
