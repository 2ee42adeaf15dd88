#include <osteon/job/pipeline/frames.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/outputs/film.hpp>
#include <osteon/job/physics_result.hpp>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

constexpr const char* painter_saved_as = "frames";

// Number of steps of a state. If the solver has no steps, the result is the number of iterations.
std::int64_t done_in(const numerics::solver_state& state) {
  for (const char* name : {"steps", "iterations"})
    if (const auto found = state.numbers.find(name); found != state.numbers.end() && !found->second.empty())
      return static_cast<std::int64_t>(found->second.front());
  return 0;
}

}  // namespace

frame_checkpointer::frame_checkpointer(const spec& job, const local_model& part, numerics::checkpointer& checkpoints,
                                       bool is_resumed, log_sink& log)
    : job_(job), part_(part), checkpoints_(checkpoints), log_(log), painter_(physics_of(job).paint(job, part)) {
  if (!is_resumed && comm::rank(part.where.comm) == 0) remove_frames(job.output_directory);
  if (job.picture.every > 0 && !painter_)
    log.warn("no frames: picture.every applies to elasticity, failure, heat and transient flow; remove picture.every");
}

numerics::checkpointer::found frame_checkpointer::begin() {
  ++solve_;
  drawn_ = -1;
  const found there = checkpoints_.begin();
  is_solved_already_ = there == found::finished;
  return there;
}

bool frame_checkpointer::is_due(std::int64_t done) {
  done_ = done;
  is_to_keep_ = checkpoints_.is_due(done);
  is_to_draw_ = job_.picture.every > 0 && done % job_.picture.every == 0;
  return is_to_keep_ || is_to_draw_;
}

void frame_checkpointer::save(const numerics::solver_state& state) {
  if (is_to_draw_) draw(state);
  if (is_to_keep_) checkpoints_.save(with_painter(state));
}

void frame_checkpointer::finish(const numerics::solver_state& state) {
  draw_last(state);
  checkpoints_.finish(with_painter(state));
}

// The interval between frames rarely divides the number of steps. However, the last frame must show the answer.
void frame_checkpointer::draw_last(const numerics::solver_state& state) {
  if (job_.picture.every <= 0 || is_solved_already_) return;
  done_ = done_in(state);
  if (done_ != drawn_) draw(state);
}

numerics::solver_state frame_checkpointer::with_painter(const numerics::solver_state& state) const {
  numerics::solver_state more = state;
  if (painter_)
    if (std::vector<double> numbers = painter_->remembered(); !numbers.empty())
      more.numbers[painter_saved_as] = std::move(numbers);
  return more;
}

void frame_checkpointer::restore(numerics::solver_state& state) {
  checkpoints_.restore(state);
  const auto saved = state.numbers.find(painter_saved_as);
  if (saved == state.numbers.end()) return;  // the earlier run had no frames
  if (painter_) painter_->recall(saved->second);
  state.numbers.erase(saved);
}

void frame_checkpointer::draw(const numerics::solver_state& state) {
  const stopwatch clock;
  physics_result result;
  drawn_ = done_;
  if (!painter_ || !painter_->show(result, state)) return;
  const std::string moment = fmt::format("{} {}", state.numbers.contains("steps") ? "step" : "iteration", done_);
  if (!(result.shown_low < result.shown_high)) {
    log_.note(fmt::format("no frame of {}: the field '{}' is uniform", moment, result.shown_name));
    return;
  }
  const std::string which = solve_ > 1 ? fmt::format("{}_", solve_) : "";
  const fs::path path = fs::path(job_.output_directory) / fmt::format("frame_{}{:06}.png", which, done_);
  try {
    const std::string title = fmt::format("{}: {}", job_.name, moment);
    log_sink& log = is_logged_ ? null_log() : log_;
    if (result.draw_custom)
      result.draw_custom(path.string(), title, log);
    else
      draw_picture(path.string(), job_, part_, result, log, title, &compositor_);
    is_logged_ = true;
    log_.note(fmt::format("{}: {:.2f} s", path.string(), clock.seconds()));
  } catch (const error& e) {
    log_.warn(fmt::format("no frame: {}", e.what()));  // a failed frame must not end the job
  }
}

}  // namespace osteon::job
