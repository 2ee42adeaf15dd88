#pragma once
/// @file
/// Part of a compositing plan for one rank in terms of pixels. The schedule contains the content and the format of messages,
/// and the order of blending.
#include <osteon/kernel/blend/pixel.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::compositing {

/// An interval of pixels with equal format and equal sequence of blends.
struct pixel_piece {
  plan::span at;
  std::int64_t layers = 1;    ///< number of blended partial images
  std::int64_t wide = 0;      ///< 1: the pixels have the format of intermediate results, kernel::wider
  std::int64_t message = -1;  ///< index of the message in the arrivals of the round; -1 for the object of the rank
  double error = 0;           ///< bound of the error in units of the last place of the format; 0 for floating point
};

/// The pixels that a plan processes.
struct exchange_object {
  kernel::pixel_format format;
  /// true: intermediate results have a wider format; false: intermediate results are rounded to `format`
  bool wide_between = true;
  bool starts_wide = false;     ///< the object of the rank is an intermediate result in the wider format
  std::int64_t own_layers = 1;  ///< number of partial images that have been blended into the object of a rank
  std::int64_t all_layers = 1;  ///< number of partial images in a final pixel
  double error = 0;             ///< bound of the error of the objects
  struct drawn_span {
    plan::span at;
    std::int64_t layers = 0;
  };
  /// replaces `all_layers` if the number of partial images differs between pixels: ascending spans that cover all pixels
  std::vector<drawn_span> drawn{};
  std::vector<plan::span> own_drawn{};  ///< with `drawn`: ascending spans of the non-empty pixels of the object

  /// Number of partial images in the final pixels of an interval. The interval must be inside one drawn_span.
  std::int64_t layers_of(plan::span at) const;

  bool has_wide() const { return wide_between && kernel::wider(format) != format; }
};

struct exchange_schedule {
  /// Number of pixels of a chunk. With chunks of this length, the start-up cost of messages is negligible. A rank can also
  /// blend one chunk while the next chunk arrives.
  static constexpr std::int64_t chunk_pixels = 65536;

  /// A message of the plan, divided into pieces.
  struct message {
    int peer = -1;
    int tag = 0;  ///< tag of the first chunk; the tags of further chunks are consecutive
    plan::span at;
    std::vector<pixel_piece> pieces;

    /// The pieces of the message. Pieces are divided at multiples of `chunk_pixels`.
    std::vector<pixel_piece> chunks() const;
  };
  /// Blend of the layers of an interval, front to back.
  struct blend {
    plan::span at;
    std::vector<pixel_piece> layers;  ///< each layer has the index of its message
    bool wide = false;                ///< true if the result has the wide format
    bool after_sends = false;         ///< true if the blend must follow the sends, because the round sends the old pixels
  };
  struct round {
    std::vector<message> sends, arrivals;
    std::vector<blend> blends;
    bool collects = false;  ///< true if the round blends nothing and collects final parts
  };

  std::vector<round> rounds;
  std::vector<pixel_piece> result;  ///< pixels with final values on this rank

  /// The spans of `result`, shifted by `offset`.
  std::vector<plan::span> parts(std::int64_t offset) const;
  /// The largest error in `result`.
  double error_bound() const;

  /// Error of a blend into a format if more layers follow, in units of the last place of `format`. A group of layers is a
  /// map from x to colour + (1 - opacity) x. Its colour and its opacity are rounded. For x in [0, 1], the error of the map
  /// is at most one unit.
  /// Errors of joined groups are added, because a blend does not amplify errors.
  static double rounding(kernel::pixel_format format, bool wide);
};

/// Computes the schedule of a rank from its part of a plan, without pixels. Before each round, the caller exchanges the
/// layouts of the messages between the ranks.
class schedule_walk {
 public:
  schedule_walk(std::int64_t elements, const exchange_object& object);

  /// Messages that this rank sends in the next round.
  std::vector<exchange_schedule::message> sends(const plan::round& planned);
  /// Add the round to the schedule. @param received all messages to this rank in any order; `peer` is the sender
  void add_round(const plan::round& planned, std::vector<exchange_schedule::message> sent,
                 std::vector<exchange_schedule::message> received);
  /// @param result spans of the plan with final values on this rank
  exchange_schedule finish(std::span<const plan::span> result);
  /// Description of a receive without a matching send. If there is no such receive, the text is empty.
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
