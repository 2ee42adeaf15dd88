#pragma once
/// @file
/// Who of the ranks of a job will talk to whom, before any of them has read a voxel.
#include <osteon/job/spec.hpp>
#include <osteon/placement/graph.hpp>
#include <span>

namespace osteon::job {

/// Values that ranks exchange of a node of the largest system of a job: the components of a displacement, or a temperature.
int values_per_node(const spec& job);

/// The ranks of a job as a graph: a weight is the bytes of the values that two of them share, of one field.
///
/// Planes are dealt out as the solver will do it. Bricks are cut as if each plane's voxels were spread evenly over it: where
/// the solver cuts is known only from the voxels, but who are neighbours hardly changes.
/// @param shape of the image @param active_per_plane shape (z); empty: all voxels alike
placement::graph rank_graph(const spec& job, index3 shape, std::span<const std::int64_t> active_per_plane, int ranks);

}  // namespace osteon::job
