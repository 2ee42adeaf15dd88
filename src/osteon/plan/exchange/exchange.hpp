#pragma once
/// @file
/// Plans of exchanges with message sizes in bytes: personalised all-to-all schedules, array transposition, butterfly, prefix
/// sums, reductions, broadcast and halos.
#include <array>
#include <cstdint>
#include <functional>
#include <osteon/plan/plan.hpp>
#include <string>
#include <vector>

namespace osteon::plan {

/// Bytes of the parcel from one rank to another, >= 0. The value must be equal on both ranks.
using parcel_sizes = std::function<std::int64_t(int from, int to)>;
/// Parcels of one size.
inline parcel_sizes equal_parcels(std::int64_t bytes) {
  return [bytes](int, int) { return bytes; };
}

// Personalised all-to-all: each ordered pair of different ranks has one parcel, delivered once. A rank's parcel for itself
// is not part of any message.

/// In each of ranks - 1 rounds, all messages have the same direction. The rounds enumerate all displacements of a grid; the
/// last dimension varies fastest. With one dimension, this exchange is the ring schedule.
/// @param shape ranks along each dimension; the product is the number of ranks
/// @throws usage_error if a size is below 1 or the product exceeds the range of int
/// @cite [Itakura]: simultaneous same-direction transfer
plan shift_exchange(std::vector<int> shape, parcel_sizes sizes);

/// The partner in round s is rank XOR (s + 1). There are n - 1 rounds, where n is the smallest power of two that is at least
/// `ranks`. A rank without a partner is idle.
plan xor_exchange(int ranks, parcel_sizes sizes);

/// Pairs by the circle method. An even number of ranks requires ranks - 1 rounds, and an odd number requires `ranks` rounds.
/// Each rank is idle in at most one round.
plan pairwise_exchange(int ranks, parcel_sizes sizes);

/// Bruck's exchange for short parcels: ceil(log2 ranks) rounds. A parcel is forwarded once for each set bit of its distance.
/// @cite [Bruck1997]
plan bruck_exchange(int ranks, parcel_sizes sizes);

/// Two-step exchange for hosts of `ranks_per_host` consecutive ranks (fewer on the last host). After the exchange inside
/// hosts, each rank has all parcels of its host for its counterparts. Counterparts on different hosts then exchange these
/// parcels.
/// @throws usage_error if ranks_per_host < 1
plan hierarchical_exchange(int ranks, int ranks_per_host, parcel_sizes sizes);

/// Order of destinations of a transposition.
enum class transposition_order : std::uint8_t {
  printed,  ///< PU(m, n) sends to PU(n, m + n + t); free of collisions if routing corrects the last dimension first
  x_first,  ///< PU(m, n) sends to PU(m + n + t, m); free of collisions if routing corrects the first dimension first; equals
            ///< the printed order on ranks l = n A + m
};

/// Transpose a distributed array in A rounds. The ranks l = m A + n form a virtual plane of A x A ranks; indices are modulo
/// A. A rank that is its own partner sends no message.
/// @throws usage_error if the number of ranks is not a square; the message contains the nearest squares
/// @cite [Itakura]: array transposition
plan transposition(int ranks, transposition_order order, parcel_sizes sizes);

/// In round b, each rank exchanges `bytes` bytes with rank XOR 2^b, if that rank exists. The receiver defines the operation
/// on received data.
plan butterfly(int ranks, std::int64_t bytes);

/// Inclusive prefix sums by a binary tree, in 2 ceil(log2 ranks) - 1 rounds. Sums are sent towards the root of the tree and
/// then towards its leaves. Received objects are added to the rank's own object. Towards the root, the numbers of partners
/// differ in one bit.
/// @cite [BrentKung1982]
plan prefix_tree(int ranks, std::int64_t bytes);

/// Inclusive prefix sums in ceil(log2 ranks) rounds: in round b, each rank sends to rank + 2^b.
/// @cite [HillisSteele1986]
plan prefix_doubling(int ranks, std::int64_t bytes);

/// Broadcast of the object of `root` by a binomial tree. @throws usage_error if root is not a rank
plan broadcast_tree(int ranks, int root, std::int64_t bytes);

/// Sum of the objects of all ranks, stored on all ranks. A binomial tree sends partial sums to rank 0 and the total to all
/// ranks, in 2 ceil(log2 ranks) rounds.
plan all_reduce(int ranks, std::int64_t bytes);

/// Exchange of faces between neighbouring blocks of a grid, in one round.
/// @param shape blocks along (z, y, x); rank = (z * Y + y) * X + x
/// @param face_bytes bytes of the face normal to (z, y, x)
/// @param periodic the first and the last block of a line are neighbours
plan halo_exchange(std::array<int, 3> shape, std::array<std::int64_t, 3> face_bytes, bool periodic);

}  // namespace osteon::plan
