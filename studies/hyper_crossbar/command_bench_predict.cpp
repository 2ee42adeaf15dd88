#include <fmt/format.h>

#include <algorithm>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/mpi_session.hpp>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <osteon/net/networks/network_request.hpp>
#include <studies/hyper_crossbar/commands.hpp>
#include <studies/hyper_crossbar/integer_sort/run.hpp>
#include <studies/hyper_crossbar/predict.hpp>
#include <studies/hyper_crossbar/time_plot.hpp>

namespace osteon::studies {

using namespace app;

namespace {

using json = nlohmann::ordered_json;

struct bench_predict_options {
  std::string problem = "A", broadcast = "tree", plot, json, exec_from;
  std::vector<std::string> schemes{"transposition"};
  std::vector<std::string> networks{"hxb", "torus", "fattree", "dragonfly"};
  std::vector<int> pus{64, 128, 256, 512, 1024, 2048, 4096};
};

// CPU time in s for computing on one PU. The time is independent of other load on the machine. For IS, the whole problem is
// measured. For FT, the part of one PU is measured for each number of PUs.
struct exec_times {
  double is = 0;
  std::map<int, double> ft;
};

exec_times measure_exec(MPI_Comm comm, const bench_predict_options& options, const std::vector<int>& pus) {
  const auto& problem = integer_sort::problem_of(options.problem);
  integer_sort::run_options sort;
  sort.letter = options.problem;
  sort.digits = {(problem.log2_values + 1) / 2, problem.log2_values / 2};
  exec_times times;
  // A single rank sends no messages. The time of a single rank is therefore the computing time. The shorter time of two runs
  // is used, because the first run also accesses the memory for the first time.
  times.is = std::min(integer_sort::run(comm, sort).cpu, integer_sort::run(comm, sort).cpu);
  for (const int p : pus) times.ft[p] = measure_ft_share(ft_class_named(options.problem), p);
  return times;
}

// Computing times from results of `osteon bench is` and `osteon bench ft`. Each exec time is multiplied by the number of
// ranks and divided by the number of PUs.
exec_times read_exec(const std::string& files, const std::vector<int>& pus) {
  const auto comma = files.find(',');
  if (comma == std::string::npos)
    throw usage_error("--exec: must be two files, of `osteon bench is` and of `osteon bench ft`");
  const auto read = [](const std::string& name) {
    std::ifstream in(name);
    const json content = json::parse(in, nullptr, false);
    const json row = content.contains("rows") ? content["rows"][0] : content;
    if (!row.contains("exec_s") || !row.contains("ranks"))
      throw data_error(fmt::format("{}: not a result of `osteon bench is --json` or `osteon bench ft --json`", name));
    return row["exec_s"].get<double>() * row["ranks"].get<double>();
  };
  exec_times times{read(files.substr(0, comma)), {}};
  const double ft = read(files.substr(comma + 1));
  for (const int p : pus) times.ft[p] = ft / p;
  return times;
}

json row_of(const char* program, const prediction& p, double first) {
  return {{"program", program},
          {"network", p.network},
          {"pus", p.pus},
          {"exec_s", p.exec},
          {"trans_s", p.trans},
          {"total_s", p.total()},
          {"trans_percent", 100 * p.trans / p.total()},
          {"speed_up", first / p.total()},
          {"rounds", p.rounds},
          {"message_bytes", p.message_bytes}};
}

void predict(MPI_Comm comm, const bench_predict_options& options) {
  const ft_class& problem = ft_class_named(options.problem);
  // All names are parsed first. An invalid name must be reported before measurements that take minutes.
  std::map<std::string, std::vector<std::string>> texts;
  std::vector<int> sizes;
  for (const std::string& network : options.networks)
    for (const int p : options.pus) {
      const std::string text = network_of_family(network, p);
      if (!texts[network].empty() && texts[network].back() == text) continue;
      texts[network].push_back(text);
      const auto pus = static_cast<int>(net::parse_network(text).pus());
      fourier_3d::squarest_folding(problem.shape, pus);
      sizes.push_back(pus);
    }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  const exec_times exec =
      options.exec_from.empty() ? measure_exec(comm, options, sizes) : read_exec(options.exec_from, sizes);

  auto rows = json::array();
  const auto broadcast = options.broadcast == "crossbars" ? table_broadcast::crossbars : table_broadcast::tree;
  const auto wants = [&](const char* scheme) {
    return std::find(options.schemes.begin(), options.schemes.end(), scheme) != options.schemes.end();
  };
  std::vector<std::string> programs{"IS"};
  if (wants("transposition")) programs.emplace_back("FT");
  if (wants("fixed")) programs.emplace_back("FT fixed");
  std::vector<time_panel> panels;
  for (const std::string& program : programs) panels.push_back({fmt::format("{} class {}", program, options.problem), {}});
  const bool table = options.json != "-";
  if (table)
    fmt::print("{:<8} {:<28} {:>6} {:>11} {:>11} {:>7} {:>11} {:>9} {:>8} {:>11}\n", "", "network", "PUs", "exec s",
               "trans s", "%", "total s", "speed-up", "rounds", "B/message");
  for (const std::string& network : options.networks) {
    for (time_panel& panel : panels) panel.curves.push_back({network, {}, {}});
    std::vector<double> first(programs.size());
    for (const std::string& text : texts[network]) {
      const net::network where = net::network_by_text(text);
      for (std::size_t i = 0; i < programs.size(); ++i) {
        const prediction p = programs[i] == "IS"   ? predict_is(where, options.problem, exec.is, broadcast)
                             : programs[i] == "FT" ? predict_ft(where, problem, exec.ft.at(where.pus))
                                                   : predict_ft_fixed(where, problem, exec.ft.at(where.pus));
        if (first[i] == 0) first[i] = p.total();
        panels[i].curves.back().pus.push_back(p.pus);
        panels[i].curves.back().seconds.push_back(p.total());
        rows.push_back(row_of(programs[i].c_str(), p, first[i]));
        if (table)
          fmt::print("{:<8} {:<28} {:>6} {:>11.6f} {:>11.6f} {:>7.2f} {:>11.6f} {:>9.2f} {:>8} {:>11.0f}\n", programs[i],
                     text, p.pus, p.exec, p.trans, 100 * p.trans / p.total(), p.total(), first[i] / p.total(), p.rounds,
                     p.message_bytes);
      }
    }
  }
  if (!options.plot.empty()) job::write_file(options.plot, draw_times(panels));
  write_json(options.json, {{"schema", "osteon.bench/1"}, {"class", options.problem}, {"rows", rows}});
}

}  // namespace

void add_bench_predict(registry& commands) {
  const auto o = std::make_shared<bench_predict_options>();
  command c = commands.add("bench", "predict", "Predict the time of IS and FT on thousands of PUs of a network", [o] {
    return on_all_ranks([&](MPI_Comm comm) {
      if (comm::size(comm) > 1) throw usage_error("osteon bench predict measures one core: start it without mpirun");
      predict(comm, *o);
    });
  });
  c.add_option("--class", o->problem, "Size of both programs: S, W, A, B or C").show_default();
  c.add_option("--network", o->networks,
               "hxb, torus, mesh, fattree or dragonfly, followed by options of `osteon net` (torus,rate=10GB/s,"
               "startup=1us), or a network such as hxb:8x8x16; may be repeated (default: hxb torus fattree dragonfly)")
      .repeatable();
  c.add_option("--pus", o->pus, "Numbers of PUs of the families (default: 64,128,...,4096)").delimiter(',');
  c.add_option("--broadcast", o->broadcast,
               "Broadcast of the count tables of IS: by a tree of messages, or in one step by crossbars that copy")
      .one_of({"tree", "crossbars"})
      .show_default();
  c.add_option("--scheme", o->schemes,
               "Scheme of FT: transposition; fixed, where PUs swap their shares; or both (default: transposition)")
      .one_of({"transposition", "fixed"})
      .delimiter(',');
  c.add_option("--exec", o->exec_from,
               "IS.json,FT.json: use computing times of these results of `osteon bench is` and `osteon bench ft`, divided "
               "evenly (default: measured now in CPU time, FT for each share)");
  c.add_option("--plot", o->plot, "Write times over PUs as SVG to this file");
  add_json(c, o->json);
  c.footer(
      "Speed-up is relative to the smallest machine of a network, as in the tables of Itakura et al.\n\nExamples:\n  osteon "
      "bench predict --plot "
      "predicted.svg\n  osteon bench predict --network hxb --network torus,rate=12.5GB/s,startup=1us --pus 64,1024,4096\n  "
      "osteon "
      "bench predict --network hxb --pus 64,256,1024 --broadcast crossbars --scheme transposition,fixed");
}

}  // namespace osteon::studies
