#pragma once
/// @file
/// Communication graph of the ranks of a job, either before voxels are read or from the voxels of a model.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>

namespace osteon::job {

/// Values exchanged per node of the largest system of a job: the components of a displacement, or a temperature.
int values_per_node(const spec& job);

/// Graph of the ranks of a job. A weight is the number of bytes of one field on nodes shared by two ranks.
///
/// Planes are distributed as in the solver. Bricks are computed for a uniform distribution of the voxels in each plane. The
/// exact bricks depend on the voxels, but have nearly the same neighbours.
/// @param shape size in voxels of the image @param active_per_plane shape (z); empty: uniform
placement::graph rank_graph(const spec& job, index3 shape, std::span<const std::int64_t> active_per_plane, int ranks);

/// The graph of boxes that share nodes of active voxels. A weight is the number of bytes of the messages that sum shared
/// values.
/// @param material shape tree.domain(); 0 is empty
/// @param values per node: 3 for elasticity, 1 for heat; 8 bytes each
placement::graph shared_node_graph(const grid::box_tree& tree, view3<const material_number> material, int values);

/// Return the graph of a model file that is distributed over a number of ranks as in `osteon run`.
/// @param planes whole z planes instead of bricks
/// @param comm a communicator of one rank
/// @throws usage_error if there are more ranks than voxels (or planes); data_error as io::read_model_header does
placement::graph subdomain_graph(MPI_Comm comm, const std::string& model, int ranks, bool planes, int values,
                                 log_sink& log = null_log());

}  // namespace osteon::job
