#pragma once
/// @file
/// The block of voxels that a rank owns, and how z planes are dealt out to ranks.
#include <mpi.h>

#include <cstdint>
#include <osteon/base/box.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::grid {

/// A rank's part of the domain: whole z planes. Every rank owns at least one plane.
struct block {
  MPI_Comm comm = MPI_COMM_NULL;  ///< borrowed
  index3 domain;                  ///< voxels of the whole image (z, y, x)
  box3 owned;                     ///< the planes of this rank
  int below = MPI_PROC_NULL;      ///< rank that owns the plane under owned.begin.z
  int above = MPI_PROC_NULL;      ///< rank that owns the plane owned.end.z
};

/// What is wrong with `ranks` ranks for an image of `planes` planes, and what to do.
std::string too_many_ranks(std::int64_t ranks, std::int64_t planes);

/// First plane of each rank, and the number of planes at the end: ranks + 1 values.
///
/// Minimises the largest number of active voxels on a rank, as PARA-BMU balances its planes; deterministic.
/// @param active_per_plane active voxels of each z plane, shape (z)
/// @throws usage_error if there are more ranks than planes
/// @cost O(planes log(active)) time, O(ranks) memory
std::vector<std::int64_t> balance_planes(std::span<const std::int64_t> active_per_plane, int ranks);

/// The block of this rank.
/// @param active_per_plane the same on all ranks, one value for each of the domain's planes
/// @throws usage_error on all ranks, without a message between them @collective on comm
block make_block(MPI_Comm comm, index3 domain, std::span<const std::int64_t> active_per_plane);

}  // namespace osteon::grid
