#pragma once
/// @file
/// Pictures of a solution during the solve.
#include <memory>
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/render/picture.hpp>

namespace osteon::job {

/// Forwards all calls to the checkpointer of the job, and draws a frame of every picture.every-th intermediate state and of
/// the last state of each solve.
/// Frames do not affect the answer. The state of the painter is stored in checkpoints, so that a resumed job draws the same
/// frames as an uninterrupted job.
class frame_checkpointer final : public numerics::checkpointer {
 public:
  /// Borrows all arguments except the flag.
  /// @param is_resumed a resumed job keeps the existing frames; another job removes existing frames
  /// @collective on part.where.comm
  frame_checkpointer(const spec& job, const local_model& part, numerics::checkpointer& checkpoints, bool is_resumed,
                     log_sink& log);

  found begin() override;
  void restore(numerics::solver_state& state) override;
  bool is_due(std::int64_t done) override;
  void pass() override { checkpoints_.pass(); }
  void save(const numerics::solver_state& state) override;
  void finish(const numerics::solver_state& state) override;

 private:
  numerics::solver_state with_painter(const numerics::solver_state& state) const;
  void draw(const numerics::solver_state& state);
  void draw_last(const numerics::solver_state& state);

  const spec& job_;
  const local_model& part_;
  numerics::checkpointer& checkpoints_;
  log_sink& log_;
  std::unique_ptr<frame_painter> painter_;  ///< null: the physics has no frames
  int solve_ = 0;
  std::int64_t done_ = 0;
  std::int64_t drawn_ = -1;         ///< iteration or step of this solve's latest frame; -1: none
  bool is_solved_already_ = false;  ///< the resumed job has completed this solve and drawn the last frame
  bool is_to_draw_ = false, is_to_keep_ = false;
  std::shared_ptr<render::image_join> compositor_;
  bool is_logged_ = false;  ///< the compositing of frames has been logged
};

}  // namespace osteon::job
