#pragma once
/// @file
/// Predictions of the models for the measured methods.
#include <optional>
#include <osteon/net/costs/compositing_machine.hpp>
#include <studies/compositing/frames/composite.hpp>

namespace osteon::studies {

/// Frames per second of a method on a machine.
struct composite_prediction {
  std::string machine;
  std::optional<double> printed;  ///< equations 4 and 5, one latency per message; only for methods that they cover
  double extended = 0;            ///< prediction with the omitted terms, fitted to [Ono]'s rows or from the plan
};

/// The machines of [Ono] and this one. Shared memory is only predicted for this machine, as the others have none of this
/// kind. Empty for `+parts` or `+sparse`, for plans of too many ranks, and for `auto`, which reports its own prediction.
/// @param here result of `render::probe_machine`
std::vector<composite_prediction> predict(const std::string& way, const composite_case& scene, int ranks,
                                          const net::compositing_machine& here);

}  // namespace osteon::studies
