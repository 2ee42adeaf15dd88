#include <osteon/physics/flow/pictures/flow_paths.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/outputs/cut_picture.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/keys/fluid_of.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/render/rays/pathlines.hpp>

namespace osteon::physics {

namespace {

constexpr double tail = 0.125;  // time span of the displayed tails of particles, as a fraction of the duration of the job

class flow_painter final : public frame_painter {
 public:
  flow_painter(const spec& job, const local_model& part)
      : job_(job), part_(part), shows_(job.picture.shows.value_or(job.picture.pathlines > 0 ? "pathlines" : "speed")) {}

  bool show(physics_result& result, const numerics::solver_state& state) override {
    std::array<std::span<float>, 3> own;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto found = std::find_if(state.vectors.begin(), state.vectors.end(), [&](const grid::point_vector& v) {
        return v.name == std::string("centre_velocity_") + "zyx"[c];
      });
      if (found == state.vectors.end()) return false;
      own[c] = std::get<std::span<float>>(found->values);
    }
    const MPI_Comm comm = part_.where.comm;
    cell_values velocity;
    comm::collectively(comm, [&] {
      // In fluid without a connection to an opening, the velocity is zero.
      std::vector<float> values(3 * at(part_.cells.size()), 0), speed(at(part_.cells.size()), 0);
      for (const voxel::run& r : part_.cells.runs()) {
        const std::int64_t first = state.points->find(r.z, r.y, r.x);
        if (first < 0) continue;
        for (std::int32_t n = 0; n < r.length; ++n) {
          const std::size_t to = at(r.first + n), from = at(first + n);
          for (std::size_t c = 0; c < 3; ++c) values[3 * to + c] = own[c][from];
          speed[to] = std::hypot(own[0][from], own[1][from], own[2][from]);
          highest_ = std::max(highest_, static_cast<double>(speed[to]));
        }
      }
      velocity = share(std::move(values));
      result.shown = share(std::move(speed));
    });
    const auto ends = state.numbers.find("given_temperatures");
    const bool is_warm = ends != state.numbers.end() &&
                         shown_field_of_flow(job_).value_or(flow_field::temperature) == flow_field::temperature &&
                         !job_.picture.shows && job_.picture.pathlines == 0;
    comm::all_reduce(comm, &highest_, 1, MPI_MAX);
    result.shown_low = 0;
    result.shown_high = highest_;
    result.shown_name = "speed";
    result.shown_units = "mm s-1";
    result.is_fluid = true;
    if (is_warm) return show_temperature(result, state, ends->second);
    if (shows_ == "streamlines") result.lines_of = velocity;
    if (shows_ == "cut") cut(result, velocity);
    if (shows_ == "pathlines" && state.numbers.contains("pathlines")) {
      const double now_s = state.numbers.at("time").at(0);
      const auto paths = render::pathlines::paths_in(state.numbers.at("pathlines"),
                                                     now_s - tail * *job_.groups.of<condition_keys>().transient->end_s);
      result.paths_high = highest_;
      result.paths = std::make_shared<const render::streamlines>(paths);
    }
    return true;
  }

  std::vector<double> remembered() const override {
    return highest_ > 0 ? std::vector<double>{highest_} : std::vector<double>();
  }
  void recall(const std::vector<double>& numbers) override { highest_ = numbers.empty() ? 0 : numbers.front(); }

 private:
  // Display the temperature of the fluid. The colour range is the range of the prescribed temperatures. The solid is drawn
  // as the complement of the fluid.
  bool show_temperature(physics_result& result, const numerics::solver_state& state, const std::vector<double>& ends) const {
    const auto found = std::find_if(state.vectors.begin(), state.vectors.end(),
                                    [](const grid::point_vector& v) { return v.name == "temperature"; });
    if (found == state.vectors.end()) return false;
    const auto above = std::get<std::span<double>>(found->values);
    const voxel::run_set fluid = fluid_of(job_, part_);
    comm::collectively(part_.where.comm, [&] {
      std::vector<float> values(at(part_.cells.size()), std::numeric_limits<float>::quiet_NaN());
      for (const voxel::run& r : fluid.runs()) {
        const std::size_t to = at(part_.cells.find(r.z, r.y, r.x)), from = at(state.points->find(r.z, r.y, r.x));
        for (std::size_t n = 0; n < at(r.length); ++n) values[to + n] = static_cast<float>(ends[0] + above[from + n]);
      }
      result.shown = share(std::move(values));
    });
    result.shown_low = ends[0];
    result.shown_high = ends[1];
    result.shown_name = "temperature";
    result.shown_units = "K";
    return true;
  }

  // Add a cut through the middle of the image along the axis of the job.
  void cut(physics_result& result, const cell_values& velocity) const {
    const int normal = job_.load.axis == axis::y ? 2 : 1;
    const cut_source of = cut_source_of(part_, velocity, normal, part_.where.domain[normal] / 2);
    result.draw_custom = [this, of, normal](const std::string& path, const std::string& title, log_sink& log) {
      cut_request request;
      request.normal = normal;
      request.map = colour_map_of(job_);
      request.low = 0;
      request.high = highest_;
      request.width = static_cast<int>(job_.picture.width);
      request.height = static_cast<int>(job_.picture.height);
      request.title = title;
      request.output = path;
      draw_cut(part_.where.comm, request, of, log);
    };
  }

  const spec& job_;
  const local_model& part_;
  std::string shows_;
  double highest_ = 0;
};

}  // namespace

std::unique_ptr<frame_painter> paint_speeds(const spec& job, const local_model& part) {
  if (!job.groups.of<condition_keys>().transient) return nullptr;
  return std::make_unique<flow_painter>(job, part);
}

}  // namespace osteon::physics
