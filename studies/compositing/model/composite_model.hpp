#pragma once
/// @file
/// What the models say of the ways that are measured.
#include <optional>
#include <osteon/net/costs/compositing_machine.hpp>
#include <studies/compositing/frames/composite.hpp>

namespace osteon::studies {

/// Frames per second of a way on a machine.
struct composite_prediction {
  std::string machine;
  std::optional<double> printed;  ///< equations 4 and 5, a latency per message; only of the methods that they cover
  double extended = 0;            ///< with what they leave out: fitted to [Ono]'s rows, or the plan walked
};

/// The machines of [Ono] and this one. Shared memory is only predicted here: the others have none of this kind.
/// Nothing for what is in parts or sparse, for a plan of too many ranks to walk, and for `auto`, which says its own.
/// @param here as `render::probe_machine` measures it
std::vector<composite_prediction> predict(const std::string& way, const composite_case& what, int ranks,
                                          const net::compositing_machine& here);

}  // namespace osteon::studies
