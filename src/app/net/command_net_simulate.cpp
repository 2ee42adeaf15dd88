#include <fmt/format.h>

#include <algorithm>
#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/net/net_ends.hpp>
#include <app/net/net_input.hpp>
#include <app/process/json_output.hpp>
#include <memory>
#include <numeric>

namespace osteon::app {

namespace {

using json = nlohmann::ordered_json;

struct net_simulate_options {
  net_input_options input;
  net_ends_options ends;
  bool barrier = false, rendezvous = false, shared_sends = false;
  double background = 0;
  std::vector<std::string> streams;
  std::vector<std::int64_t> rounds;
  int shown = 20, links = 5;
  std::string json;
};

plan::parcel parse_stream(const std::string& text) {
  const auto arrow = text.find('-');
  const auto number = [&](const std::string& part) {
    if (part.empty() || part.size() > 8 || part.find_first_not_of("0123456789") != std::string::npos)
      throw usage_error(fmt::format("--stream {}: must be two PUs, such as 3-17", text));
    return std::stoi(part);
  };
  if (arrow == std::string::npos) throw usage_error(fmt::format("--stream {}: must be two PUs, such as 3-17", text));
  return {number(text.substr(0, arrow)), number(text.substr(arrow + 1))};
}

// Keep rounds begin, begin + step, ... below end.
void select_rounds(plan::plan& exchange, const std::vector<std::int64_t>& range) {
  const std::int64_t begin = range[0], end = std::min(range.size() > 1 ? range[1] : begin + 1, exchange.rounds),
                     step = range.size() > 2 ? range[2] : 1;
  if (begin < 0 || begin >= end || step < 1)
    throw usage_error(
        fmt::format("--rounds {}: '{}' has rounds 0 to {}", fmt::join(range, " "), exchange.name, exchange.rounds - 1));
  exchange.of = [all = std::move(exchange.of), begin, step](int rank, std::int64_t r) {
    return all(rank, begin + r * step);
  };
  exchange.rounds = (end - begin + step - 1) / step;
  exchange.form = plan::exchange_form::any;
}

int net_simulate(const net_simulate_options& o) {
  net_input input = read_net_input(o.input);
  if (!o.rounds.empty()) select_rounds(input.exchange, o.rounds);
  net::simulate_options settings = read_net_ends(o.ends);
  settings.barrier = o.barrier;
  settings.rendezvous = o.rendezvous;
  settings.serial_sends = !o.shared_sends;
  settings.background = o.background;
  for (const std::string& s : o.streams) settings.streams.push_back(parse_stream(s));
  const auto result = net::simulate(input.where, input.exchange, settings, input.places);

  std::vector<int> busiest(input.where.links.size());
  std::iota(busiest.begin(), busiest.end(), 0);
  const auto seconds = [&](int l) {
    return result.link_bytes[static_cast<std::size_t>(l)] / input.where.links[static_cast<std::size_t>(l)].rate;
  };
  const auto shown = std::min<std::size_t>(static_cast<std::size_t>(o.links), busiest.size());
  std::partial_sort(busiest.begin(), busiest.begin() + static_cast<std::ptrdiff_t>(shown), busiest.end(),
                    [&](int a, int b) { return std::pair(-seconds(a), a) < std::pair(-seconds(b), b); });
  busiest.resize(shown);
  const double bytes = [&] {
    double sum = 0;
    for (std::size_t l = 0; l < input.where.links.size(); ++l)
      if (input.where.links[l].kind == net::link_kind::injection) sum += result.link_bytes[l];
    return sum;
  }();

  json answer = {{"schema", "osteon.net.simulate/1"},
                 {"network", input.where.name},
                 {"plan", input.exchange.name},
                 {"ranks", input.exchange.ranks},
                 {"total_s", result.total},
                 {"messages", result.messages},
                 {"bytes", bytes},
                 {"round_end_s", result.round_end},
                 {"busiest_links", json::array()}};
  for (const int l : busiest)
    answer["busiest_links"].push_back({{"link", input.where.link_name(l)},
                                       {"bytes", result.link_bytes[static_cast<std::size_t>(l)]},
                                       {"busy_share", result.total > 0 ? seconds(l) / result.total : 0}});
  if (o.json != "-") {
    fmt::print("{} of {} ranks on {}: {:.6g} s\n{} messages, {:.6g} MB over the network\n", input.exchange.name,
               input.exchange.ranks, input.where.name, result.total, result.messages, bytes * 1e-6);
    const auto rounds = static_cast<int>(result.round_end.size());
    const std::int64_t first = o.rounds.empty() ? 0 : o.rounds[0], step = o.rounds.size() > 2 ? o.rounds[2] : 1;
    if (rounds > 1) {
      fmt::print("\n{:>8} {:>14} {:>14}\n", "round", "over at, s", "after, s");
      for (int r = 0; r < rounds; ++r) {
        if (rounds > o.shown && r == o.shown / 2) {
          r = rounds - (o.shown - o.shown / 2);
          fmt::print("     ...\n");
        }
        const auto i = static_cast<std::size_t>(r);
        fmt::print("{:>8} {:>14.9f} {:>14.9f}\n", first + r * step, result.round_end[i],
                   result.round_end[i] - (r > 0 ? result.round_end[i - 1] : 0));
      }
    }
    fmt::print("\n{:>12} {:>8}  link\n", "MB", "busy");
    for (const int l : busiest)
      fmt::print("{:>12.6g} {:>7.1f}%  {}\n", result.link_bytes[static_cast<std::size_t>(l)] * 1e-6,
                 result.total > 0 ? 100 * seconds(l) / result.total : 0, input.where.link_name(l));
  }
  write_json(o.json, answer);
  return 0;
}

}  // namespace

void add_net_simulate(registry& commands) {
  const auto o = std::make_shared<net_simulate_options>();
  command c = commands.add("net", "simulate", "Simulate an exchange with messages that share links",
                           [o] { return net_simulate(*o); });
  add_net_input(c, o->input);
  add_net_ends(c, o->ends);
  c.add_flag("--barrier", o->barrier, "Synchronise all ranks before each round");
  c.add_flag("--rendezvous", o->rendezvous, "Send a message only after its receiver has entered the round");
  c.add_flag("--shared-sends", o->shared_sends,
             "Share the injection bandwidth among the messages of a PU (default: one at a time)");
  c.add_option("--background", o->background, "Fraction of each link's rate used by other traffic, below 1").show_default();
  add_repeatable(c, "--stream", o->streams,
                 "Two PUs with continuous other traffic between them, such as 3-17; may be repeated");
  c.add_option("--rounds", o->rounds, "Rounds to simulate: A [B [S]] for round A, rounds A to B, every Sth of them")
      .expected(1, 3);
  c.add_option("--show-rounds", o->shown, "Rounds to print").between(2, 1 << 30).show_default();
  c.add_option("--links", o->links, "Busiest links to print").between(0, 1000).show_default();
  add_json(c, o->json);
  c.footer(
      "Examples:\n  osteon net simulate --network hxb:8x8x16 --plan transposition --bytes 4096 --barrier\n"
      "  osteon net simulate --network torus:16x16x16,rate=175MB/s --plan multi-step:512 --combine-rate 88MB/s\n"
      "  osteon net simulate --network machine.json --plan halo.txt --placement places.txt");
}

}  // namespace osteon::app
