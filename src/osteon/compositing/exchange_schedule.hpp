#pragma once
/// @file
/// A rank's part of a compositing plan in terms of pixels: content and format of messages, and the order of blending.
#include <osteon/kernel/blend/pixel.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::compositing {

/// An interval of pixels with equal blending history and format.
struct pixel_piece {
  plan::span at;
  std::int64_t layers = 1;    ///< number of blended partial images
  std::int64_t wide = 0;      ///< 1: in the format of intermediate results, kernel::wider
  std::int64_t message = -1;  ///< index in the round's arrivals, or -1 for the rank's own object
  double error = 0;           ///< error bound in units of the last place of the format; 0 for floating point
};

/// The pixels processed by a plan.
struct exchange_object {
  kernel::pixel_format format;
  bool wide_between = true;     ///< intermediate results have a wider format; otherwise they are rounded to `format`
  bool starts_wide = false;     ///< the rank's object is an intermediate result in the wider format
  std::int64_t own_layers = 1;  ///< number of partial images in a rank's object
  std::int64_t all_layers = 1;  ///< number of partial images in a finished pixel
  double error = 0;             ///< error bound of the objects
  struct drawn_span {
    plan::span at;
    std::int64_t layers = 0;
  };
  std::vector<drawn_span> drawn{};  ///< replaces `all_layers` if the number of partial images differs by pixel: ascending
                                    ///< spans of all pixels
  std::vector<plan::span> own_drawn{};  ///< used with `drawn`: ascending spans of the object's non-empty pixels

  /// Number of partial images in the finished pixels of an interval. The interval must be inside one drawn_span.
  std::int64_t layers_of(plan::span at) const;

  bool has_wide() const { return wide_between && kernel::wider(format) != format; }
};

struct exchange_schedule {
  /// Number of pixels of a chunk. Chunks of this length make the start-up cost of messages negligible, and are short enough
  /// to overlap the blending of a chunk with the transfer of the next chunk.
  static constexpr std::int64_t chunk_pixels = 65536;

  /// A message of the plan, in pieces.
  struct message {
    int peer = -1;
    int tag = 0;  ///< tag of the first chunk; further chunks have consecutive tags
    plan::span at;
    std::vector<pixel_piece> pieces;

    /// The pieces, split at multiples of `chunk_pixels`.
    std::vector<pixel_piece> chunks() const;
  };
  /// Layers of an interval that are blended, front to back.
  struct blend {
    plan::span at;
    std::vector<pixel_piece> layers;  ///< each with the index of its message
    bool wide = false;                ///< format of the result
    bool after_sends = false;         ///< blend after the sends, because the old pixels are sent in this round
  };
  struct round {
    std::vector<message> sends, arrivals;
    std::vector<blend> blends;
    bool collects = false;  ///< true if the round blends nothing and collects finished parts
  };

  std::vector<round> rounds;
  std::vector<pixel_piece> result;  ///< pixels with the final value on this rank

  /// The spans of `result`, shifted by `offset`.
  std::vector<plan::span> parts(std::int64_t offset) const;
  /// The largest error in `result`.
  double error_bound() const;

  /// Error of a blend into a format if more layers follow, in units of the last place of `format`. For a group of layers,
  /// the map x -> colour + (1
  /// - opacity) x has a rounded colour and a rounded opacity. The error of this map is at most one unit for x in [0, 1].
  /// Errors of joined groups add up, because a blend does not amplify errors.
  static double rounding(kernel::pixel_format format, bool wide);
};

/// Computes a rank's schedule by processing its part of a plan without pixels. Before each round, the caller exchanges the
/// layouts of the messages between ranks.
class schedule_walk {
 public:
  schedule_walk(std::int64_t elements, const exchange_object& object);

  /// Messages that this rank sends in the next round.
  std::vector<exchange_schedule::message> sends(const plan::round& planned);
  /// Add the round to the schedule. @param received all messages to this rank in any order; `peer` is the sender
  void add_round(const plan::round& planned, std::vector<exchange_schedule::message> sent,
                 std::vector<exchange_schedule::message> received);
  /// @param result result spans of the plan
  exchange_schedule finish(std::span<const plan::span> result);
  /// Description of a receive without a send; empty if there is none.
  const std::string& fault() const { return fault_; }

 private:
  void add_arrivals(const plan::round& planned, std::vector<exchange_schedule::message> received,
                    exchange_schedule::round& to);
  exchange_schedule::blend blend_of(plan::span at, const plan::round& planned, const exchange_schedule::round& known,
                                    const std::vector<pixel_piece>& before);

  exchange_object object_;
  std::vector<pixel_piece> pieces_;
  int next_tag_ = 0;
  exchange_schedule result_;
  std::string fault_;
};

}  // namespace osteon::compositing
