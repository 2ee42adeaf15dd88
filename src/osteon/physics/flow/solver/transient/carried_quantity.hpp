#pragma once
/// @file
/// A quantity that a transient flow transports. The quantity may also drive the flow.
#include <osteon/physics/flow/solver/openings/through_parts.hpp>

namespace osteon::physics {

/// A quantity that is integrated in time together with the flow. A checkpointer around the checkpointer of the flow saves
/// the state of the quantity. All calls are collective on the communicator of the flow. A new run calls begin, force for the
/// start, start, and a record. A resumed run calls begin, restores the values, and calls start. Each step calls force, step,
/// and optionally a record.
class carried_quantity {
 public:
  virtual ~carried_quantity() = default;
  /// Prepare the quantity. The object borrows `open` until the last step. If nothing else drives the flow, the function may
  /// change the unit of velocities.
  virtual void begin(const open_flow_cells& open, flow_units& units) = 0;
  /// @param x velocities of the start or of a restored state, with shape (4, stride) and current ghosts
  virtual void start(const std::vector<double>& x) = 0;
  /// Force of the quantity on the velocities in the middle of the next step. With a step of 0 s, the function returns the
  /// force at the start.
  virtual flow_entries force(double step_s) const = 0;
  /// Maximum length of a step that the coupling permits. Infinite: no limit. Given steps may be twice as long as this
  /// length.
  virtual double longest_step_s() const = 0;
  /// Integrate the quantity with the velocities after a step of the flow. @return true if the linear systems have converged
  virtual bool step(const std::vector<double>& x, double step_s) = 0;
  /// Change of the quantity in the last step relative to the range of the quantity, in the unit of
  /// flow_record::change_per_s.
  virtual double change_per_s() const = 0;
  virtual void record(double time_s) = 0;
};

}  // namespace osteon::physics
