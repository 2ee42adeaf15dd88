#pragma once
/// @file
/// Assignment of boxes of a grid to ranks. The orders are the orders compared in [Ito].
#include <mpi.h>

#include <osteon/machine/links/links.hpp>
#include <osteon/placement/graph/graph.hpp>
#include <string>
#include <string_view>
#include <studies/subdomain_mapping/ranks/cartesian.hpp>
#include <vector>

namespace osteon::studies {

/// The graph of the bytes that boxes send through their faces in an exchange, in one direction.
placement::graph graph_of_faces(const cartesian& where, std::int64_t bytes_of_cell);

/// The boxes as blocks of a grid. Placement yields better results for a grid than for a graph. All blocks have the largest
/// shape of the boxes.
placement::cartesian as_blocks(const cartesian& where, std::int64_t bytes_of_cell);

/// An order of the ranks of a communicator.
struct box_order {
  std::vector<int> rank_of_box;
  std::string origin;  ///< description of the origin of the order in one line; empty for a trivial order
};

/// Create the order of the given name. In the order `original`, rank r has box r. The order `random` is a random
/// permutation. The order `afc` is the method of [Ito]. A graph partitioner groups the boxes, group g is assigned to host g,
/// and the cores are assigned by the tree. The order `afc-nb` is `afc` without the step inside hosts. The order `ours` uses
/// all steps of placement::reorder with the measured values.
/// @throws usage_error for another name, and under the conditions of placement::reorder @collective on comm
box_order order_named(MPI_Comm comm, std::string_view name, const cartesian& where, std::int64_t bytes_of_cell,
                      const machine::description& machine, int threads, unsigned seed);

}  // namespace osteon::studies
