#pragma once
/// @file
/// Computation of advecting velocities on the faces of voxels. The input is the velocities of a flow.
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <vector>

namespace osteon::physics {

struct open_flow_cells;

struct carried_velocities {
  std::vector<double> velocity;  ///< velocities with shape (3, stride) and current ghosts
  double change = 0;             ///< root mean square of the changes of velocities, relative to the velocities of the flow
};

/// @param x velocities and pressure with shape (4, stride) and current ghosts @param poll function as in through_options
/// @collective on the communicator of the cells
using velocity_projector = std::function<carried_velocities(const open_flow_cells& open, const std::vector<double>& x,
                                                            const std::function<void()>& poll, log_sink& log)>;

}  // namespace osteon::physics
