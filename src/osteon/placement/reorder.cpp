#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/machine/probe/job_hosts.hpp>
#include <osteon/machine/topology/binding.hpp>
#include <osteon/placement/reorder.hpp>

namespace osteon::placement {

namespace {

// Core of `tree` to which this process is bound. If the process may use several cores, or if the tree is synthetic, the
// result is -1.
int core_bound_to(const machine::host_tree& tree) {
  if (tree.synthetic) return -1;
  const machine::pu_set bound = machine::current_binding();
  int found = -1;
  for (std::size_t c = 0; c < tree.cores.size(); ++c)
    if (!machine::common(tree.cores[c].pus, bound).empty()) {
      if (found >= 0) return -1;
      found = static_cast<int>(c);
    }
  return found;
}

// Description of some hosts of a machine.
machine::description selected(const machine::description& machine, const std::vector<int>& hosts) {
  machine::description result;
  result.measured_at = machine.measured_at;
  for (const int h : hosts) result.hosts.add(machine.hosts.name(h), machine.hosts.tree(h));
  const auto select = [&](const std::optional<machine::path_speeds>& from) {
    std::optional<machine::path_speeds> to = from;
    if (from && from->between.hosts() > 0) to->between = from->between.selected(hosts);
    return to;
  };
  result.isolated = select(machine.isolated);
  result.loaded = select(machine.loaded);
  return result;
}

std::string line_of(const placement& p) {
  const double before = static_cast<double>(p.input.off_host_bytes) / 1e6;
  if (p.kept_input)
    return fmt::format("order of ranks unchanged ({:.1f} MB off-host per exchange, predicted time {:.3g} ms)", before,
                       p.input.predicted_s() * 1e3);
  return fmt::format("ranks reordered: off-host {:.1f} -> {:.1f} MB per exchange, predicted {:.3g} -> {:.3g} ms; {}", before,
                     static_cast<double>(p.result.off_host_bytes) / 1e6, p.input.predicted_s() * 1e3,
                     p.result.predicted_s() * 1e3, fmt::join(p.how, ", "));
}

}  // namespace

target places_of_ranks(MPI_Comm comm, const machine::description& machine, int threads) {
  const machine::job_hosts here = machine::hosts_of(comm);
  const int ranks = comm::size(comm), me = comm::rank(comm);
  std::vector<int> host;
  std::vector<std::string> unknown;
  for (const std::string& name : here.hosts.names())
    if (!machine.hosts.find(name)) unknown.push_back(name);
  for (const int h : here.host_of_rank) host.push_back(machine.hosts.find(here.hosts.name(h)).value_or(-1));
  if (!unknown.empty()) {  // `unknown` is equal on all ranks
    const std::size_t all = unknown.size();
    unknown.resize(std::min<std::size_t>(all, 8));
    throw data_error(
        fmt::format("the machine file does not contain {} of the hosts of this job: {}{}; the file belongs to another "
                    "allocation: run `osteon probe` again",
                    all, fmt::join(unknown, ", "), all > 8 ? ", ..." : ""));
  }
  int core = -1;
  comm::collectively(comm, [&] { core = core_bound_to(machine.hosts.tree(host[at(me)])); });
  std::vector<int> cores(at(ranks));
  MPI_Allgather(&core, 1, MPI_INT, cores.data(), 1, MPI_INT, comm);

  // The used hosts are numbered in the order of the description.
  std::vector<int> count(at(machine.hosts.size()), 0), local(count), number(count), used;
  for (const int h : host) ++count[at(h)];
  for (int h = 0; h < machine.hosts.size(); ++h)
    if (count[at(h)] > 0) number[at(h)] = static_cast<int>(used.size()), used.push_back(h);
  machine::description in_use = selected(machine, used);
  host_network network = network_of(in_use);
  target result{std::move(in_use), {}, std::move(network)};
  for (int r = 0; r < ranks; ++r) {
    const int h = host[at(r)], turn = local[at(h)]++;
    if (cores[at(r)] < 0) {
      const machine::host_tree& tree = machine.hosts.tree(h);
      const std::vector<int> usable = tree.usable_cores();
      const bool enough = static_cast<std::int64_t>(count[at(h)]) * threads <= static_cast<std::int64_t>(usable.size());
      cores[at(r)] = enough           ? machine::cores_of_rank(tree, turn, count[at(h)], threads)[0]
                     : usable.empty() ? 0
                                      : usable[at(turn) % usable.size()];
    }
    result.places.push_back({number[at(h)], cores[at(r)]});
  }
  return result;
}

reordered reorder(MPI_Comm comm, const graph& g, const machine::description& machine, const reorder_options& options) {
  const int ranks = comm::size(comm), me = comm::rank(comm);
  const target all = places_of_ranks(comm, machine, options.threads);
  reordered result;
  result.old_rank.resize(at(ranks));
  std::array<double, 6> numbers{};
  // Rank 0 executes the search while the other ranks wait. A parallel search is not necessary, because the search is short,
  // and because all ranks need the same result.
  comm::collectively(comm, [&] {
    if (me != 0) return;
    if (g.size() != ranks)
      throw usage_error(
          fmt::format("the graph has {} subdomains for {} ranks; one subdomain per rank is required", g.size(), ranks));
    const placement found = place(g, all, options.search);
    result.old_rank = found.place;
    result.report.line = line_of(found);
    numbers = {static_cast<double>(found.input.off_host_bytes),
               static_cast<double>(found.result.off_host_bytes),
               found.input.predicted_s(),
               found.result.predicted_s(),
               found.kept_input ? 1.0 : 0.0,
               found.seconds};
  });
  MPI_Bcast(result.old_rank.data(), ranks, MPI_INT, 0, comm);
  MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, 0, comm);
  result.report = {numbers[0],
                   numbers[1],
                   numbers[2],
                   numbers[3],
                   numbers[4] != 0,
                   numbers[5],
                   comm::broadcast(comm, result.report.line)};
  const auto mine = std::find(result.old_rank.begin(), result.old_rank.end(), me);
  result.ranks = comm::communicator::split(comm, 0, static_cast<int>(mine - result.old_rank.begin()));
  return result;
}

reordered cart_create(MPI_Comm comm, const cartesian& grid, const machine::description& machine,
                      const reorder_options& options) {
  graph g;
  comm::collectively(comm, [&] { g = graph_of(grid); });
  reorder_options with_grid = options;
  with_grid.search.grid = grid;
  reordered result = reorder(comm, g, machine, with_grid);
  const std::array<int, 3> periods = {grid.periodic[0], grid.periodic[1], grid.periodic[2]};
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Cart_create(result.ranks.get(), 3, grid.blocks.data(), periods.data(), 0, &made);
  result.ranks = comm::communicator::take(made);
  return result;
}

}  // namespace osteon::placement
