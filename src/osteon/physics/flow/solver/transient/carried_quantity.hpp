#pragma once
/// @file
/// What a flow in time carries, and what may drive it in turn.
#include <osteon/physics/flow/solver/openings/through_parts.hpp>

namespace osteon::physics {

/// Steps beside the flow. Its state is saved by whoever wraps the checkpointer of the flow. All calls are collective on the
/// communicator of the flow: begin, the force of the start, start and a record; or begin, restored values and start; then
/// for each step its force, the step, and perhaps a record.
class carried_quantity {
 public:
  virtual ~carried_quantity() = default;
  /// Keeps `open` by reference until the last step. May change the unit of velocities where nothing else drives the flow.
  virtual void begin(const open_flow_cells& open, flow_units& units) = 0;
  /// @param x velocities, shape (4, stride), ghosts current: of the start, or of a restored state
  virtual void start(const std::vector<double>& x) = 0;
  /// Its force on the velocities, in the middle of the step that comes, or at the start for a step of 0 s.
  virtual flow_entries force(double step_s) const = 0;
  /// Steps that it can drive; infinite: any. Steps that are given may be twice as long.
  virtual double longest_step_s() const = 0;
  /// Goes on with the velocities that a step of the flow has come to. @return whether its systems were solved
  virtual bool step(const std::vector<double>& x, double step_s) = 0;
  /// Of the last step, over what it ranges over: as flow_record::change_per_s.
  virtual double change_per_s() const = 0;
  virtual void record(double time_s) = 0;
};

}  // namespace osteon::physics
