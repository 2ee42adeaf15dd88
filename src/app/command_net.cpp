#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/image_size.hpp>
#include <app/json_output.hpp>
#include <app/net_exchanges.hpp>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <osteon/net/compositing_fit.hpp>
#include <osteon/net/plan_cost.hpp>
#include <osteon/plan/composite_method.hpp>

namespace osteon::app {

namespace {

/// Say what compositing costs on a machine: by [Ono]'s equations, by the extended ones, by walking the plan.
struct net_cost_options {
  std::string method = "binary-swap", pixels = "512x512", machine = "bgl";
  int ranks = 0, bytes_per_pixel = 4;
  exchange_cost_options exchanges;  ///< asked for instead, if they name a network
  std::string json;
};

using json = nlohmann::ordered_json;

// A machine as its data sheet has it, and as measurements make it.
struct machine_pair {
  net::compositing_machine printed, extended;
};

machine_pair fitted(const net::compositing_machine& printed, const std::vector<net::measured_frame>& frames) {
  return {printed, net::fit_compositing(printed, frames, net::bytes_of_paper).apply(printed)};
}

machine_pair find_machine(const std::string& name) {
  if (name == "bgl") return fitted(net::blue_gene_l(), net::measured_on_blue_gene_l());
  if (name == "ha8000") return fitted(net::ha8000(), net::measured_on_ha8000());
  std::ifstream file(name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw data_error(fmt::format("cannot read machine '{}'; it is a file, or one of: bgl, ha8000", name));
  const net::compositing_machine extended = net::parse_machine(text, name);
  net::compositing_machine printed = extended;
  printed.send_overhead = printed.arrival_overhead = printed.match_time = 0;
  printed.ranks_per_host = 1;
  printed.host_rate = std::numeric_limits<double>::infinity();
  printed.torus = {};
  return {printed, extended};
}

json to_json(const net::frame_time& t) {
  return {{"compose_s", t.compose}, {"collect_s", t.collect}, {"frames_per_second", t.frames_per_second()}};
}

struct equation_time {
  const char* key;
  const char* words;
  net::frame_time time;
};

std::vector<equation_time> rows_of_equations(const machine_pair& m, int ranks, int group, double bytes) {
  using net::collect_method, net::latency_reading, net::outer_method;
  const auto time = [&](const net::compositing_machine& machine, latency_reading reading, collect_method how) {
    return net::multi_step_time(machine, ranks, group, bytes, outer_method::binary_tree, reading, how);
  };
  constexpr auto message = latency_reading::per_message;
  return {{"printed", "printed, a latency per message", time(m.printed, message, collect_method::linear)},
          {"printed_to_the_letter", "printed to the letter, a latency per byte",
           time(m.printed, latency_reading::per_byte, collect_method::linear)},
          {"extended", "extended", time(m.extended, message, collect_method::linear)},
          {"extended_tree_collect", "extended, collect by a tree", time(m.extended, message, collect_method::tree)},
          {"extended_leaders_collect", "extended, collect by leaders", time(m.extended, message, collect_method::leaders)}};
}

// Plans are walked as a whole; those that may have n^2 messages end sooner.
int most_ranks_to_walk(const std::string& method) {
  return method.starts_with("binary-swap") || method.starts_with("tree") ? 65536 : 1024;
}

int net_cost(const net_cost_options& o) {
  if (o.ranks == 0) throw usage_error("-n is missing: how many ranks composite? (Or name a --network and a --plan.)");
  const image_size image = parse_image_size(o.pixels);
  if (image.pixels() < 1) throw usage_error(fmt::format("--pixels {}: there must be at least one pixel", o.pixels));
  auto method = plan::composite_method::parse(o.method);
  const std::optional<int> group = net::group_in_equations(o.method, o.ranks);
  const bool walk = o.ranks <= most_ranks_to_walk(o.method);
  if (!group && !walk)
    throw usage_error(fmt::format(
        "--ranks {} with --method {}: the equations cover binary-swap and multi-step:P where ranks and P are powers of "
        "two, and this plan is walked for up to {} ranks",
        o.ranks, o.method, most_ranks_to_walk(o.method)));
  const machine_pair machine = find_machine(o.machine);
  if (method.ranks_per_host == 0) method.ranks_per_host = machine.extended.ranks_per_host;
  const double bytes = static_cast<double>(image.pixels()) * o.bytes_per_pixel;
  json answer = {{"schema", "osteon.net.cost/1"},
                 {"method", o.method},
                 {"ranks", o.ranks},
                 {"pixels", {image.width, image.height}},
                 {"bytes", bytes},
                 {"machine", machine.printed.name},
                 {"equations", json::object()}};
  const auto say = [&](const char* words, const net::frame_time& t) {
    if (o.json != "-")
      fmt::print("{:<44} {:>10.3f} {:>10.3f} {:>10.2f}\n", words, t.compose * 1e3, t.collect * 1e3, t.frames_per_second());
  };
  if (o.json != "-")
    fmt::print("{} of {} ranks, {} x {} pixels of {} bytes, {}\n\n{:<44} {:>10} {:>10} {:>10}\n", o.method, o.ranks,
               image.width, image.height, o.bytes_per_pixel, machine.printed.name, "", "compose ms", "collect ms",
               "frames/s");
  if (group)
    for (const equation_time& r : rows_of_equations(machine, o.ranks, *group, bytes)) {
      answer["equations"][r.key] = to_json(r.time);
      say(r.words, r.time);
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
    say("extended, the plan walked message by message", {cost.exchange + cost.blend, cost.collect});
    if (o.json != "-")
      fmt::print("\n{} messages; rank {} sends or receives most: {:.3g} MB\n", cost.messages, cost.busiest_rank,
                 cost.busiest_bytes * 1e-6);
  }
  write_json(o.json, answer);
  return 0;
}

int net_paper_compositing(const std::string& target) {
  const auto machines = {std::pair{net::blue_gene_l(), net::measured_on_blue_gene_l()},
                         std::pair{net::ha8000(), net::measured_on_ha8000()}};
  json answer = {{"schema", "osteon.net.paper.compositing/1"}, {"machines", json::array()}};
  const bool print = target != "-";
  if (print)
    fmt::print(
        "Frames per second, 512 x 512 RGBA8, all pixels active\n\n{:<28}{:>6}{:>7}{:>10}{:>9}{:>10}{:>7}{:>9}{:>16}\n",
        "machine", "ranks", "group", "measured", "printed", "meas./pr.", "ext.", "ext./m.", "from the others");
  for (const auto& [machine, frames] : machines) {
    const auto fit = net::fit_compositing(machine, frames, net::bytes_of_paper);
    const auto extended = fit.apply(machine);
    const auto from_others = net::predict_each_from_the_others(machine, frames, net::bytes_of_paper);
    json of_machine = {{"name", machine.name},
                       {"fit",
                        {{"slowdown", fit.slowdown},
                         {"arrival_overhead_s", fit.arrival_overhead},
                         {"match_s", fit.match_time},
                         {"worst_relative_error", fit.worst}}},
                       {"frames", json::array()}};
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto& f = frames[i];
      const auto fps = [&](const net::compositing_machine& m) {
        return net::multi_step_time(m, f.ranks, f.group, net::bytes_of_paper).frames_per_second();
      };
      json entry = {{"ranks", f.ranks},
                    {"group", f.group},
                    {"measured", f.frames_per_second},
                    {"printed", fps(machine)},
                    {"extended", fps(extended)}};
      std::string alone = "-";
      if (i < from_others.size()) {
        entry["from_the_others"] = from_others[i];
        alone = fmt::format("{:.1f}", from_others[i]);
      }
      if (print)
        fmt::print("{:<28}{:>6}{:>7}{:>10}{:>9.1f}{:>10.2f}{:>7.1f}{:>9.2f}{:>16}\n", machine.name, f.ranks, f.group,
                   f.frames_per_second, fps(machine), f.frames_per_second / fps(machine), fps(extended),
                   fps(extended) / f.frames_per_second, alone);
      of_machine["frames"].push_back(entry);
    }
    if (print)
      fmt::print(
          "  fitted to these very rows: rates {:.2f} times slower than printed, {:.1f} us per message that meets others, "
          "{:.1f} ns per message queued before it\n\n",
          fit.slowdown, fit.arrival_overhead * 1e6, fit.match_time * 1e9);
    answer["machines"].push_back(of_machine);
  }
  if (print)
    fmt::print(
        "group = ranks: binary swap; else binary swap in groups, then a binary tree of the groups' images.\n"
        "from the others: what a fit without the row predicts for it (where enough rows are left).\n");
  write_json(target, answer);
  return 0;
}

}  // namespace

void add_net_cost(registry& commands) {
  const auto o = std::make_shared<net_cost_options>();
  command cost = commands.add("net", "cost", "Time of a compositing method on a machine, or of exchanges on a network", [o] {
    if (o->exchanges.input.network.empty()) return net_cost(*o);
    o->exchanges.input.ranks = o->ranks;
    o->exchanges.input.pixels = o->pixels;
    o->exchanges.input.bytes_per_pixel = o->bytes_per_pixel;
    return net_cost_of_exchanges(o->exchanges, o->json);
  });
  cost.add_option("--method", o->method, "as `osteon plan` takes it; equations are printed for binary-swap and multi-step:P")
      .show_default();
  cost.add_option("-n,--ranks", o->ranks,
                  "Number of ranks; the equations need a power of two (default on a network: its PUs)")
      .between(2, 1 << 24);
  cost.add_option("--pixels", o->pixels, "Width x height of the picture").show_default();
  cost.add_option("--bytes-per-pixel", o->bytes_per_pixel, "4 for RGBA8, 16 for RGBA32F").between(1, 64).show_default();
  cost.add_option("--machine", o->machine, "bgl, ha8000, or a JSON file (docs/theory/compositing.md)").show_default();
  add_exchange_cost(cost, o->exchanges);
  add_json(cost, o->json);
  cost.footer(
      "Examples:\n  osteon net cost --method multi-step:512 -n 4096 --machine ha8000\n"
      "  osteon net cost -n 6 --pixels 1920x1080 --machine machine.json --json -\n"
      "  osteon net cost --network hxb:8x8x16 --plan shift --plan bruck --bytes 640");
}

void add_net_paper(registry& commands) {
  struct options {
    std::string name = "hypercrossbar", json;
  };
  const auto o = std::make_shared<options>();
  command paper = commands.add("net", "paper", "Published tables beside those of the models", [o] {
    return o->name == "compositing" ? net_paper_compositing(o->json) : net_paper_hypercrossbar(o->json);
  });
  paper.add_option("name", o->name, "hypercrossbar: Tables 2 to 6 on IS and FT; compositing: frames per second")
      .one_of({"hypercrossbar", "compositing"})
      .show_default();
  add_json(paper, o->json);
  paper.footer("Examples:\n  osteon net paper hypercrossbar\n  osteon net paper compositing");
}

}  // namespace osteon::app
