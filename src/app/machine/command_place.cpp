#include <fmt/format.h>
#include <unistd.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/machine/place_graph.hpp>
#include <app/process/json_output.hpp>
#include <app/process/srun.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <osteon/job/system_info.hpp>
#include <osteon/machine/links/machine_file.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/placement/hosts/batch_script.hpp>
#include <osteon/placement/hosts/target.hpp>
#include <osteon/placement/place.hpp>

namespace osteon::app {

namespace {

using json = nlohmann::ordered_json;

struct place_options {
  graph_options source;
  std::string machine, host, network;
  int hosts = 0;
  std::string method = "best", emit, output, picture, json;
  std::uint64_t seed = 1;
  double effort = 1, least_gain = 0;
  bool without_scotch = false, verify = false;
  std::string batch, walltime = "01:00:00", program;
  int threads = 1;
};

machine::description machine_of(const place_options& o) {
  if (!o.machine.empty()) {
    if (o.hosts > 0 || !o.host.empty())
      throw usage_error("--machine defines the hosts; leave out --hosts and --host, or --machine");
    return machine::read_machine(o.machine);
  }
  const machine::host_tree tree = o.host.empty()             ? machine::this_host()
                                  : o.host.ends_with(".xml") ? machine::host_from_xml(o.host)
                                                             : machine::synthetic_host(o.host);
  if (o.hosts > 0 || !o.host.empty()) return machine::assumed(machine::host_list(std::max(o.hosts, 1), tree));
  machine::host_list here;
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  here.add(name.data(), tree);
  return machine::assumed(here);
}

placement::target target_of(const place_options& o) {
  machine::description machine = machine_of(o);
  if (o.network.empty()) return placement::every_core(std::move(machine));
  return placement::every_core(std::move(machine), std::make_shared<net::network>(net::network_by_text(o.network)));
}

json to_json(const placement::assessment& a) {
  json by_path = json::object();
  for (const machine::path p : machine::all_paths)
    by_path[std::string(machine::name_of(p))] = a.bytes_by_path[static_cast<std::size_t>(p)];
  return {{"off_host_bytes", a.off_host_bytes},
          {"bytes_by_path", by_path},
          {"hop_bytes", a.network.volume},
          {"hottest_link", a.hottest_link},
          {"hottest_link_s", a.network.hottest_time},
          {"predicted_s", a.predicted_s()}};
}

json to_json(const placement::placement& found, const placement::target& where) {
  json answer = {
      {"schema", "osteon.place/1"},
      {"subdomains", found.place.size()},
      {"hosts", where.hosts()},
      {"off_host_bytes",
       {{"input", found.input.off_host_bytes},
        {"random", found.random_off_host_bytes},
        {"result", found.result.off_host_bytes}}},
      {"predicted_s",
       {{"input", found.input.predicted_s()}, {"random", found.random_predicted_s}, {"result", found.result.predicted_s()}}},
      {"input", to_json(found.input)},
      {"result", to_json(found.result)},
      {"kept_input", found.kept_input},
      {"how", found.how},
      {"search_s", found.seconds}};
  json places = json::array();
  for (const int p : found.place) {
    const machine::place at = where.places[static_cast<std::size_t>(p)];
    places.push_back({where.machine.hosts.name(at.host), at.core});
  }
  answer["places"] = std::move(places);
  return answer;
}

void print(const placement::placement& found, const placement::target& where, const std::string& source) {
  const auto row = [](const char* title, double input, const std::string& random, double result) {
    const std::string times = result <= 0      ? (input > 0 ? "all saved" : "")
                              : input < result ? fmt::format("{:.2f} times more", result / input)
                                               : fmt::format("{:.2f} times less", input / result);
    fmt::print("  {:<28} {:>12.5g} {:>12} {:>12.5g}   {}\n", title, input, random, result, times);
  };
  const auto mega = [](auto bytes) { return static_cast<double>(bytes) * 1e-6; };
  const auto path = [&](machine::path p) {
    const auto i = static_cast<std::size_t>(p);
    if (found.input.bytes_by_path[i] + found.result.bytes_by_path[i] > 0)
      row(fmt::format("{}, MB", machine::name_of(p)).c_str(), mega(found.input.bytes_by_path[i]), "",
          mega(found.result.bytes_by_path[i]));
  };
  fmt::print("{}: {} subdomains on {} cores of {} hosts; one exchange, both directions\n\n  {:<28} {:>12} {:>12} {:>12}\n",
             source, found.place.size(), where.places.size(), where.hosts(), "", "input order", "random", "placed");
  row("off-host volume, MB", mega(found.input.off_host_bytes), fmt::format("{:.5g}", mega(found.random_off_host_bytes)),
      mega(found.result.off_host_bytes));
  path(machine::path::inter_socket);
  path(machine::path::inter_l3);
  row("hottest link, ms", found.input.network.hottest_time * 1e3, "", found.result.network.hottest_time * 1e3);
  row("predicted time, ms", found.input.predicted_s() * 1e3, fmt::format("{:.5g}", found.random_predicted_s * 1e3),
      found.result.predicted_s() * 1e3);
  if (!found.result.hottest_link.empty()) fmt::print("\n  hottest link: {}", found.result.hottest_link);
  fmt::print("\n  {}{} ({:.2f} s)\n", fmt::join(found.how, ", "),
             found.kept_input ? "; the input order is kept, as the gain is too small" : "", found.seconds);
}

// Write the batch script of a placement to the file of --output, or to job.slurm or job.pbs.
void write_batch(const place_options& o, const placement::target& where, const placement::placement& found) {
  if (o.batch.empty()) return;
  placement::batch_options options{.system = placement::parse_batch_system(o.batch),
                                   .threads = o.threads,
                                   .named_hosts = !o.machine.empty(),
                                   .walltime = o.walltime,
                                   .mpi_type = mpi_type_of_srun(job::this_build().mpi),
                                   .program = o.program};
  if (options.program.empty()) options.program = o.source.job.empty() ? "PROGRAM" : "osteon run " + o.source.job;
  const std::string text = placement::batch_script(where, found.place, options);
  if (o.output == "-") {
    fmt::print("{}", text);
    return;
  }
  const std::string file = o.output.empty() ? "job." + o.batch : o.output;
  job::write_file(file, text);
  if (o.json != "-") fmt::print("\n  {}; use it as: {} {}\n", file, o.batch == "pbs" ? "qsub" : "sbatch", file);
}

void emit(const place_options& o, const placement::target& where, const placement::placement& found) {
  if (o.emit.empty()) return;
  const std::string file = o.output.empty() || o.output == "-" ? "placement." + o.emit : o.output;
  const auto made = placement::launch_file_of(placement::parse_launcher(o.emit), where, found.place, file,
                                              mpi_type_of_srun(job::this_build().mpi));
  if (o.output == "-") {
    fmt::print("{}", made.text);
    return;
  }
  job::write_file(file, made.text);
  if (made.executable)
    std::filesystem::permissions(file, std::filesystem::perms::owner_exec | std::filesystem::perms::group_exec,
                                 std::filesystem::perm_options::add);
  if (o.json != "-") fmt::print("\n  {}; use it as: {}\n", file, made.command);
}

int place(const place_options& o, const std::vector<std::string>& arguments) {
  placement::options options{.how = placement::parse_method(o.method),
                             .seed = o.seed,
                             .effort = o.effort,
                             .least_gain = o.least_gain,
                             .use_scotch = !o.without_scotch};
  if (o.verify) {
    if (o.hosts > 0 || !o.host.empty() || !o.network.empty() || !o.emit.empty() || !o.picture.empty())
      throw usage_error(
          "--verify measures on the available hosts: --hosts, --host, --network, --emit and --picture do not apply");
    return verify_placement(o.source, {.machine = o.machine, .json = o.json, .search = options}, arguments);
  }
  if (!o.emit.empty())
    placement::parse_launcher(o.emit);  // reject a wrong name before a long search or before the traced program runs
  if (!o.batch.empty() && !o.emit.empty()) throw usage_error("--batch writes a script with bindings; leave out --emit");
  if (o.threads > 1 && !o.emit.empty())
    throw usage_error("--emit assigns one core per rank; use --batch with --threads to bind ranks to several cores");
  const placement::target where = placement::places_of_teams(target_of(o), o.threads);
  const placed_graph source = make_graph(o.source);
  options.grid = source.grid;
  const placement::placement found = placement::place(source.graph, where, options);
  if (o.json != "-" && o.output != "-") print(found, where, source.description);
  emit(o, where, found);
  write_batch(o, where, found);
  if (!o.picture.empty()) job::write_file(o.picture, draw_placement(source, where, found));
  write_json(o.json, to_json(found, where));
  return 0;
}

}  // namespace

void add_place(registry& commands) {
  const auto o = std::make_shared<place_options>();
  command c = commands.add("place", "Map subdomains to hosts and cores",
                           [o, arguments = commands.arguments()] { return place(*o, arguments); });
  add_graph_options(c, o->source);
  c.add_option("--machine", o->machine, "machine.json of `osteon probe`");
  c.add_option("--hosts", o->hosts, "Number of equal hosts, without a machine file").between(1, 1 << 20);
  c.add_option("--host", o->host,
               "Topology of a host as an hwloc synthetic string, such as \"pack:2 l3:1 core:4 pu:1\", or an lstopo .xml "
               "file (default: this host)");
  c.add_option("--network", o->network, "Network model, such as fattree:8x8,over=4 (docs/reference/network.md)");
  c.add_option("--method", o->method, "Method: best, paper (AFC), groups (AFC-NB), input, random").show_default();
  c.add_option("--seed", o->seed, "Seed of the searches, which are deterministic").show_default();
  c.add_option("--effort", o->effort, "Search effort; 1 is the default length").between(0.001, 100.0).show_default();
  c.add_option("--least-gain", o->least_gain, "Keep the input order if the relative gain is smaller").between(0.0, 1.0);
  c.add_flag("--no-scotch", o->without_scotch, "Do not use Scotch");
  c.add_option("--emit", o->emit, "Write a file for a launcher: ompi4-rankfile, ompi5, seq, hydra, slurm or wrap");
  c.add_option("--batch", o->batch, "Write a batch script that starts the ranks at their places: slurm or pbs")
      .one_of({"slurm", "pbs"});
  c.add_option("-t,--threads", o->threads, "Cores per rank; more than 1 for threads on adjacent cores")
      .between(1, 4096)
      .show_default();
  c.add_option("--program", o->program, "With --batch: program to start (default: osteon run JOB with --job, else PROGRAM)");
  c.add_option("--walltime", o->walltime, "With --batch: requested time").show_default();
  c.add_option("-o,--output", o->output, "File of --emit, --batch or the mapping (-: standard output)");
  c.add_flag("--verify", o->verify, "Place ranks on this machine (or under mpirun) and measure the exchange");
  c.add_option("--picture", o->picture, "Draw placement and input order as SVG");
  add_json(c, o->json);
  c.footer(
      "Examples:\n  osteon place --grid z=8,y=8,x=8 --cells z=256,y=256,x=1024 --hosts 64 --host \"pack:2 l3:1 core:4 "
      "pu:1\"\n"
      "  osteon place --graph trace.json --machine machine.json --emit ompi4-rankfile -o rankfile\n"
      "  osteon place --job examples/bone.toml --ranks 16 --hosts 8 --host \"pack:2 l3:1 core:4 pu:1\" --threads 4 --batch "
      "slurm\n"
      "  osteon place --job examples/bone.toml --ranks 64 --hosts 8 --host \"pack:2 l3:1 core:4 pu:1\"\n"
      "  osteon place --hosts 4 --host \"core:2 pu:1\" --trace -- mpirun -n 8 ./program");
}

}  // namespace osteon::app
