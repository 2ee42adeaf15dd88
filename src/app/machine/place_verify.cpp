#include <fmt/format.h>

#include <app/machine/place_graph.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/machine/links/machine_file.hpp>
#include <osteon/machine/probe/probe.hpp>
#include <osteon/placement/place.hpp>
#include <osteon/placement/reorder.hpp>

namespace osteon::app {

namespace {

bool has_core_each(const machine::job_hosts& hosts) {
  for (int h = 0; h < hosts.hosts.size(); ++h)
    if (hosts.ranks_of_host[static_cast<std::size_t>(h)].size() > hosts.hosts.tree(h).usable_cores().size()) return false;
  return true;
}

void verify_as_rank(MPI_Comm comm, const graph_options& from, const verify_placement_options& o) {
  placed_graph source;
  comm::collectively(comm, [&] { source = make_graph(from); });
  const machine::job_hosts hosts = machine::hosts_of(comm);
  machine::description machine;
  if (o.machine.empty())
    machine = machine::shared(comm, machine::probe(comm, hosts, {.budget_s = 3}, has_core_each(hosts)).machine);
  else
    comm::collectively(comm, [&] { machine = machine::matched(machine::read_machine(o.machine), hosts.hosts, o.machine); });
  placement::reorder_options options{.search = o.search};
  options.search.grid = source.grid;
  const placement::reordered found = placement::reorder(comm, source.graph, machine, options);
  const double before = placement::exchange_seconds(comm, source.graph, o.repeats);
  const double after = placement::exchange_seconds(found.ranks.get(), source.graph, o.repeats);
  if (comm::rank(comm) != 0) return;
  const auto& r = found.report;
  if (o.json != "-")
    fmt::print(
        "{}\n\n  {:<24} {:>12} {:>12}\n  {:<24} {:>12.5g} {:>12.5g}\n  {:<24} {:>12.4g} {:>12.4g}\n  {:<24} {:>12.4g} "
        "{:>12.4g}\n",
        r.line, "", "input order", "placed", "off-host volume, MB", r.off_host_bytes_input * 1e-6,
        r.off_host_bytes_result * 1e-6, "predicted, ms", r.predicted_s_input * 1e3, r.predicted_s_result * 1e3,
        "measured, ms", before * 1e3, after * 1e3);
  write_json(o.json, {{"schema", "osteon.place.verify/1"},
                      {"subdomains", source.graph.size()},
                      {"hosts", hosts.hosts.size()},
                      {"off_host_bytes", {{"input", r.off_host_bytes_input}, {"result", r.off_host_bytes_result}}},
                      {"predicted_s", {{"input", r.predicted_s_input}, {"result", r.predicted_s_result}}},
                      {"measured_s", {{"input", before}, {"result", after}}},
                      {"kept_input", r.kept_input},
                      {"line", r.line}});
}

}  // namespace

int verify_placement(const graph_options& source, const verify_placement_options& options,
                     const std::vector<std::string>& arguments) {
  if (source.trace || !source.job.empty())
    throw usage_error("--verify requires --grid or --graph; first write the graph of a trace by --trace --graph FILE");
  if (!under_launcher()) return start_ranks(make_graph(source).graph.size(), 1, arguments);
  return on_all_ranks([&](MPI_Comm comm) { verify_as_rank(comm, source, options); });
}

}  // namespace osteon::app
