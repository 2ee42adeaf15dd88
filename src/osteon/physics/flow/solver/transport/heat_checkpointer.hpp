#pragma once
/// @file
/// The temperature beside the flow in one saved state.
#include <osteon/physics/flow/solver/transport/heat_in_time.hpp>

namespace osteon::physics {

/// Keeps a temperature with the state of the flow that carries it. The flow's vectors are over the voxels that move, those
/// of the temperature over fluid and solid: what is saved is over both, and zero where there is none.
class heat_checkpointer final : public checkpointer {
 public:
  /// Borrows both.
  heat_checkpointer(checkpointer& checkpoints, heat_in_time& heat) : checkpoints_(checkpoints), heat_(heat) {}
  found begin() override { return checkpoints_.begin(); }
  void restore(solver_state& state) override;
  bool is_due(std::int64_t done) override { return checkpoints_.is_due(done); }
  void pass() override { checkpoints_.pass(); }
  void save(const solver_state& state) override;
  void finish(const solver_state& state) override;

 private:
  struct joined;
  checkpointer& checkpoints_;
  heat_in_time& heat_;
};

}  // namespace osteon::physics
