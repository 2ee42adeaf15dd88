#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/net/net_input.hpp>
#include <app/process/json_output.hpp>
#include <memory>
#include <osteon/net/networks/conflicts.hpp>

namespace osteon::app {

namespace {

using json = nlohmann::ordered_json;

struct net_conflicts_options {
  net_input_options input;
  std::vector<std::int64_t> rounds;
  bool count = false, table = false;
  std::string json;
};

std::vector<std::string> route_names(const net_input& input, plan::parcel message) {
  const auto place = net::place_ranks(input.where, input.exchange.ranks, input.places);
  std::vector<std::string> names;
  for (const int l :
       input.where.route(place[static_cast<std::size_t>(message.from)], place[static_cast<std::size_t>(message.to)]))
    names.push_back(input.where.link_name(l));
  return names;
}

void print(const net_input& input, const net::conflict_report& report, bool table) {
  fmt::print("counted: {} of {} rounds, {} without a conflict; largest load {}, {:.2f} on average over the rounds\n",
             report.rounds.size(), input.exchange.rounds, report.free_rounds, report.largest, report.mean_largest);
  if (report.first) {
    const auto& c = *report.first;
    fmt::print("first conflict: round {}, at {} ({})\n", c.round, input.where.link_name(c.link),
               net::name_of(input.where.links[static_cast<std::size_t>(c.link)].kind));
    for (const auto& m : {c.first, c.second})
      fmt::print("  rank {} to rank {}: {}\n", m.from, m.to, fmt::join(route_names(input, m), ", "));
  }
  if (!table) return;
  fmt::print("\n{:>8} {:>10} {:>8} {:>8}  {}\n", "round", "messages", "largest", "mean", "at");
  for (const auto& r : report.rounds)
    fmt::print("{:>8} {:>10} {:>8} {:>8.2f}  {}\n", r.round, r.messages, r.largest, r.mean,
               r.busiest < 0 ? "-" : input.where.link_name(r.busiest));
}

json to_json(const net_input& input, const net::conflict_report& report) {
  json answer = {{"largest", report.largest},
                 {"mean_largest", report.mean_largest},
                 {"free_rounds", report.free_rounds},
                 {"rounds", json::array()}};
  for (const auto& r : report.rounds)
    answer["rounds"].push_back({{"round", r.round}, {"messages", r.messages}, {"largest", r.largest}, {"mean", r.mean}});
  if (report.first) {
    const auto& c = *report.first;
    answer["first_conflict"] = {{"round", c.round}, {"link", input.where.link_name(c.link)}, {"messages", json::array()}};
    for (const auto& m : {c.first, c.second})
      answer["first_conflict"]["messages"].push_back({{"from", m.from}, {"to", m.to}, {"way", route_names(input, m)}});
  }
  return answer;
}

int net_conflicts(const net_conflicts_options& o) {
  const net_input input = read_net_input(o.input);
  const bool prints_text = o.json != "-";
  json answer = {{"schema", "osteon.net.conflicts/1"},
                 {"network", input.where.name},
                 {"plan", input.exchange.name},
                 {"ranks", input.exchange.ranks},
                 {"rounds", input.exchange.rounds}};
  if (prints_text)
    fmt::print("{}: {} ranks, {} rounds, on {} with {} PUs and {} links\n", input.exchange.name, input.exchange.ranks,
               input.exchange.rounds, input.where.name, input.where.pus, input.where.links.size());
  const auto proof = input.places.empty() ? net::proven_free_of_conflicts(input.where, input.exchange) : std::nullopt;
  if (proof) {
    answer["proof"] = *proof;
    if (prints_text) fmt::print("free of conflicts (theorem for all sizes): {}\n", *proof);
  }
  net::round_range range;
  if (!o.rounds.empty())
    range = {o.rounds[0], o.rounds.size() > 1 ? o.rounds[1] : o.rounds[0] + 1, o.rounds.size() > 2 ? o.rounds[2] : 1};
  if (!proof || o.count || o.table || !o.rounds.empty()) {
    const auto report = net::count_conflicts(input.where, input.exchange, input.places, range);
    answer["counted"] = to_json(input, report);
    if (prints_text) print(input, report, o.table);
  }
  write_json(o.json, answer);
  return 0;
}

}  // namespace

void add_net_conflicts(registry& commands) {
  const auto o = std::make_shared<net_conflicts_options>();
  command c = commands.add("net", "conflicts", "Count messages of a round that use the same port or link",
                           [o] { return net_conflicts(*o); });
  add_net_input(c, o->input);
  c.add_option("--rounds", o->rounds, "Rounds to count: A [B [S]] for round A, rounds A to B, every Sth of them")
      .expected(1, 3);
  c.add_flag("--count", o->count, "Count even if a theorem applies");
  c.add_flag("--table", o->table, "Print every round");
  add_json(c, o->json);
  c.footer(
      "Examples:\n  osteon net conflicts --network hxb:8x8x16 --plan transposition\n"
      "  osteon net conflicts --network hxb:8x8x16,order=zyx --plan transposition\n"
      "  osteon net conflicts --network torus:8x8x16 --plan shift --table");
}

}  // namespace osteon::app
