#pragma once
/// @file
/// Predictions of the models for the measured methods.
#include <optional>
#include <osteon/net/costs/compositing_machine.hpp>
#include <studies/compositing/frames/composite.hpp>

namespace osteon::studies {

/// Number of frames per second of a method on a machine.
struct composite_prediction {
  std::string machine;
  /// prediction of equations 4 and 5 with one latency per message; only for methods that these equations describe
  std::optional<double> printed;
  /// prediction with the omitted terms; the prediction uses the fit to the frames of [Ono], or the plan
  double extended = 0;
};

/// Predictions for the machines of [Ono] and for this machine. Methods with shared memory are predicted only for this
/// machine, because these methods are impossible on the machines of [Ono]. For `+parts`, for `+sparse`, and for plans with
/// too many ranks, the result is empty. For `auto`, the result is also empty, because `auto` reports a prediction of its
/// own.
/// @param here result of `render::probe_machine`
std::vector<composite_prediction> predict(const std::string& way, const composite_case& scene, int ranks,
                                          const net::compositing_machine& here);

}  // namespace osteon::studies
