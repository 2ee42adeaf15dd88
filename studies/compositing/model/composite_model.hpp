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
  std::optional<double> printed;  ///< prediction of equations 4 and 5 with one latency per message; only for methods
                                  ///< described by these equations
  double extended = 0;  ///< prediction with the omitted terms, from the fit to the frames of [Ono], or from the plan
};

/// Predictions for the machines of [Ono] and for this machine. Methods with shared memory are predicted only for this
/// machine, because the machines of [Ono] do not support these methods. The result is empty for `+parts` and `+sparse`, and
/// for plans with too many ranks. The result is also empty for `auto`, because `auto` reports its own prediction.
/// @param here result of `render::probe_machine`
std::vector<composite_prediction> predict(const std::string& way, const composite_case& scene, int ranks,
                                          const net::compositing_machine& here);

}  // namespace osteon::studies
