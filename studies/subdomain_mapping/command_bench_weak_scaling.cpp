#include <fmt/format.h>

#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <memory>
#include <studies/subdomain_mapping/commands.hpp>
#include <studies/subdomain_mapping/weak_scaling.hpp>

namespace osteon::studies {

using namespace app;

namespace {

struct weak_scaling_options {
  scaling_options series;
  std::string network, precision = "double", json;
};

using rows = std::vector<scaling_row>;

// Table with a row for each grid and mode, and a column for each order. The first order is the reference.
void print(const rows& found, const std::vector<std::string>& orders) {
  const auto table = [&](const char* quantity, auto value, const char* last) {
    fmt::print("{}\n{:>4} {:>6} {:<7} {:>5} {:>22} {:>10}", quantity, "case", "cores", "mode", "ranks", "cells (x, y, z)",
               "boxes");
    for (const std::string& order : orders) fmt::print(" {:>9}", order);
    fmt::print("   {}\n", last);
    for (std::size_t i = 0; i < found.size(); i += orders.size()) {
      const scaling_row& r = found[i];
      fmt::print("{:>4} {:>6} {:<7} {:>5} {:>22} {:>10}", r.which, r.cores, r.mode, r.ranks,
                 fmt::format("{} x {} x {}", r.cells.x, r.cells.y, r.cells.z),
                 fmt::format("{}x{}x{}", r.boxes.x, r.boxes.y, r.boxes.z));
      for (std::size_t k = 0; k < orders.size(); ++k) fmt::print(" {:9.2f}", value(found[i + k]));
      const double least = value(found[i + orders.size() - 1]);
      fmt::print("   {}\n", least > 0 ? fmt::format("{:.2f}", value(found[i]) / least) : "");
    }
  };
  const std::string ratio = orders.front() + " / " + orders.back();
  table(
      "Bytes that leave their host in an exchange, both directions, MB",
      [](const scaling_row& r) { return 1e-6 * static_cast<double>(r.off_host_bytes); }, ratio.c_str());
  table("\nTime of an exchange by the model, ms", [](const scaling_row& r) { return 1e3 * r.exchange_s; }, ratio.c_str());
}

nlohmann::ordered_json to_json(const rows& found, std::size_t orders) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const scaling_row &r = found[i], &first = found[i - i % orders];
    const std::string name = fmt::format("case {}, {} cores, {}, {}", r.which, r.cores, r.mode, r.order);
    const auto add = [&](const char* quantity, double value, double of_first, const char* unit) {
      list.push_back({{"name", fmt::format("{}, {}", name, quantity)},
                      {"value", value},
                      {"unit", unit},
                      {"peer", first.order},
                      {"ratio", of_first > 0 ? nlohmann::ordered_json(value / of_first) : nullptr},
                      {"must", nullptr},
                      {"aim", nullptr}});
    };
    add("sent to other hosts", static_cast<double>(r.off_host_bytes), static_cast<double>(first.off_host_bytes),
        "B/exchange");
    add("exchange by the model", 1e3 * r.exchange_s, 1e3 * first.exchange_s, "ms");
  }
  return list;
}

int weak_scaling(const weak_scaling_options& o) {
  scaling_options series = o.series;
  series.bytes_of_value = o.precision == "double" ? 8 : 4;
  growing_machine machine = paper_machine();
  if (!o.network.empty()) machine.network = o.network;
  const rows found = weak_scaling(machine, series);
  if (o.json != "-") {
    fmt::print("hosts of {}, network {}; nothing is started\n\n", machine.host.summary(), machine.network);
    print(found, series.orders);
  }
  write_json(o.json, {{"schema", "osteon.bench/1"},
                      {"network", machine.network},
                      {"scale", series.scale},
                      {"precision", o.precision},
                      {"rows", to_json(found, series.orders.size())}});
  return 0;
}

}  // namespace

void add_bench_weak_scaling(registry& commands) {
  const auto o = std::make_shared<weak_scaling_options>();
  command c = commands.add("bench", "weak-scaling", "Predict the weak scaling of Ito et al. by placement",
                           [o] { return weak_scaling(*o); });
  c.add_option("--case", o->series.cases, "1 = one shape of the whole grid, 2 = boxes of 1024 x 256 x 256 (default: 1,2)")
      .delimiter(',');
  c.add_option("--cores", o->series.cores, "Numbers of cores, which fill hosts of 2 x 4 (default: 32,64,128,256,512)")
      .delimiter(',');
  c.add_option("--scale", o->series.scale, "Scale of the grid of Ito et al. along each axis (default: 1)")
      .between(1e-3, 1.0);
  add_repeatable(c, "--order", o->series.orders,
                 "original, random, afc-nb, afc (the method of Ito et al.), ours; may be repeated (default: all)")
      .one_of({"original", "random", "afc-nb", "afc", "ours"});
  c.add_option("--network", o->network,
               "Between hosts (docs/reference/network.md; default: a fat tree near that of Ito et al.)");
  c.add_option("--precision", o->precision, "double or float").one_of({"double", "float"}).show_default();
  c.add_option("--seed", o->series.seed, "Seed of searches and random orders (default: 1)");
  add_json(c, o->json);
  c.footer(
      "Modes: flat has a rank for each core, hybrid one for each processor. Measured exchanges: `osteon bench poisson`.\n\n"
      "Examples:\n  osteon bench weak-scaling\n  osteon bench weak-scaling --case 2 --cores 512,4096 --network "
      "torus:8x8x8,rate=5GB/s");
}

}  // namespace osteon::studies
