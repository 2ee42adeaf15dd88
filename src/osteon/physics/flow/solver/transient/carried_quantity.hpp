#pragma once
/// @file
/// A quantity advected by a transient flow. The quantity can also drive the flow.
#include <osteon/physics/flow/solver/openings/through_parts.hpp>

namespace osteon::physics {

/// A quantity that advances with the flow. A wrapper of the flow's checkpointer saves the state of the quantity. All calls
/// are collective on the communicator of the flow. A new run calls begin, force for the start, start, and a record. A
/// resumed run calls begin, restores the values, and calls start. Each step calls force, step, and optionally a record.
class carried_quantity {
 public:
  virtual ~carried_quantity() = default;
  /// Prepare the quantity. Stores a reference to `open` until the last step. Can change the unit of velocities if there is
  /// no other driving force.
  virtual void begin(const open_flow_cells& open, flow_units& units) = 0;
  /// @param x velocities, shape (4, stride), ghosts current: of the start, or of a restored state
  virtual void start(const std::vector<double>& x) = 0;
  /// Force of the quantity on the velocities in the middle of the next step. A step of 0 s requests the force at the
  /// start.
  virtual flow_entries force(double step_s) const = 0;
  /// Maximum step length permitted by the coupling; infinite: no limit. Prescribed steps may be twice as long.
  virtual double longest_step_s() const = 0;
  /// Advance with the velocities after a step of the flow. @return true if the linear systems were solved
  virtual bool step(const std::vector<double>& x, double step_s) = 0;
  /// Change of the quantity in the last step, relative to the range of the quantity, as in flow_record::change_per_s.
  virtual double change_per_s() const = 0;
  virtual void record(double time_s) = 0;
};

}  // namespace osteon::physics
