#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/job/image_size.hpp>
#include <app/net/net_ends.hpp>
#include <app/net/net_input.hpp>
#include <app/process/json_output.hpp>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/net/costs/compositing_model.hpp>
#include <osteon/net/costs/plan_cost.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/plan/composite/composite_method.hpp>

namespace osteon::app {

namespace {

struct exchange_cost_options {
  net_input_options input;  ///< `plan` is set to each value of `plans`, one after the other
  net_ends_options ends;
  std::vector<std::string> plans;
};

using json = nlohmann::ordered_json;

// Add `--network --plan --bytes --sizes --placement` and the message overheads.
void add_exchange_cost(command c, exchange_cost_options& target) {
  c.add_option("--network", target.input.network,
               "Exchanges: network such as hxb:8x8x16, or a JSON file (docs/reference/network.md)");
  add_repeatable(c, "--plan", target.plans, "Exchanges: plan as of `osteon net simulate`; may be repeated");
  c.add_option("--placement", target.input.placement, "Exchanges: file with the PU of each rank");
  c.add_option("--bytes", target.input.bytes, "Exchanges: size of a parcel, object or face").show_default();
  c.add_option("--sizes", target.input.sizes, "Exchanges: file with the bytes from each rank (a row) to each rank");
  add_net_ends(c, target.ends);
}

// Print the cost of each plan by formulas. @return the exit code
int net_cost_of_exchanges(const exchange_cost_options& o, const std::string& target) {
  if (o.plans.empty()) throw usage_error("--plan is missing: pass one or more exchanges on this network");
  const net::simulate_options ends = read_net_ends(o.ends);
  const bool prints_text = target != "-";
  json answer = {{"schema", "osteon.net.cost.exchange/1"}, {"network", o.input.network}, {"plans", json::array()}};
  if (prints_text)
    fmt::print(
        "{:<26} {:>7} {:>10} {:>10} {:>6} {:>14} {:>12} {:>12}\n{:<26} {:>7} {:>10} {:>10} {:>6} {:>14} {:>12} {:>12}\n",
        o.input.network, "", "", "", "", "start-up", "LogGP,", "busiest", "plan", "rounds", "messages", "MB", "skew",
        "and bytes, s", "s", "links, s");
  for (const std::string& plan : o.plans) {
    net_input_options one = o.input;
    one.plan = plan;
    const net_input input = read_net_input(one);
    const auto cost = net::cost_of(input.where, input.exchange, ends, input.places);
    answer["plans"].push_back({{"plan", input.exchange.name},
                               {"ranks", input.exchange.ranks},
                               {"rounds", cost.rounds},
                               {"messages", cost.messages},
                               {"bytes", cost.bytes},
                               {"skew", cost.skew},
                               {"startup_and_bytes_s", cost.startup_and_bytes},
                               {"log_gp_s", cost.total},
                               {"busiest_links_s", cost.busiest_links}});
    if (prints_text)
      fmt::print("{:<26} {:>7} {:>10} {:>10.4g} {:>6.3f} {:>14.6g} {:>12.6g} {:>12.6g}\n", input.exchange.name, cost.rounds,
                 cost.messages, cost.bytes * 1e-6, cost.skew, cost.startup_and_bytes, cost.total, cost.busiest_links);
  }
  write_json(target, answer);
  return 0;
}

/// Options of the command that predicts the cost of compositing on a machine by [Ono]'s equations, by the extended
/// equations, and by evaluation of the plan.
struct net_cost_options {
  std::string method = "binary-swap", pixels = "512x512", machine = "bgl", write_rate, write_latency;
  int ranks = 0, bytes_per_pixel = 4;
  exchange_cost_options exchanges;  ///< options that are used instead if a network is given
  std::string json;
};

using json = nlohmann::ordered_json;

// Machine with the values of its data sheet, and the same machine with measured values.
struct machine_pair {
  net::compositing_machine printed, extended;
};

machine_pair find_machine(const std::string& name) {
  if (name == "bgl") return {net::blue_gene_l(), net::measured_blue_gene_l()};
  if (name == "ha8000") return {net::ha8000(), net::measured_ha8000()};
  std::error_code failed;
  if (!std::filesystem::is_regular_file(name, failed))
    throw data_error(fmt::format("cannot read machine '{}'; must be a file, bgl or ha8000", name));
  const std::string text = read_text(name);
  const net::compositing_machine extended = net::parse_machine(text, name);
  net::compositing_machine printed = extended;
  printed.send_overhead = printed.arrival_overhead = printed.match_time = 0;
  printed.ranks_per_host = 1;
  printed.host_rate = std::numeric_limits<double>::infinity();
  printed.torus = {};
  return {printed, extended};
}

// t_write of [Ono], equation 2, in seconds: time of the transfer of the picture to a display node or a file; 0 without a
// transfer rate.
double write_seconds(const net_cost_options& o, double bytes) {
  if (o.write_rate.empty() && !o.write_latency.empty()) throw usage_error("--write-latency requires --write-rate");
  if (o.write_rate.empty()) return 0;
  const double rate = net::parse_rate(o.write_rate);
  if (!(rate > 0))
    throw usage_error(fmt::format("--write-rate {}: must be a rate such as 1.25GB/s or 10Gbit/s", o.write_rate));
  const double latency = o.write_latency.empty() ? 0 : net::parse_time(o.write_latency);
  if (!(latency >= 0)) throw usage_error(fmt::format("--write-latency {}: must be a time such as 50us", o.write_latency));
  return latency + bytes / rate;
}

json to_json(const net::frame_time& t, double write) {
  return {{"compose_s", t.compose},
          {"collect_s", t.collect},
          {"write_s", write},
          {"frames_per_second", 1 / (t.total() + write)}};
}

struct equation_time {
  const char* key;
  const char* title;
  net::frame_time time;
};

std::vector<equation_time> rows_of_equations(const machine_pair& m, int ranks, int group, double bytes) {
  using net::collect_method, net::latency_reading, net::outer_method;
  const auto time = [&](const net::compositing_machine& machine, latency_reading reading, collect_method collect) {
    return net::multi_step_time(machine, ranks, group, bytes, outer_method::binary_tree, reading, collect);
  };
  constexpr auto message = latency_reading::per_message;
  return {{"printed", "printed, a latency per message", time(m.printed, message, collect_method::linear)},
          {"printed_to_the_letter", "printed literally, a latency per byte",
           time(m.printed, latency_reading::per_byte, collect_method::linear)},
          {"extended", "extended", time(m.extended, message, collect_method::linear)},
          {"extended_tree_collect", "extended, collect by a tree", time(m.extended, message, collect_method::tree)},
          {"extended_leaders_collect", "extended, collect by leaders", time(m.extended, message, collect_method::leaders)}};
}

// Largest number of ranks. Plans are evaluated completely, so that the limit is lower for plans with up to n^2 messages.
int most_ranks_to_walk(const std::string& method) {
  return method.starts_with("binary-swap") || method.starts_with("tree") ? 65536 : 1024;
}

int net_cost(const net_cost_options& o) {
  if (o.ranks == 0) throw usage_error("missing -n: the number of compositing ranks (or pass --network and --plan)");
  const image_size image = parse_image_size(o.pixels);
  if (image.pixels() < 1) throw usage_error(fmt::format("--pixels {}: must be at least one pixel", o.pixels));
  auto method = plan::composite_method::parse(o.method);
  const std::optional<int> group = net::group_in_equations(o.method, o.ranks);
  const bool walk = o.ranks <= most_ranks_to_walk(o.method);
  if (!group && !walk)
    throw usage_error(
        fmt::format("--ranks {} with --method {}: the equations apply to binary-swap and multi-step:P with powers of two "
                    "for ranks and P, and this plan is evaluated for up to {} ranks",
                    o.ranks, o.method, most_ranks_to_walk(o.method)));
  const machine_pair machine = find_machine(o.machine);
  if (method.ranks_per_host == 0) method.ranks_per_host = machine.extended.ranks_per_host;
  const double bytes = static_cast<double>(image.pixels()) * o.bytes_per_pixel, write = write_seconds(o, bytes);
  json answer = {{"schema", "osteon.net.cost/1"},
                 {"method", o.method},
                 {"ranks", o.ranks},
                 {"pixels", {image.width, image.height}},
                 {"bytes", bytes},
                 {"machine", machine.printed.name},
                 {"equations", json::object()}};
  const auto print_row = [&](const char* title, const net::frame_time& t) {
    if (o.json != "-")
      fmt::print("{:<44} {:>10.3f} {:>10.3f} {:>10.2f}\n", title, t.compose * 1e3, t.collect * 1e3, 1 / (t.total() + write));
  };
  if (o.json != "-")
    fmt::print("{} of {} ranks, {} x {} pixels of {} bytes, {}\n\n{:<44} {:>10} {:>10} {:>10}\n", o.method, o.ranks,
               image.width, image.height, o.bytes_per_pixel, machine.printed.name, "", "compose ms", "collect ms",
               "frames/s");
  if (group)
    for (const equation_time& r : rows_of_equations(machine, o.ranks, *group, bytes)) {
      answer["equations"][r.key] = to_json(r.time, write);
      print_row(r.title, r.time);
    }
  if (walk) {
    std::vector<int> order(static_cast<std::size_t>(o.ranks));
    std::iota(order.begin(), order.end(), 0);
    const auto cost = net::cost_of(method.make(o.ranks, image.pixels(), order), machine.extended, o.bytes_per_pixel);
    answer["plan"] = {{"total_s", cost.total},
                      {"exchange_s", cost.exchange},
                      {"blend_s", cost.blend},
                      {"collect_s", cost.collect},
                      {"messages", cost.messages},
                      {"busiest_rank", cost.busiest_rank},
                      {"busiest_bytes", cost.busiest_bytes}};
    print_row("extended, plan evaluated by message", {cost.exchange + cost.blend, cost.collect});
    if (o.json != "-" && write > 0)
      fmt::print("frames/s include {:.3f} ms for writing or displaying each picture\n", write * 1e3);
    if (o.json != "-")
      fmt::print("\n{} messages; largest traffic of a rank: rank {}, {:.3g} MB\n", cost.messages, cost.busiest_rank,
                 cost.busiest_bytes * 1e-6);
  }
  write_json(o.json, answer);
  return 0;
}

}  // namespace

void add_net_cost(registry& commands) {
  const auto o = std::make_shared<net_cost_options>();
  command cost = commands.add("net", "cost", "Predict the time of compositing or of exchanges", [o] {
    if (o->exchanges.input.network.empty()) return net_cost(*o);
    o->exchanges.input.ranks = o->ranks;
    o->exchanges.input.pixels = o->pixels;
    o->exchanges.input.bytes_per_pixel = o->bytes_per_pixel;
    return net_cost_of_exchanges(o->exchanges, o->json);
  });
  cost.add_option("--write-rate", o->write_rate,
                  "Compositing: rate at which the picture is written or displayed, such as 1.25GB/s (default: not included, "
                  "as in [Ono])");
  cost.add_option("--write-latency", o->write_latency, "Compositing: latency of writing, such as 50us (default: 0)");
  cost.add_option("--method", o->method, "Method as of `osteon plan`; equations exist for binary-swap and multi-step:P")
      .show_default();
  cost.add_option("-n,--ranks", o->ranks,
                  "Number of ranks, a power of two for the equations (default on a network: its PUs)")
      .between(2, 1 << 24);
  cost.add_option("--pixels", o->pixels, "Width x height of the picture").show_default();
  cost.add_option("--bytes-per-pixel", o->bytes_per_pixel, "4 for RGBA8, 16 for RGBA32F").between(1, 64).show_default();
  cost.add_option("--machine", o->machine, "Machine: bgl, ha8000, or a JSON file (docs/theory/compositing.md)")
      .show_default();
  add_exchange_cost(cost, o->exchanges);
  add_json(cost, o->json);
  cost.footer(
      "Examples:\n  osteon net cost --method multi-step:512 -n 4096 --machine ha8000\n"
      "  osteon net cost -n 6 --pixels 1920x1080 --machine machine.json --json -\n"
      "  osteon net cost -n 1024 --write-rate 125MB/s --write-latency 1ms\n"
      "  osteon net cost --network hxb:8x8x16 --plan shift --plan bruck --bytes 640");
}

}  // namespace osteon::app
