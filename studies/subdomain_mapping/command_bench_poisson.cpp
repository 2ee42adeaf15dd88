#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <memory>
#include <osteon/base/counted.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/machine/links/machine_file.hpp>
#include <osteon/machine/probe/job_hosts.hpp>
#include <osteon/machine/probe/probe.hpp>
#include <osteon/machine/topology/bind_ranks.hpp>
#include <studies/measure/bench_row.hpp>
#include <studies/subdomain_mapping/commands.hpp>
#include <studies/subdomain_mapping/poisson/poisson.hpp>
#include <studies/subdomain_mapping/poisson/poisson_grids.hpp>
#include <studies/subdomain_mapping/ranks/box_order.hpp>
#include <studies/subdomain_mapping/weak_scaling.hpp>

namespace osteon::studies {

using namespace app;

namespace {

struct bench_poisson_options {
  std::optional<int> ranks;
  int threads = 1, which = 2;
  std::optional<double> scale;
  std::vector<std::int64_t> cells, boxes;  // z, y, x
  std::vector<std::string> orders{"original", "random", "afc-nb", "afc", "ours"};
  std::string precision = "double", overlap = "auto", binding = "none", machine;
  unsigned seed = 1;
  double seconds = 3, budget = 5;
  std::string json;
};

constexpr double usual_bytes_of_core = 256e6;  // size far beyond the caches

// The grids of [Ito] are defined per core. If a rank has several threads, its box has the size of the boxes of an equal
// number of ranks with one thread.
cartesian grid_of(const bench_poisson_options& o, int ranks, double bytes_of_core) {
  if (o.cells.empty()) {
    const int cores = ranks * o.threads;
    const double scale =
        o.scale ? *o.scale : scale_that_fits(o.which, cores, o.precision == "double" ? 8 : 4, bytes_of_core);
    return paper_grid_of_cores(o.which, cores, o.threads, scale);
  }
  const index3 boxes = o.boxes.empty() ? ranks_along_axes(ranks) : index3{o.boxes[0], o.boxes[1], o.boxes[2]};
  if (boxes.volume() != ranks)
    throw usage_error(fmt::format("--boxes {},{},{} gives {} boxes, but there are {} ranks", boxes.z, boxes.y, boxes.x,
                                  boxes.volume(), ranks));
  return {{o.cells[0], o.cells[1], o.cells[2]}, boxes};
}

struct in_order {
  std::string name;
  step_cost cost;
  std::string origin;
};

nlohmann::ordered_json rows_of(const cartesian& where, const sweep_cost& sweep, const std::vector<in_order>& orders) {
  const auto cells = static_cast<double>(where.cells().volume());
  auto rows = nlohmann::ordered_json::array();
  rows.push_back(bench_row("triad", 1e-9 * sweep.triad_bandwidth, "GB/s"));
  rows.push_back(bench_row("peak, multiply and add", 1e-9 * sweep.peak, "GFLOP/s"));
  rows.push_back(bench_row("one rank alone",
                           1e-6 * cells / static_cast<double>(where.ranks().volume()) / sweep.seconds_of_one, "MLUP/s"));
  const auto add_shares = [&](const std::string& name, double seconds) {
    rows.push_back(bench_row(name + ", parallel efficiency", 100 * sweep.efficiency(seconds), "%"));
    rows.push_back(bench_row(name + ", share of bandwidth", 100 * sweep.share_of_bandwidth(seconds), "%"));
    rows.push_back(bench_row(name + ", share of peak", 100 * sweep.share_of_peak(seconds), "%"));
  };
  rows.push_back(bench_row("sweep alone", 1e-6 * cells / sweep.seconds, "MLUP/s"));
  rows.push_back(bench_row("sweep alone, bandwidth", 1e-9 * sweep.bandwidth(), "GB/s"));
  rows.back().update({{"peer", "triad"}, {"ratio", sweep.share_of_triad()}, {"must", 0.8}});
  rows.push_back(
      bench_row(fmt::format("{} sweeps at once", sweep.sweeps_at_once), 1e-6 * cells / sweep.seconds_at_once, "MLUP/s"));
  rows.back().update({{"peer", "sweep alone"}, {"ratio", sweep.seconds / sweep.seconds_at_once}});
  add_shares("sweep alone", sweep.seconds);
  const double original = orders.front().cost.exchange_seconds;
  for (const auto& [name, c, origin] : orders) {
    rows.push_back(bench_row(name + ", exchange", 1e3 * c.exchange_seconds, "ms"));
    rows.back().update({{"peer", orders.front().name}, {"ratio", c.exchange_seconds / original}});
    rows.push_back(bench_row(name + ", sent", static_cast<double>(c.bytes), "B/step"));
    rows.push_back(bench_row(name + ", sent to other hosts", static_cast<double>(c.bytes_off_host), "B/step"));
    rows.push_back(bench_row(name + ", step", 1e3 * c.seconds, "ms"));
    rows.push_back(bench_row(name + ", communication of a step", 1e3 * c.communication_seconds, "ms"));
    rows.push_back(bench_row(name + ", speed", 1e-6 * cells / c.seconds, "MLUP/s"));
    add_shares(name + ", step", c.seconds);
    rows.push_back(bench_row(name + ", error", c.error, "of the amplitude"));
  }
  return rows;
}

void print(const cartesian& where, const sweep_cost& sweep, const std::vector<in_order>& orders) {
  const auto cells = static_cast<double>(where.cells().volume());
  fmt::print(
      "memory (triad)  {:7.1f} GB/s\nsweep alone     {:7.1f} GB/s, {:.0f} % of it (must: 80), {:.0f} MLUP/s, stores {}\n"
      "{} sweeps at once {:4.2f} times as fast, {:.0f} MLUP/s (temporal blocking)\n",
      1e-9 * sweep.triad_bandwidth, 1e-9 * sweep.bandwidth(), 100 * sweep.share_of_triad(), 1e-6 * cells / sweep.seconds,
      sweep.walk.stream ? "past the caches" : "into the caches", sweep.sweeps_at_once, sweep.seconds / sweep.seconds_at_once,
      1e-6 * cells / sweep.seconds_at_once);
  fmt::print(
      "peak in registers {:.1f} GFLOP/s, of which a sweep uses {:.1f} %; one rank alone {:.0f} MLUP/s: parallel efficiency "
      "{:.0f} %\n\n",
      1e-9 * sweep.peak, 100 * sweep.share_of_peak(sweep.seconds),
      1e-6 * cells / static_cast<double>(where.ranks().volume()) / sweep.seconds_of_one,
      100 * sweep.efficiency(sweep.seconds));
  for (const in_order& o : orders)
    if (!o.origin.empty()) fmt::print("{}: {}\n", o.name, o.origin);
  fmt::print("{:<12} {:>12} {:>12} {:>14} {:>10} {:>18} {:>9} {:>12} {:>11} {:>7}  {}\n", "order", "exchange ms", "sent MB",
             "off host MB", "step ms", "communication ms", "MLUP/s", "efficiency %", "bandwidth %", "peak %",
             "exchange while computing");
  for (const auto& [name, c, origin] : orders)
    fmt::print("{:<12} {:12.3f} {:12.3f} {:14.3f} {:10.3f} {:18.3f} {:9.0f} {:12.1f} {:11.1f} {:7.2f}  {}\n", name,
               1e3 * c.exchange_seconds, 1e-6 * static_cast<double>(c.bytes), 1e-6 * static_cast<double>(c.bytes_off_host),
               1e3 * c.seconds, 1e3 * c.communication_seconds, 1e-6 * cells / c.seconds, 100 * sweep.efficiency(c.seconds),
               100 * sweep.share_of_bandwidth(c.seconds), 100 * sweep.share_of_peak(c.seconds), c.overlap ? "yes" : "no");
}

// Description of the binding, and the reason for the selection of the binding.
template <class T>
std::pair<machine::binding_policy, std::string> bind(MPI_Comm comm, const machine::local_ranks& here,
                                                     const std::string& binding) {
  if (binding == "measured") {
    const auto trial = machine::try_bindings(comm, here, 3, [&] { return seconds_of_steps<T>(comm); });
    return {trial.selected, trial.summary()};
  }
  const machine::binding_policy policy = machine::parse_binding(binding);
  comm::collectively(comm, [&] { here.bind(policy); });
  return {policy, binding};
}

// The orders require a machine file or a new measurement as input. A single host requires no input.
machine::description machine_of(MPI_Comm comm, const machine::job_hosts& hosts, const bench_poisson_options& o) {
  if (o.machine.empty()) {
    if (hosts.hosts.size() == 1) return machine::assumed(hosts.hosts);
    machine::probe_options options;
    options.budget_s = o.budget;
    return machine::shared(comm, machine::probe(comm, hosts, options).machine);
  }
  machine::description found;
  comm::collectively(comm, [&] { found = machine::matched(machine::read_machine(o.machine), hosts.hosts, o.machine); });
  return found;
}

template <class T>
void measure_as_rank(MPI_Comm comm, const bench_poisson_options& o) {
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  omp_set_num_threads(o.threads);
  const machine::job_hosts hosts = machine::hosts_of(comm);
  const machine::local_ranks here(comm, o.threads);
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  double bytes_of_core = std::min(usual_bytes_of_core, memory / 4 / here.ranks() / o.threads);
  MPI_Allreduce(MPI_IN_PLACE, &bytes_of_core, 1, MPI_DOUBLE, MPI_MIN, comm);
  std::optional<cartesian> where;
  comm::collectively(comm, [&] { where.emplace(grid_of(o, ranks, bytes_of_core)); });
  const bool places = std::any_of(o.orders.begin(), o.orders.end(),
                                  [](const std::string& name) { return name != "original" && name != "random"; });
  const machine::description machine = places ? machine_of(comm, hosts, o) : machine::description{};
  const auto chosen = bind<T>(comm, here, o.binding);  // after the probe, because the probe binds and releases the threads
  const machine::binding_policy policy = chosen.first;
  const std::string& bound = chosen.second;

  poisson_options options;
  options.seconds = o.seconds / static_cast<double>(1 + o.orders.size());
  if (o.overlap != "auto") options.overlap = o.overlap == "yes";
  const sweep_cost sweep = measure_sweep<T>(comm, *where, options);
  std::vector<in_order> costs;
  for (const std::string& name : o.orders) {
    const box_order order = order_named(comm, name, *where, sizeof(T), machine, o.threads, o.seed);
    // AFC-NB is the method of [Ito] without binding.
    const bool unbound = name == "afc-nb" && policy != machine::binding_policy::none;
    if (unbound) comm::collectively(comm, [&] { here.bind(machine::binding_policy::none); });
    const auto placed = reordered(comm, order.rank_of_box);
    std::vector<int> host_of_box;
    for (const int r : order.rank_of_box) host_of_box.push_back(hosts.host_of_rank[static_cast<std::size_t>(r)]);
    costs.push_back({name, measure_steps<T>(placed.get(), *where, sweep.walk, host_of_box, options), order.origin});
    if (unbound) comm::collectively(comm, [&] { here.bind(policy); });
  }
  if (rank != 0) return;
  const index3 cells = where->cells(), boxes = where->ranks();
  if (o.json != "-") {
    fmt::print("{} x {} x {} cells (z, y, x) of {} in {} x {} x {} boxes; {} x {} on {}; bound: {}\n", cells.z, cells.y,
               cells.x, o.precision, boxes.z, boxes.y, boxes.x, counted(ranks, "rank"), counted(o.threads, "thread"),
               counted(hosts.hosts.size(), "host"), bound);
    print(*where, sweep, costs);
  }
  auto placements = nlohmann::ordered_json::object();
  for (const in_order& c : costs)
    if (!c.origin.empty()) placements[c.name] = c.origin;
  write_json(o.json, {{"schema", "osteon.bench/1"},
                      {"ranks", ranks},
                      {"threads", o.threads},
                      {"hosts", hosts.hosts.names()},
                      {"binding", bound},
                      {"cells", {cells.z, cells.y, cells.x}},
                      {"boxes", {boxes.z, boxes.y, boxes.x}},
                      {"precision", o.precision},
                      {"digest", fmt::format("{:016x}", costs.front().cost.digest)},
                      {"placements", placements},
                      {"rows", rows_of(*where, sweep, costs)}});
}

int bench_poisson(const bench_poisson_options& options, const std::vector<std::string>& arguments) {
  if (!under_launcher()) {
    const int ranks = options.ranks.value_or(std::max(1, static_cast<int>(job::usable_cores()) / options.threads));
    grid_of(options, ranks, usual_bytes_of_core);  // this call reports faults once, before ranks start
    return start_ranks(ranks, options.threads, arguments);
  }
  return on_all_ranks([&](MPI_Comm comm) {
    if (options.precision == "double")
      measure_as_rank<double>(comm, options);
    else
      measure_as_rank<float>(comm, options);
  });
}

}  // namespace

void add_bench_poisson(registry& commands) {
  const auto o = std::make_shared<bench_poisson_options>();
  command c = commands.add("bench", "poisson", "Measure Jacobi sweeps: memory, face exchange, placement",
                           [o, arguments = commands.arguments()] { return bench_poisson(*o, arguments); });
  c.add_option("-n,--ranks", o->ranks, "MPI processes to start (default: all cores / threads)").positive();
  c.add_option("-t,--threads", o->threads, "OpenMP threads of each process (default: 1)").positive();
  c.add_option("--case", o->which,
               "Weak scaling of Ito et al.: 1 = one shape of the whole grid, 2 = subdomains of 1024 x 256 x 256 (default)")
      .one_of({1, 2});
  c.add_option("--scale", o->scale,
               "Scale of the grid of Ito et al. along each axis (default: 256 MB per core, or less if memory is short)")
      .between(1e-3, 1.0);
  option cells = c.add_option("--cells", o->cells, "Another grid: cells along z,y,x");
  cells.delimiter(',').expected(3);
  c.add_option("--boxes", o->boxes, "For --cells: boxes along z,y,x (default: as equal as possible)")
      .delimiter(',')
      .expected(3)
      .needs(cells);
  add_repeatable(
      c, "--order", o->orders,
      "Assignment of boxes to ranks: original, random, afc (the method of Ito et al.), afc-nb (without binding), ours; may "
      "be repeated (default: all)")
      .one_of({"original", "random", "afc", "afc-nb", "ours"});
  c.add_option("--bind", o->binding, "none, core, l3, numa, socket, or measured: each is tried, the best is kept")
      .one_of({"none", "core", "l3", "numa", "socket", "measured"})
      .show_default();
  c.add_option("--machine", o->machine,
               "Machine file of `osteon probe` (default: measured now, if there are several hosts)");
  c.add_option("--budget", o->budget, "Seconds for that measurement (default: 5)").between(0.1, 3600.0);
  c.add_option("--seed", o->seed, "Seed of the random order (default: 1)");
  c.add_option("--precision", o->precision, "double or float").one_of({"double", "float"}).show_default();
  c.add_option("--overlap", o->overlap, "Exchange while inner cells are computed: yes, no, auto (the faster one)")
      .one_of({"auto", "yes", "no"})
      .show_default();
  c.add_option("--seconds", o->seconds, "Total measuring time (default: 3)").between(0.0, 3600.0);
  add_json(c, o->json);
  c.footer(
      "Temperatures are compared with the exact solution.\n\nExamples:\n  osteon bench poisson\n"
      "  osteon bench poisson -n 64 --case 1 --scale 0.05 --order original --order random\n"
      "  mpirun -n 512 osteon bench poisson --case 2");
}

}  // namespace osteon::studies
