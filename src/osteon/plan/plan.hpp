#pragma once
/// @file
/// A communication plan is a value. The plan contains sender, receiver, content, round and arrival action of each message.
/// The plan exists before any message is sent. A plan can therefore be verified, costed, simulated, executed and drawn
/// (src/osteon/README.md, "The one idea").
///
/// A plan is produced lazily. A generator builds the messages of one rank in one round.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace osteon::plan {

/// Interval [begin, end) of elements of a plan's object. Elements are, for example, pixels of an image, voxels or bytes.
struct span {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const span&, const span&) = default;
};

/// Data from rank `from` for rank `to`.
struct parcel {
  int from = 0, to = 0;
  friend bool operator==(const parcel&, const parcel&) = default;
};

/// Arrival action of a message.
enum class arrival : std::uint8_t {
  place,  ///< replace the receiver's data; store parcels for other ranks for forwarding
  /// add to the receiver's data; the order of additions is the same on all ranks, and all copies are therefore bitwise equal
  add,
  blend_front,  ///< blend in front of the receiver's data
  blend_back,   ///< blend behind the receiver's data
  keep,         ///< the receiver defines the action
};

/// Description of a message at its sender or at its receiver. The two descriptions differ only in the peer.
struct message {
  int peer = -1;
  span elements{};  ///< elements of the plan's object; in a plan without an object: [0, number of elements of the message)
  arrival on_arrival = arrival::place;
  /// parcels of the message in order; empty: the message is the single parcel from sender to receiver
  std::vector<parcel> parcels{};

  std::int64_t size() const { return elements.size(); }
  /// True if the receiver adds or blends the message.
  bool is_combined() const { return on_arrival != arrival::place && on_arrival != arrival::keep; }
  friend bool operator==(const message&, const message&) = default;
};

/// Concurrent messages of one rank. Sent messages contain the data before the round. Received data are stored, added or
/// blended in the order of `receives`.
struct round {
  std::vector<message> sends{}, receives{};
  bool empty() const { return sends.empty() && receives.empty(); }
  friend bool operator==(const round&, const round&) = default;
};

/// Explicit part of a plan for one rank. The part consists of the rounds, and of the elements that have final values on this
/// rank after the last round.
struct rank_plan {
  std::vector<round> rounds{};
  std::vector<span> result{};
};

/// Content of messages.
enum class cargo : std::uint8_t {
  object,   ///< spans of an object; each rank has one object of the same size
  parcels,  ///< data of a rank for another rank; other ranks may forward the data
  bytes,    ///< elements that the ranks define (halos, transforms, counts of a run)
};

/// Structure of a plan. Theorems exclude conflicts of messages for these structures (osteon/net/networks/conflicts.hpp).
/// Generators guarantee the structure of their plans.
enum class exchange_form : std::uint8_t {
  any,
  translation,            ///< in each round, rank x sends to rank x + s; coordinates are modulo `shape`
  exclusive_or,           ///< in each round, rank x sends to rank x XOR s, if this rank exists
  transposition,          ///< transposition as printed in [Itakura]
  transposition_x_first,  ///< transposition with corrected order, for routing by the first dimension first
};

/// A plan among `ranks` ranks in `rounds` rounds. of(rank, round) returns one rank's part of one round.
struct plan {
  std::string name{};
  int ranks = 0;
  std::int64_t rounds = 0;
  cargo moves = cargo::object;
  std::int64_t elements = 0;       ///< number of elements of the object
  std::int64_t element_bytes = 1;  ///< bytes per element for costs, simulation and counts; executors do not use this value
  std::function<round(int rank, std::int64_t round)> of{};
  /// Spans with final values on a rank. Empty: the plan has no object, or all ranks have all elements.
  std::function<std::vector<span>(int rank)> result{};
  exchange_form form = exchange_form::any;
  /// for translations: number of ranks along each dimension; rank numbers vary fastest along the last dimension
  std::vector<int> shape{};

  std::int64_t bytes(const message& m) const { return m.size() * element_bytes; }
  /// All rounds of one rank.
  rank_plan part(int rank) const;
};

/// Create a plan from the parts of the ranks. The plan stores the parts in memory. Missing rounds are empty. The object has
/// `elements` elements.
plan plan_of(std::string name, std::int64_t elements, std::vector<rank_plan> parts);

/// A message with its round, its two ends and its size in bytes.
struct listed_message {
  std::int64_t round = 0;
  int from = 0, to = 0;
  std::int64_t bytes = 0;
};

/// Create a plan from messages. The plan stores the messages in memory. @param ranks at least the largest rank + 1
plan plan_of(std::string name, int ranks, const std::vector<listed_message>& messages);

/// Parse lines of the form `round from to bytes`. Text after # is a comment. The number of ranks is the largest rank + 1.
/// @throws data_error with the line number
plan parse_messages(const std::string& text, const std::string& source);

/// All data between a rank and a peer in one round.
struct transfer {
  int peer = -1;
  std::int64_t bytes = 0;
  std::int64_t combined = 0;  ///< bytes that the receiver adds or blends
};

/// Data that a rank transmits to (or receives from) each peer in a round. Spans of an object for one peer are combined into
/// one transfer. Other messages remain separate. The order of the transfers is the order of the first message of each peer.
std::vector<transfer> transfers(const plan& plan, const std::vector<message>& messages);

}  // namespace osteon::plan
