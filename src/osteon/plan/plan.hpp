#pragma once
/// @file
/// A communication plan is a value: sender, receiver, content, round and arrival action of each message. It exists before
/// any message is sent, so that it can be verified, costed, simulated, executed and drawn (src/osteon/README.md, "The one
/// idea").
///
/// A plan is produced lazily: a generator builds the messages of one rank in one round.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace osteon::plan {

/// Interval [begin, end) of elements of the object of a plan (pixels of an image, voxels, bytes).
struct span {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const span&, const span&) = default;
};

/// Data of rank `from` for rank `to`.
struct parcel {
  int from = 0, to = 0;
  friend bool operator==(const parcel&, const parcel&) = default;
};

/// Arrival action of a message.
enum class arrival : std::uint8_t {
  place,        ///< it replaces the receiver's data; parcels for other ranks are stored for forwarding
  add,          ///< it is added to the receiver's data; copies in the order of ranks, so that all are bitwise equal
  blend_front,  ///< it is in front of the receiver's own
  blend_back,   ///< it is behind the receiver's own
  keep,         ///< defined by the receiver
};

/// One message as described by one of its two ends; the descriptions differ only in the peer.
struct message {
  int peer = -1;
  span elements{};  ///< of the plan's object; without an object, [0, number of elements of the message)
  arrival on_arrival = arrival::place;
  std::vector<parcel> parcels{};  ///< its parts, in this order; empty: the single parcel from sender to receiver

  std::int64_t size() const { return elements.size(); }
  /// True if the receiver computes with the message.
  bool is_combined() const { return on_arrival != arrival::place && on_arrival != arrival::keep; }
  friend bool operator==(const message&, const message&) = default;
};

/// Concurrent messages of one rank. Sends contain the data of the rank before the round; received data are stored, added or
/// blended in the order of `receives`.
struct round {
  std::vector<message> sends{}, receives{};
  bool empty() const { return sends.empty() && receives.empty(); }
  friend bool operator==(const round&, const round&) = default;
};

/// Explicit part of a plan for one rank: its rounds, and the elements whose final values it has after the last round.
struct rank_plan {
  std::vector<round> rounds{};
  std::vector<span> result{};
};

/// Content of messages.
enum class cargo : std::uint8_t {
  object,   ///< spans of an object; each rank has one object
  parcels,  ///< data of a rank for another rank, possibly forwarded by others
  bytes,    ///< elements defined by the ranks (halos, transforms, counts of a run)
};

/// Structure with known theorems (osteon/net/networks/conflicts.hpp). A generator that sets it guarantees it for `of`.
enum class exchange_form : std::uint8_t {
  any,
  translation,            ///< in each round rank x sends to x + s, coordinates modulo `shape`
  exclusive_or,           ///< in each round rank x sends to x XOR s, if this is a rank
  transposition,          ///< as [Itakura] prints it
  transposition_x_first,  ///< as repaired for routing by the first dimension first
};

/// A plan among `ranks` ranks in `rounds` rounds; of(rank, round) is one rank's part of one round.
struct plan {
  std::string name{};
  int ranks = 0;
  std::int64_t rounds = 0;
  cargo moves = cargo::object;
  std::int64_t elements = 0;       ///< of the object
  std::int64_t element_bytes = 1;  ///< bytes per element for costs, simulation and counts; executors have their own
  std::function<round(int rank, std::int64_t round)> of{};
  /// Elements whose final values a rank has; none: all ranks have all elements, or there is no object.
  std::function<std::vector<span>(int rank)> result{};
  exchange_form form = exchange_form::any;
  std::vector<int> shape{};  ///< of a translation: ranks along each dimension, the last one fastest

  std::int64_t bytes(const message& m) const { return m.size() * element_bytes; }
  /// All rounds of one rank.
  rank_plan part(int rank) const;
};

/// Create a plan from parts by rank, stored in memory; missing rounds are empty. Its object has `elements` elements.
plan plan_of(std::string name, std::int64_t elements, std::vector<rank_plan> parts);

/// A message with its round, both ends and bytes.
struct listed_message {
  std::int64_t round = 0;
  int from = 0, to = 0;
  std::int64_t bytes = 0;
};

/// Create a plan from messages, stored in memory. @param ranks at least the largest rank + 1
plan plan_of(std::string name, int ranks, const std::vector<listed_message>& messages);

/// Parse lines `round from to bytes`; text after a # is a comment. The number of ranks is the largest rank + 1.
/// @throws data_error naming the line
plan parse_messages(const std::string& text, const std::string& source);

/// Combined message between a rank and a peer.
struct transfer {
  int peer = -1;
  std::int64_t bytes = 0;
  std::int64_t combined = 0;  ///< bytes that the receiver computes with
};

/// Sends (or receives) of a round as transmitted: all spans of an object for one peer combined, other messages separate. In
/// the order of the first message of each peer.
std::vector<transfer> transfers(const plan& what, const std::vector<message>& messages);

}  // namespace osteon::plan
