#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/figures/drawings.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <charconv>
#include <cmath>
#include <memory>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/machine/links/links.hpp>
#include <osteon/machine/links/machine_file.hpp>
#include <osteon/machine/probe/probe.hpp>
#include <osteon/machine/topology/binding.hpp>

namespace osteon::app {

namespace {

using json = nlohmann::ordered_json;

constexpr int exit_slow = 6;

/// Options of the command that measures the links of this machine and reports slow links.
struct probe_command_options {
  std::optional<int> ranks;
  std::string mode = "both", fit = "robust", budget = "10s", bind = "core";
  double slow_below = 0.7;
  std::string output, compare;
  std::vector<std::string> pictures;
  std::string json;
  bool which_core = false;
};

double parse_seconds(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "min" ? 60 : 0;
  if (fault != std::errc{} || factor == 0 || !(value * factor >= 0.1) || value * factor > 86400)
    throw usage_error(fmt::format("--budget {}: must be a time of at least 0.1 s, such as 10s, 500ms or 2min", text));
  return value * factor;
}

machine::probe_options measured_options(const probe_command_options& o) {
  for (const std::string& picture : o.pictures) require_picture_name(picture);
  machine::probe_options result;
  result.isolated = o.mode != "loaded";
  result.loaded = o.mode != "isolated";
  result.fit = o.fit == "paper" ? machine::fit_method::paper : machine::fit_method::robust;
  result.budget_s = parse_seconds(o.budget);
  result.slow_below = o.slow_below;
  return result;
}

void print_hosts(const machine::host_list& hosts, int ranks) {
  constexpr std::size_t most = 4;
  fmt::print("{} host{}, {} rank{}\n", hosts.size(), hosts.size() == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(hosts.trees().size(), most); ++i) {
    int count = 0, first = -1;
    for (int h = 0; h < hosts.size(); ++h)
      if (hosts.tree_of(h) == static_cast<int>(i) && count++ == 0) first = h;
    fmt::print("  {}{}: {}\n", hosts.name(first), count > 1 ? fmt::format(" and {} like it", count - 1) : "",
               hosts.trees()[i].summary());
  }
  if (hosts.trees().size() > most) fmt::print("  and {} more kinds of hosts\n", hosts.trees().size() - most);
}

// Format a number with `digits` significant digits and without an exponent: 12510 instead of 1.251e+04, which is wider than
// a column.
std::string cell(double value, int digits) {
  return std::abs(value) >= std::pow(10.0, digits) ? fmt::format("{:.0f}", value) : fmt::format("{:.{}g}", value, digits);
}

void print_classes(const machine::probe_result& probed) {
  if (probed.classes.empty()) {
    fmt::print(
        "\nNo links were measured: at least two ranks are required (osteon probe -n 2, or mpirun on several hosts).\n");
    return;
  }
  fmt::print("\n{:<14}{:<10}{:>7}  {:>29}  {:>29}\n", "", "", "", "bandwidth in MB/s", "latency in us");
  fmt::print("{:<14}{:<10}{:>7}  {:>9} {:>9} {:>9}  {:>9} {:>9} {:>9}\n", "path", "", "pairs", "median", "mean", "sd",
             "median", "mean", "sd");
  for (const auto path : machine::all_paths) {
    for (const bool loaded : {false, true})
      if (const auto* c = probed.figures(path, loaded))
        fmt::print("{:<14}{:<10}{:>7}  {:>9} {:>9} {:>9}  {:>9} {:>9} {:>9}\n", machine::name_of(path),
                   loaded ? "loaded" : "isolated", c->pairs, cell(c->median.bandwidth * 1e-6, 4),
                   cell(c->mean.bandwidth * 1e-6, 4), cell(c->deviation.bandwidth * 1e-6, 3),
                   cell(c->median.latency_s * 1e6, 3), cell(c->mean.latency_s * 1e6, 3),
                   cell(c->deviation.latency_s * 1e6, 2));
    if (const auto ratio = probed.contention(path)) fmt::print("{:<14}loaded / isolated: {:.2f}\n", "", *ratio);
  }
}

void print_core_choice(const machine::core_choice& found, const machine::host_list& hosts) {
  const std::size_t columns = found.ranks_b.size();
  fmt::print("\neffect of the measuring cores: ranks of {} by ranks of {}, MB/s\n{:>8}", hosts.name(found.host_a),
             hosts.name(found.host_b), "");
  for (const int b : found.ranks_b) fmt::print(" {:>8}", b);
  for (std::size_t i = 0; i < found.ways.size(); ++i) {
    if (i % columns == 0) fmt::print("\n{:>8}", found.ranks_a[i / columns]);
    fmt::print(" {:>8}", found.ways[i].bandwidth > 0 ? cell(found.ways[i].bandwidth * 1e-6, 4) : "-");
  }
  fmt::print(
      "\n{} pairs of cores, median {}: difference between pairs {:.1f} %, repeatability {:.1f} %: the choice of cores {}\n",
      found.ways.size(), machine::rate_text(found.usual), 100 * found.between_ways, 100 * found.same_way,
      found.matters() ? "MATTERS" : "does not matter");
  if (!found.complete) fmt::print("note: the budget ended before every pair was measured twice\n");
}

json to_json(const machine::core_choice& found, const machine::host_list& hosts) {
  json ways = json::array();
  for (const machine::link& l : found.ways) ways.push_back(l.bandwidth);
  return {{"hosts", {hosts.name(found.host_a), hosts.name(found.host_b)}},
          {"ranks_a", found.ranks_a},
          {"ranks_b", found.ranks_b},
          {"bandwidth_B_per_s", std::move(ways)},
          {"usual_B_per_s", found.usual},
          {"between_ways", found.between_ways},
          {"same_way", found.same_way},
          {"complete", found.complete},
          {"matters", found.matters()}};
}

std::vector<std::string> verdict_lines(const machine::probe_result& probed) {
  std::vector<std::string> lines = machine::lines_of(probed.judged, probed.machine.hosts);
  for (const machine::slow_inside& s : probed.inside)
    lines.push_back(fmt::format("SLOW inside host {}: {} on {} paths, median {}", probed.machine.hosts.name(s.host),
                                machine::rate_text(s.bandwidth), machine::name_of(s.what), machine::rate_text(s.usual)));
  return lines;
}

std::vector<std::string> comparison_lines(const machine::comparison& changes, const std::string& file) {
  constexpr std::size_t most = 10;
  std::vector<std::string> lines;
  const auto add_names = [&](const char* title, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i ? ", " : "") + names[i];
    if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
    lines.push_back(fmt::format("{} {}: {}", title, file, text));
  };
  add_names("GONE since", changes.gone);
  add_names("NEW since", changes.fresh);
  for (std::size_t i = 0; i < std::min(changes.slower.size(), most); ++i) {
    const machine::change& c = changes.slower[i];
    lines.push_back(
        fmt::format("SLOWER {}: {}, was {} in {}", c.what, machine::rate_text(c.now), machine::rate_text(c.before), file));
  }
  if (changes.slower.size() > most) lines.push_back(fmt::format("{} more became slower", changes.slower.size() - most));
  return lines;
}

json to_json(const machine::link& l) { return {{"latency_s", l.latency_s}, {"bandwidth_B_per_s", l.bandwidth}}; }

json to_json(const machine::probe_result& probed, const machine::job_hosts& job) {
  const auto& names = probed.machine.hosts.names();
  const auto name = [&](int host) { return names[static_cast<std::size_t>(host)]; };
  json answer = {{"schema", "osteon.probe/1"},       {"measured_at", probed.machine.measured_at},
                 {"seconds", probed.seconds},        {"hosts", names},
                 {"ranks", job.host_of_rank.size()}, {"classes", json::array()},
                 {"slow_hosts", json::array()},      {"slow_links", json::array()},
                 {"slow_inside", json::array()},     {"group_of_host", probed.judged.cluster_of},
                 {"remarks", probed.remarks},        {"pairs", json::array()}};
  for (const auto& c : probed.classes)
    answer["classes"].push_back({{"path", machine::name_of(c.what)},
                                 {"loaded", c.loaded},
                                 {"pairs", c.pairs},
                                 {"median", to_json(c.median)},
                                 {"mean", to_json(c.mean)},
                                 {"standard_deviation", to_json(c.deviation)}});
  for (const auto& s : probed.judged.hosts)
    answer["slow_hosts"].push_back(
        {{"host", name(s.host)}, {"bandwidth_B_per_s", s.bandwidth}, {"usual_B_per_s", s.usual}, {"links", s.links}});
  for (const auto& s : probed.judged.links)
    answer["slow_links"].push_back(
        {{"hosts", {name(s.a), name(s.b)}}, {"bandwidth_B_per_s", s.bandwidth}, {"usual_B_per_s", s.usual}});
  for (const auto& s : probed.inside)
    answer["slow_inside"].push_back({{"host", name(s.host)},
                                     {"path", machine::name_of(s.what)},
                                     {"bandwidth_B_per_s", s.bandwidth},
                                     {"usual_B_per_s", s.usual}});
  for (const auto& p : probed.pairs) {
    json times = json::array();
    for (const auto& t : p.times) times.push_back({t.bytes, t.seconds});
    json pair = {
        {"ranks", {p.a, p.b}},
        {"hosts",
         {name(job.host_of_rank[static_cast<std::size_t>(p.a)]), name(job.host_of_rank[static_cast<std::size_t>(p.b)])}},
        {"path", machine::name_of(p.what)},
        {"loaded", p.loaded},
        {"retest", p.alone}};
    pair.update(to_json(p.found));
    pair["times"] = std::move(times);
    answer["pairs"].push_back(std::move(pair));
  }
  return answer;
}

// Report the result on rank 0. @return true if no link is slow
bool present(const machine::probe_result& probed, const machine::job_hosts& job, const probe_command_options& o,
             const std::optional<machine::description>& before, const std::optional<machine::core_choice>& which_core) {
  std::vector<std::string> lines = verdict_lines(probed);
  bool fine = probed.fine();
  json answer = to_json(probed, job);
  if (before) {
    const machine::comparison changes = machine::compare(*before, probed.machine, o.slow_below);
    for (std::string& line : comparison_lines(changes, o.compare)) lines.push_back(std::move(line));
    fine = fine && changes.slower.empty() && changes.gone.empty();
    json slower = json::array();
    for (const auto& c : changes.slower)
      slower.push_back({{"what", c.what}, {"before_B_per_s", c.before}, {"now_B_per_s", c.now}});
    answer["compared"] = {
        {"with", o.compare}, {"gone", changes.gone}, {"new", changes.fresh}, {"slower", std::move(slower)}};
  }
  answer["verdict"] = lines;
  if (which_core) answer["which_core"] = to_json(*which_core, probed.machine.hosts);
  if (!o.output.empty()) machine::write_machine(o.output, probed.machine);
  for (const std::string& picture : o.pictures) draw_links(probed, picture);
  write_json(o.json, answer);
  if (o.json == "-") return fine;
  print_hosts(probed.machine.hosts, static_cast<int>(job.host_of_rank.size()));
  print_classes(probed);
  if (which_core) print_core_choice(*which_core, probed.machine.hosts);
  fmt::print("\n");
  for (const std::string& line : probed.remarks) fmt::print("note: {}\n", line);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (lines.empty() && !probed.classes.empty()) fmt::print("No slow hosts or links.\n");
  fmt::print("{:.1f} s", probed.seconds);
  for (const std::string& file : o.pictures) fmt::print(", {}", file);
  fmt::print("{}\n", o.output.empty() ? "" : ", " + o.output);
  return fine;
}

int probe_as_rank(const probe_command_options& o) {
  int fine = 1;
  const int code = on_all_ranks([&](MPI_Comm comm) {
    machine::probe_options options;
    std::optional<machine::description> before;
    const bool first = comm::rank(comm) == 0;
    comm::collectively(comm, [&] {
      options = measured_options(o);
      if (first && !o.compare.empty()) before = machine::read_machine(o.compare);
    });
    const machine::job_hosts job = machine::hosts_of(comm);
    std::optional<machine::core_choice> which_core;
    const machine::probe_result probed =
        machine::probe(comm, job, options, o.bind == "core", o.which_core ? &which_core : nullptr);
    comm::collectively(comm, [&] {
      if (first) fine = present(probed, job, o, before, which_core) ? 1 : 0;
    });
    MPI_Bcast(&fine, 1, MPI_INT, 0, comm);
  });
  return code != 0 ? code : fine ? 0 : exit_slow;
}

int probe(const probe_command_options& o, const std::vector<std::string>& arguments) {
  if (under_launcher(o.ranks.value_or(1))) return probe_as_rank(o);
  measured_options(o);
  const int cores =
      static_cast<int>(machine::restricted(machine::this_host(), machine::current_binding()).usable_cores().size());
  const int ranks = o.ranks.value_or(std::max(cores, 1));
  if (ranks == 1) return probe_as_rank(o);
  return start_ranks(ranks, 1, arguments);
}

}  // namespace

void add_probe(registry& commands) {
  const auto o = std::make_shared<probe_command_options>();
  command c = commands.add("probe", "Measure the links between cores and hosts",
                           [o, arguments = commands.arguments()] { return probe(*o, arguments); });
  c.add_option("-n,--ranks", o->ranks, "MPI processes on this host (default: one per core)").positive();
  c.add_option("--mode", o->mode, "isolated: one core per host at a time; loaded: all cores at once; both")
      .one_of({"isolated", "loaded", "both"})
      .show_default();
  c.add_option("--fit", o->fit, "robust: medians and Theil-Sen fit; paper: five sizes, least squares")
      .one_of({"robust", "paper"})
      .show_default();
  c.add_option("--budget", o->budget, "Measurement time, such as 10s, 500ms or 2min").show_default();
  c.add_option("--slow-below", o->slow_below, "Fraction of the median bandwidth below which a link is slow")
      .between(0.05, 0.95)
      .show_default();
  c.add_option("--bind", o->bind, "core: bind each rank to a core; none: keep the binding")
      .one_of({"core", "none"})
      .show_default();
  c.add_option("-o,--output", o->output, "Machine file to write, input of `osteon place` and --compare");
  add_repeatable(c, "--picture", o->pictures, "Heat map to write (.svg or .png); may be repeated");
  c.add_option("--compare", o->compare,
               "Compare with the machine file of an earlier probe: report slower and missing links");
  c.add_flag("--which-core", o->which_core,
             "Measure all pairs of cores of the first two hosts to test the effect of the measuring core");
  add_json(c, o->json);
  c.footer(
      "Measures the cores of this host, or under mpirun or srun the hosts of the job "
      "(docs/reference/machine.md).\n\nExamples:\n  "
      "osteon probe\n  mpirun -n 64 --map-by node osteon probe -o machine.json --picture links.svg\n  srun --mpi=pmix "
      "--ntasks-per-node=1 osteon probe --mode isolated --budget 5s --compare machine.json\n  mpirun -n 16 --map-by "
      "ppr:8:node osteon probe --which-core\n\nExit codes: 0 no slow links, 6 a host or link is slow, became slower or is "
      "missing (for prologs); others as for `osteon run`.");
}

}  // namespace osteon::app
