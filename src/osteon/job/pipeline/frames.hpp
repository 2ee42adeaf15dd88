#pragma once
/// @file
/// Pictures of a solution during the solve.
#include <memory>
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/render/picture.hpp>

namespace osteon::job {

/// Forwards all calls to the checkpointer of the job. In addition, the object draws frames of every picture.every-th
/// intermediate state, and of the last state of each solve. Frames do not affect the answers. Checkpoints contain the state
/// of the painter. A resumed job therefore draws the same frames as an uninterrupted job.
class frame_checkpointer final : public numerics::checkpointer {
 public:
  /// The object borrows all arguments except the flag.
  /// @param is_resumed true: the job keeps the existing frames; false: the job removes the existing frames
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
  std::unique_ptr<frame_painter> painter_;  ///< painter of frames; null: the physics has no frames
  int solve_ = 0;
  std::int64_t done_ = 0;
  std::int64_t drawn_ = -1;         ///< iteration or step of the latest frame of this solve; -1: no frame
  bool is_solved_already_ = false;  ///< true if the resumed job has already completed this solve and drawn its last frame
  bool is_to_draw_ = false, is_to_keep_ = false;
  std::shared_ptr<render::image_join> compositor_;
  bool is_logged_ = false;  ///< true if the log contains the compositing of frames
};

}  // namespace osteon::job
