#pragma once
/// @file
/// Particles in a transient flow. The particles move during the solution. The paths of the particles are then drawn and
/// written.
#include <memory>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/render/rays/pathlines.hpp>

namespace osteon::physics {

/// The particles of picture.pathlines. The particles are released at a constant rate for the duration of the job. They start
/// in openings through which fluid enters.
class flow_paths {
 public:
  /// The object borrows all arguments. @collective on part.where.comm
  flow_paths(const spec& job, const local_model& part, const through_problem& problem);

  /// Move the particles with the flow. The caller passes the flow at the start (or after a resumption), and the flow after
  /// each step. @collective
  void follow(double time_s, const through_solution& fields);
  /// Add the paths to the picture and the answers, and write pathlines.vtp. Call this function after the speed has been
  /// added to the picture.
  /// @throws machine_error @collective
  void finish(physics_result& result, log_sink& log) const;
  render::pathlines& particles() { return particles_; }

 private:
  const spec& job_;
  const local_model& part_;
  const through_problem& problem_;
  render::pathlines particles_;
  struct opening_voxel {
    std::int32_t cell = 0;  // index of the cell in problem_.cells
    int side = -1;          // -1: the particle starts in the voxel and not in an opening
  };
  std::vector<render::release_point> points_;
  std::vector<opening_voxel> opening_;  // voxel of the opening for each point
  bool has_begun_ = false;
};

/// Stores the particles in the checkpoint of the flow. A resumed job therefore has the same paths.
class path_checkpointer final : public numerics::checkpointer {
 public:
  /// The object borrows the arguments.
  path_checkpointer(numerics::checkpointer& checkpoints, flow_paths& paths) : checkpoints_(checkpoints), paths_(paths) {}
  found begin() override { return checkpoints_.begin(); }
  void restore(numerics::solver_state& state) override;
  bool is_due(std::int64_t done) override { return checkpoints_.is_due(done); }
  void pass() override { checkpoints_.pass(); }
  void save(const numerics::solver_state& state) override { checkpoints_.save(with_paths(state)); }
  void finish(const numerics::solver_state& state) override { checkpoints_.finish(with_paths(state)); }

 private:
  numerics::solver_state with_paths(const numerics::solver_state& state) const;
  numerics::checkpointer& checkpoints_;
  flow_paths& paths_;
};

/// Create a painter that displays the field of picture.shows. Colours represent speeds from 0 to the highest speed in all
/// previous frames and the present frame. For steady flow, the result is null, because the solver of steady flow has no
/// intermediate states.
/// @param part model; borrowed
std::unique_ptr<frame_painter> paint_speeds(const spec& job, const local_model& part);

}  // namespace osteon::physics
