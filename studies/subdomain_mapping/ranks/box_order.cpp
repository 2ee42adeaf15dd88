#include <studies/subdomain_mapping/ranks/box_order.hpp>

#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/placement/reorder.hpp>
#include <random>

namespace osteon::studies {

placement::graph graph_of_faces(const cartesian& where, std::int64_t bytes_of_cell) {
  const int boxes = static_cast<int>(where.ranks().volume());
  std::vector<placement::edge> edges;
  for (int box = 0; box < boxes; ++box)
    for (const face side : faces)
      if (side.upper && where.neighbour(box, side) >= 0)
        edges.push_back({box, where.neighbour(box, side), where.cells_of(box, side) * bytes_of_cell});
  return placement::from_edges(boxes, edges);
}

placement::cartesian as_blocks(const cartesian& where, std::int64_t bytes_of_cell) {
  const index3 boxes = where.ranks(), largest = where.box_of(static_cast<int>(boxes.volume()) - 1).shape();
  return {{static_cast<int>(boxes.z), static_cast<int>(boxes.y), static_cast<int>(boxes.x)},
          {largest.z, largest.y, largest.x},
          bytes_of_cell,
          {}};
}

box_order order_named(MPI_Comm comm, std::string_view name, const cartesian& where, std::int64_t bytes_of_cell,
                      const machine::description& machine, int threads, unsigned seed) {
  box_order order;
  order.rank_of_box.resize(static_cast<std::size_t>(comm::size(comm)));
  std::iota(order.rank_of_box.begin(), order.rank_of_box.end(), 0);
  if (name == "original") return order;
  if (name == "random") {
    std::mt19937 draw(seed);
    for (std::size_t n = order.rank_of_box.size(); n > 1; --n)
      std::swap(order.rank_of_box[n - 1], order.rank_of_box[draw() % n]);
    return order;
  }
  const std::optional<placement::method> method = name == "afc"      ? std::optional(placement::method::paper)
                                                  : name == "afc-nb" ? std::optional(placement::method::groups)
                                                  : name == "ours"   ? std::optional(placement::method::best)
                                                                     : std::nullopt;
  if (!method) throw usage_error(fmt::format("order '{}': use original, random, afc, afc-nb or ours", name));
  if (order.rank_of_box.size() == 1) return order;
  placement::reorder_options options;
  options.search.how = *method;
  options.search.seed = seed;
  options.threads = threads;
  options.search.grid = as_blocks(where, bytes_of_cell);
  placement::reordered found = placement::reorder(comm, graph_of_faces(where, bytes_of_cell), machine, options);
  order.rank_of_box = std::move(found.old_rank);
  order.origin = std::move(found.report.line);
  return order;
}

}  // namespace osteon::studies
