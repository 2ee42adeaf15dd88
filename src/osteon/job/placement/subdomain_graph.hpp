#pragma once
/// @file
/// Who would talk to whom if a model were dealt out to ranks.
#include <mpi.h>

#include <osteon/base/log_sink.hpp>
#include <osteon/base/material_number.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/placement/graph.hpp>
#include <string>

namespace osteon::job {

/// The graph of boxes that share nodes of active voxels: the bytes that one sends the other to add up its copies.
/// @param material shape tree.domain(); 0 is empty
/// @param values of a node: 3 for elasticity, 1 for heat; 8 bytes each
placement::graph shared_node_graph(const grid::box_tree& tree, view3<const material_number> material, int values);

/// The same for a model file, dealt out to so many ranks as `osteon run` does it.
/// @param planes whole z planes instead of bricks
/// @param comm a communicator of one rank
/// @param log is warned if the model is a copy that another program made
/// @throws usage_error if there are more ranks than voxels (or planes); data_error as io::read_model_header does
placement::graph subdomain_graph(MPI_Comm comm, const std::string& model, int ranks, bool planes, int values,
                                 log_sink& log = null_log());

}  // namespace osteon::job
