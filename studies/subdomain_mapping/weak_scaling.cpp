#include <studies/subdomain_mapping/weak_scaling.hpp>

#include <fmt/format.h>

#include <osteon/base/error.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/placement/place.hpp>
#include <studies/subdomain_mapping/poisson/poisson_grids.hpp>
#include <studies/subdomain_mapping/ranks/box_order.hpp>

namespace osteon::studies {

namespace {

// The number of hosts that the cores fill. Each rank has `threads` cores. A rank sends its messages from the first of these
// cores.
placement::target target_of(const growing_machine& machine, int cores, int threads) {
  const int of_host = static_cast<int>(machine.host.usable_cores().size());
  if (cores < 1 || cores % of_host != 0 || of_host % threads != 0)
    throw usage_error(
        fmt::format("{} cores with {} threads per rank do not fill hosts of {} cores", cores, threads, of_host));
  const int hosts = cores / of_host;
  machine::path_speeds speeds{machine.inside, machine::host_links::uniform(hosts, machine.between)};
  placement::target where =
      placement::every_core({machine::host_list(hosts, machine.host), std::move(speeds), std::nullopt, ""},
                            std::make_shared<net::network>(net::network_by_text(machine.network)));
  std::vector<machine::place> first;
  for (std::size_t i = 0; i < where.places.size(); i += static_cast<std::size_t>(threads)) first.push_back(where.places[i]);
  where.places = std::move(first);
  return where;
}

placement::method method_of(const std::string& order) {
  if (order == "original") return placement::method::input;
  if (order == "afc") return placement::method::paper;
  if (order == "afc-nb") return placement::method::groups;
  if (order == "ours") return placement::method::best;
  return placement::parse_method(order);
}

}  // namespace

growing_machine paper_machine() {
  growing_machine ricc{
      machine::synthetic_host("pack:2 l3:1 core:4 pu:1"), {}, {65e-6, 2e9}, "fattree:8x128,over=4,rate=2GB/s"};
  ricc.inside[static_cast<std::size_t>(machine::path::same_l3)] = machine::link{18e-6, 2752e6};
  ricc.inside[static_cast<std::size_t>(machine::path::inter_socket)] = machine::link{24e-6, 1270e6};
  return ricc;
}

cartesian paper_grid_of_cores(int which, int cores, int threads, double scale) {
  return {paper_grid(which, cores, scale).cells(), ranks_along_axes(cores / threads)};
}

std::vector<scaling_row> weak_scaling(const growing_machine& machine, const scaling_options& options) {
  std::vector<scaling_row> rows;
  for (const int which : options.cases)
    for (const int cores : options.cores)
      for (const rank_mode& mode : options.modes) {
        const placement::target where = target_of(machine, cores, mode.threads);
        const cartesian grid = paper_grid_of_cores(which, cores, mode.threads, options.scale);
        const placement::graph exchange = graph_of_faces(grid, options.bytes_of_value);
        for (const std::string& order : options.orders) {
          placement::options search;
          search.how = method_of(order);
          search.seed = options.seed;
          search.grid = as_blocks(grid, options.bytes_of_value);
          const placement::placement found = placement::place(exchange, where, search);
          const bool random = search.how == placement::method::random;
          rows.push_back({which, cores, cores / mode.threads, mode.name, order, grid.cells(), grid.ranks(),
                          random ? static_cast<std::int64_t>(found.random_off_host_bytes) : found.result.off_host_bytes,
                          found.result.bytes_by_path[static_cast<std::size_t>(machine::path::inter_socket)],
                          random ? found.random_predicted_s : found.result.predicted_s()});
        }
      }
  return rows;
}

}  // namespace osteon::studies
