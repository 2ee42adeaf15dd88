#pragma once
/// @file
/// Who of the ranks of a job will talk to whom, before any of them has read a voxel, or by the voxels of a model.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>

namespace osteon::job {

/// Values that ranks exchange of a node of the largest system of a job: the components of a displacement, or a temperature.
int values_per_node(const spec& job);

/// The ranks of a job as a graph: a weight is the bytes of the values that two of them share, of one field.
///
/// Planes are dealt out as the solver will do it. Bricks are cut as if each plane's voxels were spread evenly over it: where
/// the solver cuts is known only from the voxels, but who are neighbours hardly changes.
/// @param shape of the image @param active_per_plane shape (z); empty: all voxels alike
placement::graph rank_graph(const spec& job, index3 shape, std::span<const std::int64_t> active_per_plane, int ranks);

/// The graph of boxes that share nodes of active voxels: the bytes that one sends the other to add up its copies.
/// @param material shape tree.domain(); 0 is empty
/// @param values of a node: 3 for elasticity, 1 for heat; 8 bytes each
placement::graph shared_node_graph(const grid::box_tree& tree, view3<const material_number> material, int values);

/// The same for a model file, dealt out to so many ranks as `osteon run` does it.
/// @param planes whole z planes instead of bricks
/// @param comm a communicator of one rank
/// @throws usage_error if there are more ranks than voxels (or planes); data_error as io::read_model_header does
placement::graph subdomain_graph(MPI_Comm comm, const std::string& model, int ranks, bool planes, int values,
                                 log_sink& log = null_log());

}  // namespace osteon::job
