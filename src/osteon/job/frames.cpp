#include <osteon/job/frames.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/job/draw.hpp>
#include <osteon/job/elastic_output.hpp>
#include <osteon/job/supported.hpp>
#include <regex>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// What solver temperatures are relative to, where a job says it plainly.
std::optional<double> zero_K(const spec& job, const solve::solver_state& state) {
  if (state.solver == "steps") return job.transient->initial_K;
  if (job.physics == "heat" && heat_test(job) == "conduction") return std::min(job.load.low_K, job.load.high_K);
  return std::nullopt;
}

}  // namespace

frame_maker::frame_maker(const spec& job, const specimen& part, solve::state_keeper& checkpoints, bool goes_on, sink& log)
    : job_(job),
      part_(part),
      checkpoints_(checkpoints),
      log_(log),
      low_K_(std::numeric_limits<double>::infinity()),
      high_K_(-low_K_) {
  if (goes_on || comm::rank(part.where.comm) != 0) return;
  const std::regex ours("frame_([0-9]+_)?[0-9]{6,}\\.png");
  std::error_code ignored;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(job.output_directory, ignored))
    if (std::regex_match(entry.path().filename().string(), ours)) old.push_back(entry.path());
  for (const fs::path& path : old) fs::remove(path, ignored);
}

solve::state_keeper::found frame_maker::begin() {
  ++solve_;
  return checkpoints_.begin();
}

bool frame_maker::is_due(std::int64_t done) {
  done_ = done;
  is_to_keep_ = checkpoints_.is_due(done);
  is_to_draw_ = job_.picture.every > 0 && done % job_.picture.every == 0;
  return is_to_keep_ || is_to_draw_;
}

void frame_maker::save(const solve::solver_state& state) {
  if (is_to_draw_) draw(state);
  if (is_to_keep_) checkpoints_.save(state);
}

void frame_maker::draw(const solve::solver_state& state) {
  if (state.are_nodes && job_.physics != "elasticity") return;  // the stress of a warm body is not in its state
  const stopwatch clock;
  physics_result result;
  if (state.are_nodes)
    show_elastic(result, state);
  else
    show_temperature(result, state);
  if (!(result.shown_low < result.shown_high)) return;
  const std::string which = solve_ > 1 ? fmt::format("{}_", solve_) : "";
  const fs::path path = fs::path(job_.output_directory) / fmt::format("frame_{}{:06}.png", which, done_);
  try {
    draw_picture(path.string(), job_, part_, result,
                 fmt::format("{}: {} {}", job_.name, state.solver == "steps" ? "step" : "iteration", done_));
    log_.note(fmt::format("{}: {:.2f} s", path.string(), clock.seconds()));
  } catch (const error& e) {
    log_.warn(fmt::format("no frame: {}", e.what()));  // the answer is worth more, whatever it was
  }
}

void frame_maker::show_elastic(physics_result& result, const solve::solver_state& state) {
  if (!elastic_) elastic_ = make_problem(part_);
  elastic_state now;
  comm::together(part_.where.comm, [&] {
    const grid::point_vector& u = state.vectors.front();
    const auto values = std::get<std::span<double>>(u.values);
    const auto nodes = static_cast<std::size_t>(state.points->size());
    std::vector<double> by_nodes(3 * nodes);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < nodes; ++i)
        by_nodes[3 * i + c] = values[c * static_cast<std::size_t>(u.layout.component_stride) +
                                     i * static_cast<std::size_t>(u.layout.node_stride)];
    now = read_off(elastic_, std::move(by_nodes));
  });
  show(result, part_, job_.picture.field.value_or("sed"), now);
}

void frame_maker::show_temperature(physics_result& result, const solve::solver_state& state) {
  const MPI_Comm comm = part_.where.comm;
  const auto zero = zero_K(job_, state);
  double ends[2] = {low_K_, -high_K_};
  comm::together(comm, [&] {
    // Cells whose temperature the solver does not have to find are left out: they are not drawn.
    std::vector<float> values(static_cast<std::size_t>(part_.cells.size()), std::numeric_limits<float>::quiet_NaN());
    const auto known = std::get<std::span<double>>(state.vectors.front().values);
    auto own = part_.cells.runs().begin();
    for (const voxel::run& r : state.points->runs()) {
      // The solver's runs are parts of the specimen's, in the same order.
      while (own->z != r.z || own->y != r.y || own->x + own->length <= r.x) ++own;
      for (std::int32_t i = 0; i < r.length; ++i) {
        const double value = known[static_cast<std::size_t>(r.first + i)] + zero.value_or(0);
        values[static_cast<std::size_t>(own->first + r.x - own->x + i)] = static_cast<float>(value);
        ends[0] = std::min(ends[0], value);
        ends[1] = std::min(ends[1], -value);
      }
    }
    result.shown = share(std::move(values));
  });
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MIN, comm);
  result.shown_low = low_K_ = ends[0];
  result.shown_high = high_K_ = -ends[1];
  result.shown_name = zero ? "temperature" : "relative temperature";
  result.shown_units = "K";
}

}  // namespace osteon::job
