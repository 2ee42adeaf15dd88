#include <osteon/physics/flow/pictures/flow_paths.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/vtp.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/physics/flow/keys/flow_fields.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

constexpr const char* saved_as = "pathlines";

render::vector_values dense_velocity(const local_model& part, const voxel::run_set& fluid, std::vector<float> velocity) {
  const auto voxels = at(part.where.owned.volume());
  std::vector<float> all(3 * voxels);
  cell_planes(part, spread_over(part, fluid, std::move(velocity), 3), 3)(0, part.where.owned.shape().z, all);
  render::vector_values field;
  for (std::size_t c = 0; c < 3; ++c) {
    field[c].resize(voxels);
    for (std::size_t i = 0; i < voxels; ++i) field[c][i] = all[3 * i + c];
  }
  return field;
}

}  // namespace

flow_paths::flow_paths(const spec& job, const local_model& part, const through_problem& problem)
    : job_(job),
      part_(part),
      problem_(problem),
      particles_(part.where, part.header.spacing_mm, job.picture.pathlines,
                 *job.groups.of<condition_keys>().transient->end_s) {
  const grid::block& where = part.where;
  for (const bool in_openings : {true, false}) {
    for (const voxel::run& r : problem.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const index3 p = where.owned.begin + index3{r.z, r.y, r.x + n};
        const std::int64_t name = (p.z * where.domain.y + p.y) * where.domain.x + p.x;
        const vector3 middle{static_cast<double>(p.z) + 0.5, static_cast<double>(p.y) + 0.5, static_cast<double>(p.x) + 0.5};
        if (!in_openings) {
          points_.push_back({middle, {0.5, 0.5, 0.5}, 0, 6 * name});
          opening_.push_back({r.first + n, -1});
          continue;
        }
        for (int side = 0; side < 6; ++side) {
          if (p[side / 2] != (side % 2 == 0 ? 0 : where.domain[side / 2] - 1)) continue;
          const int b = boundary_at(problem, p, side);
          if (b < 0 || !(problem.boundaries[at(b)].gives_velocity() || problem.boundaries[at(b)].gives_pressure())) continue;
          render::release_point point{middle, {0.5, 0.5, 0.5}, 0, 6 * name + side};
          point.at[side / 2] += side % 2 == 0 ? -0.5 : 0.5;
          point.spread[side / 2] = 0;
          points_.push_back(point);
          opening_.push_back({r.first + n, side});
        }
      }
    // If there are no openings, for example under a sliding lid, particles start at any position.
    int has_some = points_.empty() ? 0 : 1;
    comm::all_reduce(where.comm, &has_some, 1, MPI_MAX);
    if (has_some != 0) break;
  }
}

void flow_paths::follow(double time_s, const through_solution& fields) {
  render::vector_values field;
  comm::collectively(part_.where.comm, [&] { field = dense_velocity(part_, problem_.cells, fields.velocity_mm_per_s); });
  if (!has_begun_) {
    has_begun_ = true;
    particles_.begin(time_s, field);
    return;
  }
  const vector3 h = part_.header.spacing_mm;
  for (std::size_t n = 0; n < points_.size(); ++n) {
    const float* const u = fields.velocity_mm_per_s.data() + 3 * std::ptrdiff_t{opening_[n].cell};
    const int side = opening_[n].side;
    if (side < 0) {
      points_[n].weight = static_cast<double>(std::hypot(u[0], u[1], u[2]));
      continue;
    }
    const double inwards = static_cast<double>(u[side / 2]) * (side % 2 == 0 ? 1 : -1);
    points_[n].weight = std::max(0.0, inwards / h[side / 2]);
  }
  particles_.advance(time_s, field, points_);
}

void flow_paths::finish(physics_result& result, log_sink& log) const {
  const MPI_Comm comm = part_.where.comm;
  const render::streamlines paths = particles_.paths();
  const output_paths files(job_);
  const std::string path = (std::filesystem::path(files.directory) / "pathlines.vtp").string();
  const vector3 h = part_.header.spacing_mm;
  double longest = 0;
  for (std::size_t i = 0; i < paths.count(); ++i) longest = std::max(longest, paths.length(i, h));
  std::int64_t through = 0;
  for (std::size_t i = 0; i < paths.count(); ++i) {
    const vector3 end = paths.line(i).back().at;
    bool left = false;
    for (int a = 0; a < 3; ++a) left = left || end[a] < 1e-6 || end[a] > static_cast<double>(part_.where.domain[a]) - 1e-6;
    through += left;
  }
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    io::polylines out;
    out.first.assign(paths.first.begin(), paths.first.end());
    std::vector<double> speed, time;
    for (const render::line_vertex& v : paths.vertices) {
      out.points.push_back({v.at.x * h.x, v.at.y * h.y, v.at.z * h.z});
      speed.push_back(v.speed);
      time.push_back(v.time);
    }
    out.values = {{"speed", std::move(speed)}, {"time", std::move(time)}};
    std::filesystem::create_directories(files.directory);
    io::write_vtp(path, out);
  });
  result.answers["pathlines"] = {{"file", path},           {"particles", job_.picture.pathlines},
                                 {"lines", paths.count()}, {"vertices", paths.vertices.size()},
                                 {"longest_mm", longest},  {"through", through}};
  log.note(fmt::format("{}: paths of {} particles, length up to {:.3g} mm; {} particles left the image", path, paths.count(),
                       longest, through));
  if (paths.count() == 0) {
    log.warn("no pathlines: all particles are at rest; increase the end time or the inflow");
    return;
  }
  result.paths_low = result.shown_low;
  result.paths_high = result.shown_high;
  result.paths = std::make_shared<const render::streamlines>(paths);
}

numerics::solver_state path_checkpointer::with_paths(const numerics::solver_state& state) const {
  numerics::solver_state more = state;
  more.numbers[saved_as] = paths_.particles().saved();
  return more;
}

void path_checkpointer::restore(numerics::solver_state& state) {
  checkpoints_.restore(state);
  const auto saved = state.numbers.find(saved_as);
  if (saved == state.numbers.end()) return;  // the earlier run had no particles; particles are released from now on
  try {
    paths_.particles().restore(saved->second);
  } catch (const data_error& e) {
    throw data_error(fmt::format("{}; restore picture.pathlines or start without --resume", e.what()));
  }
  state.numbers.erase(saved);
}

}  // namespace osteon::physics
