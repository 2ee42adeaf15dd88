#pragma once
/// @file
/// Plans of messages in bytes, independent of a common object: personalised all-to-all schedules, array transposition,
/// butterfly, prefix sums, reductions, broadcast and halos.
#include <array>
#include <cstdint>
#include <functional>
#include <osteon/plan/plan.hpp>
#include <string>
#include <vector>

namespace osteon::plan {

/// Bytes of the parcel from one rank to another, >= 0; must be known on both ends.
using parcel_sizes = std::function<std::int64_t(int from, int to)>;
/// Parcels of one size.
inline parcel_sizes equal_parcels(std::int64_t bytes) {
  return [bytes](int, int) { return bytes; };
}

// Personalised all-to-all: each ordered pair of different ranks has one parcel, delivered once. A rank's parcel for itself
// is not part of any message.

/// ranks - 1 rounds with all messages in the same direction: round by round all displacements of a grid, the last dimension
/// fastest. One dimension is the ring schedule.
/// @param shape ranks along each dimension; the product is their number
/// @throws usage_error if a size is below 1 or the product exceeds the range of int
/// @cite [Itakura]: simultaneous same-direction transfer
plan shift_exchange(std::vector<int> shape, parcel_sizes sizes);

/// In round s with partner rank XOR (s + 1), for the next power of two; absent partners leave a rank idle.
plan xor_exchange(int ranks, parcel_sizes sizes);

/// Pairs by the circle method: ranks - 1 rounds for an even number of ranks, `ranks` for an odd one, each rank idle in at
/// most one.
plan pairwise_exchange(int ranks, parcel_sizes sizes);

/// ceil(log2 ranks) rounds; a parcel is forwarded once for each set bit of its distance. For short parcels.
/// @cite [Bruck1997]
plan bruck_exchange(int ranks, parcel_sizes sizes);

/// First inside hosts of `ranks_per_host` consecutive ranks (the last may have fewer), so that each rank holds all of its
/// host's parcels for its counterparts; then between counterparts of different hosts.
/// @throws usage_error if ranks_per_host < 1
plan hierarchical_exchange(int ranks, int ranks_per_host, parcel_sizes sizes);

/// Order of destinations of a transposition.
enum class transposition_order : std::uint8_t {
  printed,  ///< PU(m, n) sends to PU(n, m + n + t): free of collisions when the last dimension is corrected first
  x_first,  ///< to PU(m + n + t, m): free of collisions when the first is; equals the printed order on ranks l = n A + m
};

/// Transpose a distributed array on a virtual plane of A x A ranks, l = m A + n, in A rounds; indices modulo A. A rank that
/// is its own partner sends no message.
/// @throws usage_error if the number of ranks is not a square; the message names the nearest squares
/// @cite [Itakura]: array transposition
plan transposition(int ranks, transposition_order order, parcel_sizes sizes);

/// Round b: swap `bytes` bytes with rank XOR 2^b, if that is a rank. The receiver defines the operation.
plan butterfly(int ranks, std::int64_t bytes);

/// Inclusive prefix sums by a binary tree, up and down again: 2 ceil(log2 ranks) - 1 rounds. Arrived objects are added to
/// the rank's own. On the way up partners differ in one bit of their number.
/// @cite [BrentKung1982]
plan prefix_tree(int ranks, std::int64_t bytes);

/// Inclusive prefix sums in ceil(log2 ranks) rounds: rank sends to rank + 2^b.
/// @cite [HillisSteele1986]
plan prefix_doubling(int ranks, std::int64_t bytes);

/// Broadcast of the object of `root` by a binomial tree. @throws usage_error if root is not a rank
plan broadcast_tree(int ranks, int root, std::int64_t bytes);

/// Sum of the objects of all ranks on all ranks: up a binomial tree to rank 0 and down again, in 2 ceil(log2 ranks) rounds.
plan all_reduce(int ranks, std::int64_t bytes);

/// Exchange of faces between neighbouring blocks of a grid, in one round.
/// @param shape blocks along (z, y, x); rank = (z * Y + y) * X + x
/// @param face_bytes bytes of the face normal to (z, y, x)
/// @param periodic the first and the last block of a line are neighbours
plan halo_exchange(std::array<int, 3> shape, std::array<std::int64_t, 3> face_bytes, bool periodic);

}  // namespace osteon::plan
