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

/// A stretch of elements of the object that the plan moves (pixels of an image, voxels, bytes), [begin, end).
struct span {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const span&, const span&) = default;
};

/// The data of rank `from` for rank `to`.
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
  span elements{};  ///< of the plan's object; without one, as many elements from 0 on as there are in the message
  arrival on_arrival = arrival::place;
  std::vector<parcel> parcels{};  ///< its parts, in this order; empty: the one parcel from sender to receiver

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

/// One rank's part of a plan, written out: its rounds, and the elements that it holds the final value of when they are over.
struct rank_plan {
  std::vector<round> rounds{};
  std::vector<span> result{};
};

/// Content of messages.
enum class cargo : std::uint8_t {
  object,   ///< spans of an object, which each rank has one of
  parcels,  ///< data of a rank for another rank, which others may pass on
  bytes,    ///< elements defined by the ranks (halos, transforms, counts of a run)
};

/// Structure with known theorems (osteon/net/networks/conflicts.hpp). A generator that sets it guarantees it for `of`.
enum class exchange_form : std::uint8_t {
  any,
  translation,            ///< in each round rank x sends to x + s, coordinates modulo `shape`
  exclusive_or,           ///< in each round rank x sends to x XOR s, if that is a rank
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
  /// The elements that a rank holds the final value of; none: all have all, or there is no object.
  std::function<std::vector<span>(int rank)> result{};
  exchange_form form = exchange_form::any;
  std::vector<int> shape{};  ///< of a translation: ranks along each dimension, the last one fastest

  std::int64_t bytes(const message& m) const { return m.size() * element_bytes; }
  /// All rounds of one rank.
  rank_plan part(int rank) const;
};

/// The plan of these parts, by rank, which stay in memory; missing rounds are empty. It moves an object of `elements`.
plan plan_of(std::string name, std::int64_t elements, std::vector<rank_plan> parts);

/// A message with its round, both ends and bytes.
struct listed_message {
  std::int64_t round = 0;
  int from = 0, to = 0;
  std::int64_t bytes = 0;
};

/// The plan of these messages, which stay in memory. @param ranks at least the largest rank + 1
plan plan_of(std::string name, int ranks, const std::vector<listed_message>& messages);

/// Read a text of lines `round from to bytes`; text after a # is a remark. Ranks are those up to the largest one named.
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
