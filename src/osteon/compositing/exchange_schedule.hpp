#pragma once
/// @file
/// A rank's part of a compositing plan in terms of pixels: content and format of messages, and the order of blending after
/// their arrival.
#include <osteon/kernel/blend/pixel.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::compositing {

/// Pixels that have blended the same, in one format.
struct pixel_piece {
  plan::span at;
  std::int64_t layers = 1;    ///< number of partial images in them
  std::int64_t wide = 0;      ///< 1: in the format that waits and travels, kernel::wider
  std::int64_t message = -1;  ///< index in the round's arrivals, or -1 for the own object
  double error = 0;           ///< at most, in units of the format's last place; 0 for floating point
};

/// The pixels that a plan is run on.
struct exchange_object {
  kernel::pixel_format format;
  bool wide_between = true;     ///< intermediate results are wider; otherwise rounded to `format` each time
  bool starts_wide = false;     ///< each rank's object is half blended already
  std::int64_t own_layers = 1;  ///< number of partial images in a rank's object
  std::int64_t all_layers = 1;  ///< and in a finished pixel
  double error = 0;             ///< of the objects
  struct drawn_span {
    plan::span at;
    std::int64_t layers = 0;
  };
  std::vector<drawn_span> drawn{};      ///< in place of `all_layers`, if it differs: ascending, all pixels
  std::vector<plan::span> own_drawn{};  ///< then, where this object is not empty: ascending

  /// Number of partial images in the finished pixels of a stretch, which no drawn_span may cut.
  std::int64_t layers_of(plan::span at) const;

  bool has_wide() const { return wide_between && kernel::wider(format) != format; }
};

struct exchange_schedule {
  /// Long enough for a message's fixed cost not to count, short enough to be blended while the next one travels.
  static constexpr std::int64_t chunk_pixels = 65536;

  /// A message of the plan, in pieces.
  struct message {
    int peer = -1;
    int tag = 0;  ///< of its first chunk; the others' follow
    plan::span at;
    std::vector<pixel_piece> pieces;

    /// Pieces, split at multiples of `chunk_pixels`.
    std::vector<pixel_piece> chunks() const;
  };
  /// Layers of a stretch, front to back, that become one.
  struct blend {
    plan::span at;
    std::vector<pixel_piece> layers;  ///< with the message that brings each
    bool wide = false;                ///< format of the result
    bool after_sends = false;         ///< the old pixels are still being sent
  };
  struct round {
    std::vector<message> sends, arrivals;
    std::vector<blend> blends;
    bool collects = false;  ///< no blending: finished parts are collected
  };

  std::vector<round> rounds;
  std::vector<pixel_piece> result;  ///< pixels with the final value on this rank

  /// The spans of `result`, moved by `offset`.
  std::vector<plan::span> parts(std::int64_t offset) const;
  /// The largest error in `result`.
  double error_bound() const;

  /// Error of blending into a format, in units of the last place of `format`, if more layers follow: the map x -> colour +
  /// (1 - opacity) x of a group, rounded in both, is off by a whole unit for x in [0, 1]. Errors of groups that are joined
  /// add up, because through any of them an error never grows.
  static double rounding(kernel::pixel_format format, bool wide);
};

/// Processes a rank's part of a plan once without pixels. Before each round, ranks exchange the content of their messages.
class schedule_walk {
 public:
  schedule_walk(std::int64_t elements, const exchange_object& object);

  /// Messages of this rank in its next round.
  std::vector<exchange_schedule::message> sends(const plan::round& planned);
  /// Process that round. @param came all messages to this rank in any order; `peer` is the sender
  void go(const plan::round& planned, std::vector<exchange_schedule::message> sent,
          std::vector<exchange_schedule::message> came);
  /// @param result of the plan
  exchange_schedule finish(std::span<const plan::span> result);
  /// Description of receives without a send; empty if there are none.
  const std::string& fault() const { return fault_; }

 private:
  void add_arrivals(const plan::round& planned, std::vector<exchange_schedule::message> came, exchange_schedule::round& to);
  exchange_schedule::blend blend_of(plan::span at, const plan::round& planned, const exchange_schedule::round& known,
                                    const std::vector<pixel_piece>& before);

  exchange_object object_;
  std::vector<pixel_piece> held_;
  int next_tag_ = 0;
  exchange_schedule result_;
  std::string fault_;
};

}  // namespace osteon::compositing
