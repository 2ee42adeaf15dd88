#pragma once
/// @file
/// A communication plan is a value: sender, receiver, elements and round of each message, and what is done with
/// them on arrival. It is written down before anything is sent, so that it can be verified, costed, simulated,
/// executed and drawn (src/osteon/README.md, "The one idea").
///
/// A plan is produced lazily: a generator builds the steps of one rank only. Whole plans are enumerated to verify or
/// to simulate them.
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

/// The action of a rank in one step of a round.
enum class action : std::uint8_t {
  send,         ///< send `elements` of the own object to `peer`
  receive,      ///< receive `elements` from `peer` and put them in place (collect, halo)
  blend_front,  ///< receive `elements` from `peer`; they are in front of the rank's own
  blend_back,   ///< receive `elements` from `peer`; they are behind the rank's own
};

/// One message, seen from one of its two ends.
struct step {
  action what = action::send;
  int peer = -1;
  span elements;
  friend bool operator==(const step&, const step&) = default;
};

/// The steps of one rank that may be under way at the same time.
struct round {
  std::vector<step> steps;
  friend bool operator==(const round&, const round&) = default;
};

/// All rounds of one rank, and the elements that it holds the final value of when they are over.
struct rank_plan {
  std::vector<round> rounds;
  std::vector<span> result;
};

/// A plan of `ranks` ranks over an object of `elements` elements; `of(rank)` builds one rank's part.
struct plan {
  std::string name;
  int ranks = 0;
  std::int64_t elements = 0;
  std::function<rank_plan(int rank)> of;
};

}  // namespace osteon::plan
