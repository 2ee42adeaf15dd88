#pragma once
/// @file
/// Exchanges: plans of messages that are counted in bytes and need not be parts of one object. All-to-all personalised
/// schedules, array transposition, butterfly, prefix sums, broadcast and halos.
///
/// As everywhere in `plan`, an exchange is a value, and a rank builds only its own rounds: `of(rank, round)`.
#include <array>
#include <cstdint>
#include <functional>
#include <osteon/plan/plan.hpp>
#include <string>
#include <vector>

namespace osteon::plan {

/// The data of rank `from` for rank `to`.
struct parcel {
  int from = 0, to = 0;
  friend bool operator==(const parcel&, const parcel&) = default;
};

/// A message of an exchange, seen from one of its two ends.
struct message {
  int peer = -1;
  std::int64_t bytes = 0;
  std::int64_t combined = 0;    ///< bytes that the receiver sums into, or blends with, its own; the rest is put in place
  std::vector<parcel> parcels;  ///< its parts, in this order; empty: the one parcel from sender to receiver
  friend bool operator==(const message&, const message&) = default;
};

/// The messages of one rank that are under way at the same time. Sends carry what the rank held before the round.
struct exchange_round {
  std::vector<message> sends, receives;
};

/// How a receiver uses a message.
enum class arrival : std::uint8_t {
  parcels,  ///< parcels are put in place, or kept to be passed on
  object,   ///< it is the sender's whole object, which becomes the receiver's (broadcast)
  add,      ///< it is the sender's whole object, which is added to the receiver's (prefix)
  other,    ///< the receiver knows (halo, butterfly of a transform, compositing)
};

/// A form about which theorems are known (osteon/net/networks/conflicts.hpp). A generator that sets one guarantees that `of`
/// has it.
enum class exchange_form : std::uint8_t {
  any,
  translation,            ///< in each round rank x sends to x + s, coordinates modulo `shape`
  exclusive_or,           ///< in each round rank x sends to x XOR s, if that is a rank
  transposition,          ///< as [Itakura] prints it
  transposition_x_first,  ///< as repaired for routing by the first dimension first
};

/// An exchange among `ranks` ranks in `rounds` rounds; of(rank, round) is one rank's part of one round.
struct exchange {
  std::string name;
  int ranks = 0;
  std::int64_t rounds = 0;
  arrival on_arrival = arrival::other;
  std::function<exchange_round(int rank, std::int64_t round)> of;
  exchange_form form = exchange_form::any;
  std::vector<int> shape;  ///< of a translation: ranks along each dimension, the last one fastest
};

/// Bytes of the parcel from one rank to another; not below 0. Both ends must know it.
using parcel_sizes = std::function<std::int64_t(int from, int to)>;
/// Parcels of one size.
inline parcel_sizes equal_parcels(std::int64_t bytes) {
  return [bytes](int, int) { return bytes; };
}

// All-to-all personalised: each ordered pair of different ranks has a parcel, which arrives once. A rank's parcel for
// itself is in no message.

/// ranks - 1 rounds of "everybody in the same direction": round by round all displacements of a grid, the last dimension
/// fastest. One dimension is the ring schedule.
/// @param shape ranks along each dimension; the product is their number
/// @throws usage_error if a size is below 1 or the product exceeds the range of int
/// @cite [Itakura]: simultaneous same-direction transfer
exchange shift_exchange(std::vector<int> shape, parcel_sizes sizes);

/// In round s with partner rank XOR (s + 1), for the next power of two; absent partners leave a rank idle.
exchange xor_exchange(int ranks, parcel_sizes sizes);

/// Pairs by the circle method: ranks - 1 rounds for an even number of ranks, `ranks` for an odd one, each rank idle in at
/// most one.
exchange pairwise_exchange(int ranks, parcel_sizes sizes);

/// ceil(log2 ranks) rounds; a parcel travels in one message for each bit of its distance. For short parcels.
/// @cite [Bruck1997]
exchange bruck_exchange(int ranks, parcel_sizes sizes);

/// First inside hosts of `ranks_per_host` consecutive ranks (the last may have fewer), so that each rank holds all of its
/// host's parcels for its counterparts; then between counterparts of different hosts.
/// @throws usage_error if ranks_per_host < 1
exchange hierarchical_exchange(int ranks, int ranks_per_host, parcel_sizes sizes);

/// Which order of destinations a transposition has.
enum class transposition_order : std::uint8_t {
  printed,  ///< PU(m, n) sends to PU(n, m + n + t): free of collisions when the last dimension is corrected first
  x_first,  ///< to PU(m + n + t, m): when the first is. The same traffic is the printed order on ranks numbered l = n A + m
};

/// Transpose a distributed array on a virtual plane of A x A ranks, l = m A + n, in A rounds; indices modulo A. A rank
/// whose partner is itself has nothing to send.
/// @throws usage_error if the number of ranks is no square; it names the nearest squares
/// @cite [Itakura]: array transposition
exchange transposition(int ranks, transposition_order order, parcel_sizes sizes);

/// Round b: swap `bytes` bytes with rank XOR 2^b, if that is a rank.
exchange butterfly(int ranks, std::int64_t bytes);

/// Inclusive prefix sums by a binary tree, up and down again: 2 ceil(log2 ranks) - 1 rounds. Arrived objects are added to
/// the rank's own. On the way up partners differ in one bit of their number.
/// @cite [BrentKung1982]
exchange prefix_tree(int ranks, std::int64_t bytes);

/// Inclusive prefix sums in ceil(log2 ranks) rounds: rank sends to rank + 2^b.
/// @cite [HillisSteele1986]
exchange prefix_doubling(int ranks, std::int64_t bytes);

/// The object of `root` for everybody by a binomial tree. @throws usage_error if root is no rank
exchange broadcast_tree(int ranks, int root, std::int64_t bytes);

/// An object of each rank combined into one that all ranks have: up a binomial tree to rank 0, and down again, in
/// 2 ceil(log2 ranks) rounds.
exchange all_reduce(int ranks, std::int64_t bytes);

/// Faces of a grid of blocks to its neighbours, in one round.
/// @param shape blocks along (z, y, x); rank = (z * Y + y) * X + x
/// @param face_bytes of the face normal to (z, y, x)
/// @param periodic the first and the last block of a line are neighbours
exchange halo_exchange(std::array<int, 3> shape, std::array<std::int64_t, 3> face_bytes, bool periodic);

/// Any plan as an exchange: all steps to one peer in one round are one message. The whole plan is kept in memory.
exchange as_exchange(const plan& what, double bytes_per_element);

/// A message with its round and both ends.
struct listed_message {
  std::int64_t round = 0;
  int from = 0, to = 0;
  std::int64_t bytes = 0;
};

/// The exchange of these messages, which stay in memory. @param ranks at least the largest rank + 1
exchange exchange_of(std::string name, int ranks, const std::vector<listed_message>& messages);

/// Read a text of lines `round from to bytes`; text after a # is a remark. Ranks are those up to the largest one named.
/// @throws data_error naming the line
exchange parse_messages(const std::string& text, const std::string& source);

}  // namespace osteon::plan
