#pragma once
/// @file
/// A quantity advected by a transient flow, which may also drive it.
#include <osteon/physics/flow/solver/openings/through_parts.hpp>

namespace osteon::physics {

/// A quantity that advances with the flow. The wrapper of the flow's checkpointer saves its state. All calls are collective
/// on the communicator of the flow: begin, the force of the start, start and a record; or begin, restored values and start;
/// then for each step its force, the step, and optionally a record.
class carried_quantity {
 public:
  virtual ~carried_quantity() = default;
  /// Keeps `open` by reference until the last step. May change the unit of velocities if there is no other driving force.
  virtual void begin(const open_flow_cells& open, flow_units& units) = 0;
  /// @param x velocities, shape (4, stride), ghosts current: of the start, or of a restored state
  virtual void start(const std::vector<double>& x) = 0;
  /// Force of the quantity on the velocities, in the middle of the next step, or at the start for a step of 0 s.
  virtual flow_entries force(double step_s) const = 0;
  /// Maximum step length permitted by the coupling; infinite: no limit. Prescribed steps may be twice as long.
  virtual double longest_step_s() const = 0;
  /// Advances with the velocities after a step of the flow. @return whether its systems were solved
  virtual bool step(const std::vector<double>& x, double step_s) = 0;
  /// Change in the last step, relative to its range: as flow_record::change_per_s.
  virtual double change_per_s() const = 0;
  virtual void record(double time_s) = 0;
};

}  // namespace osteon::physics
