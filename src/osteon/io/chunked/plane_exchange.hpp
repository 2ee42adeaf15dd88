#pragma once
/// @file
/// Assignment of planes to the members of a file team, and distribution of planes from readers to all ranks (internal to
/// io).
///
/// Each chunk is written by exactly one member of the team. Therefore each chunk is compressed once, and one rank stores the
/// digest of the chunk. The file does not depend on the decomposition or the access mode.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <osteon/io/access.hpp>
#include <osteon/plan/exchange/neighbours.hpp>
#include <span>
#include <vector>

namespace osteon::io {

/// Planes [begin, end) of a variable.
struct plane_range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end > begin ? end - begin : 0; }
};

/// Plane ranges of all ranks. @param first first plane of each rank, ascending, followed by the total number of planes
std::vector<plane_range> ranges_of(std::span<const std::int64_t> first);

/// Distribution of the planes of a variable over the ranks, and of its chunks over the members of the file team.
///
/// Members process their planes in pieces of whole chunks, one piece per round. A rank stores at most its planes and one
/// piece.
class plane_exchange {
 public:
  /// @param by_rank planes of each rank, ascending; equal on all ranks. For writing, the ranges cover each plane exactly
  /// once
  /// @param planes number of planes of the variable
  plane_exchange(MPI_Comm comm, const file_team& team, const access& options, std::vector<plane_range> by_rank,
                 std::int64_t planes, std::int64_t chunk_planes, std::int64_t bytes_per_plane);

  /// Number of rounds; equal on all ranks.
  std::int64_t rounds() const { return rounds_; }
  /// Planes of this member in a round. The range is empty after the last round of this member, and on ranks that are not
  /// members.
  plane_range piece(std::int64_t round) const { return member_ < 0 ? plane_range{} : piece_of(member_, round); }
  /// All planes of this member.
  plane_range handled() const { return member_ < 0 ? plane_range{} : handled_[static_cast<std::size_t>(member_)].all; }
  /// Planes of the other members in a round.
  struct piece_of_rank {
    int rank;
    plane_range planes;
  };
  std::vector<piece_of_rank> pieces_of_others(std::int64_t round) const;

  /// Plan of the messages of `scatter`; the elements of the plan are planes.
  plan::neighbour_part plan_of_scatter(std::int64_t round) const;
  /// Distribute the pieces of a round. @param piece piece of this member @param values output: planes of this rank
  /// @collective on comm
  void scatter(std::int64_t round, std::span<const std::byte> piece, std::span<std::byte> values) const;

 private:
  struct share {
    plane_range all;
    std::int64_t own_end = 0;  ///< end of the planes owned by the member
    std::int64_t step = 0, step_of_others = 0;
  };
  plane_range piece_of(std::ptrdiff_t member, std::int64_t round) const;
  std::int64_t rounds_of(const share& s) const;

  MPI_Comm comm_;
  std::vector<int> members_;
  std::ptrdiff_t member_ = -1;  ///< index of this rank among the members
  std::vector<plane_range> by_rank_;
  std::vector<share> handled_;
  std::int64_t bytes_per_plane_, rounds_ = 0;
};

}  // namespace osteon::io
