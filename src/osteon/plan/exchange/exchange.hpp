#pragma once
/// @file
/// Plans of exchanges with message sizes in bytes. The exchanges are personalised all-to-all, array transposition,
/// butterfly, prefix sums, reductions, broadcast and halos.
#include <array>
#include <cstdint>
#include <functional>
#include <osteon/plan/plan.hpp>
#include <string>
#include <vector>

namespace osteon::plan {

/// Number of bytes of the parcel from one rank to another rank. The number is >= 0. The sender and the receiver must compute
/// the same number.
using parcel_sizes = std::function<std::int64_t(int from, int to)>;
/// Parcels with one common size.
inline parcel_sizes equal_parcels(std::int64_t bytes) {
  return [bytes](int, int) { return bytes; };
}

// Personalised all-to-all: each ordered pair of different ranks has one parcel, which is delivered once. A rank's parcel for
// itself is not part of any message.

/// In each of the ranks - 1 rounds, all messages have the same direction. Each round has one displacement in a grid of
/// ranks. The rounds enumerate all displacements, and the last dimension varies fastest. With one dimension, this exchange
/// is the ring schedule.
/// @param shape number of ranks along each dimension; the product is the total number of ranks
/// @throws usage_error if a size is below 1 or the product exceeds the range of int
/// @cite [Itakura]: simultaneous same-direction transfer
plan shift_exchange(std::vector<int> shape, parcel_sizes sizes);

/// In round s, the partner of a rank is rank XOR (s + 1). There are n - 1 rounds, where n is the smallest power of two that
/// is at least `ranks`. A rank without a partner is idle.
plan xor_exchange(int ranks, parcel_sizes sizes);

/// Pairs of ranks by the circle method. An even number of ranks requires ranks - 1 rounds. An odd number of ranks requires
/// `ranks` rounds. Each rank is idle in at most one round.
plan pairwise_exchange(int ranks, parcel_sizes sizes);

/// Bruck's exchange for short parcels, with ceil(log2 ranks) rounds. A parcel is sent once for each bit that is set in the
/// distance from its source to its destination.
/// @cite [Bruck1997]
plan bruck_exchange(int ranks, parcel_sizes sizes);

/// Two-step exchange for hosts of `ranks_per_host` consecutive ranks. The last host may have fewer ranks. The first step
/// exchanges parcels inside hosts. After this step, each rank has all parcels from its host to the ranks at its own position
/// on other hosts. The second step exchanges these parcels between ranks at equal positions of different hosts.
/// @throws usage_error if ranks_per_host < 1
plan hierarchical_exchange(int ranks, int ranks_per_host, parcel_sizes sizes);

/// Order of destinations of a transposition.
enum class transposition_order : std::uint8_t {
  printed,  ///< PU(m, n) sends to PU(n, m + n + t); free of collisions if routing corrects the last dimension first
  /// PU(m, n) sends to PU(m + n + t, m); free of collisions if routing corrects the first dimension first; on ranks l = n A
  /// + m, equal to the printed order
  x_first,
};

/// Transpose a distributed array in A rounds. The ranks l = m A + n form a virtual plane of A x A ranks. Indices are modulo
/// A. A rank that is its own partner sends no message.
/// @throws usage_error if the number of ranks is not a square. The message contains the nearest squares.
/// @cite [Itakura]: array transposition
plan transposition(int ranks, transposition_order order, parcel_sizes sizes);

/// In round b, each rank exchanges `bytes` bytes with rank XOR 2^b, if this partner exists. The receiver defines the
/// operation on the received data.
plan butterfly(int ranks, std::int64_t bytes);

/// Inclusive prefix sums by a binary tree, in 2 ceil(log2 ranks) - 1 rounds. Sums are first sent towards the root of the
/// tree, and then towards the leaves of the tree. Received objects are added to the rank's own object. On the way to the
/// root, the numbers of two partners differ in one bit.
/// @cite [BrentKung1982]
plan prefix_tree(int ranks, std::int64_t bytes);

/// Inclusive prefix sums in ceil(log2 ranks) rounds: in round b, each rank sends to rank + 2^b.
/// @cite [HillisSteele1986]
plan prefix_doubling(int ranks, std::int64_t bytes);

/// Broadcast of the object of `root` by a binomial tree. @throws usage_error if root is not a rank
plan broadcast_tree(int ranks, int root, std::int64_t bytes);

/// Sum of the objects of all ranks, stored on all ranks. A binomial tree sends partial sums to rank 0, and then the total to
/// all ranks. The plan has 2 ceil(log2 ranks) rounds.
plan all_reduce(int ranks, std::int64_t bytes);

/// Exchange of faces between neighbouring blocks of a grid in one round.
/// @param shape blocks along (z, y, x); rank = (z * Y + y) * X + x
/// @param face_bytes bytes of the face normal to z, y and x
/// @param periodic the first block and the last block of a line are neighbours
plan halo_exchange(std::array<int, 3> shape, std::array<std::int64_t, 3> face_bytes, bool periodic);

}  // namespace osteon::plan
