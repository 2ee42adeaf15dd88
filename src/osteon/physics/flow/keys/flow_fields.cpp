#include <osteon/physics/flow/keys/flow_fields.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/field_statistics.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

// Magnitude of the velocity in each voxel.
std::vector<float> speed_of(const std::vector<float>& velocity) {
  std::vector<float> speed(velocity.size() / 3);
  for (std::size_t i = 0; i < speed.size(); ++i)
    speed[i] = std::hypot(velocity[3 * i], velocity[3 * i + 1], velocity[3 * i + 2]);
  return speed;
}

// Fraction of voxels with a speed below a thousandth of the mean speed.
double still_share_of(MPI_Comm comm, const std::vector<float>& speed) {
  constexpr double hardly = 1e-3;
  std::array<double, 2> sums{0, static_cast<double>(speed.size())};
  for (const float s : speed) sums[0] += static_cast<double>(s);
  comm::all_reduce(comm, sums.data(), 2, MPI_SUM);
  const double limit = hardly * sums[0] / sums[1];
  std::int64_t resting =
      std::count_if(speed.begin(), speed.end(), [limit](float s) { return static_cast<double>(s) < limit; });
  comm::all_reduce(comm, &resting, 1, MPI_SUM);
  return static_cast<double>(resting) / sums[1];
}

// Ratio of the mean speed to the mean velocity along the axis.
double tortuosity_of(MPI_Comm comm, const std::vector<float>& speed, const std::vector<float>& velocity, axis along) {
  std::array<double, 2> sums{};
  for (std::size_t i = 0; i < speed.size(); ++i) {
    sums[0] += static_cast<double>(speed[i]);
    sums[1] += static_cast<double>(velocity[3 * i + static_cast<std::size_t>(along)]);
  }
  comm::all_reduce(comm, sums.data(), 2, MPI_SUM);
  return sums[0] / sums[1];
}

}  // namespace

std::vector<io::field_info> flow_field_infos() {
  return {{"velocity", "velocity of the fluid", "mm s-1", io::centring::cell, 3},
          {"speed", "speed of the fluid", "mm s-1", io::centring::cell, 1},
          {"pressure", "pressure of the fluid", "Pa", io::centring::cell, 1}};
}

io::field_info wall_shear_info() {
  return {"wall_shear_stress", "shear stress on the walls of a voxel", "Pa", io::centring::cell, 1};
}

shown_field shown_of(const physics_result& r) {
  return {r.shown, r.shown_name, r.shown_title, r.shown_units, r.shown_low, r.shown_high, r.lines_show_field};
}

void show(physics_result& r, const shown_field& field) {
  r.shown = field.values;
  r.shown_name = field.name;
  r.shown_title = field.title;
  r.shown_units = field.units;
  r.shown_low = field.low;
  r.shown_high = field.high;
  r.lines_show_field = field.lines_show_field;
}

cell_values spread_over(const local_model& part, const voxel::run_set& fluid, std::vector<float> values,
                        std::int64_t components) {
  if (fluid.size() == part.cells.size()) return share(std::move(values));
  std::vector<float> all(static_cast<std::size_t>(components * part.cells.size()), std::numeric_limits<float>::quiet_NaN());
  for (const voxel::run& r : fluid.runs())
    std::copy_n(values.begin() + components * r.first, components * r.length,
                all.begin() + components * part.cells.find(r.z, r.y, r.x));
  return share(std::move(all));
}

void show_flow(physics_result& result, const spec& job, const local_model& part, const voxel::run_set& fluid,
               std::vector<float> velocity_mm_per_s, std::vector<float> pressure_Pa, std::optional<axis> straight) {
  const MPI_Comm comm = part.where.comm;
  std::vector<float> speeds;
  comm::collectively(comm, [&] { speeds = speed_of(velocity_mm_per_s); });
  const auto statistics = numerics::statistics(comm, speeds);
  if (straight) {
    result.answers["hydraulic_tortuosity"] = tortuosity_of(comm, speeds, velocity_mm_per_s, *straight);
    result.answers["still_share"] = still_share_of(comm, speeds);
  }
  cell_values velocity, speed, pressure;
  comm::collectively(comm, [&] {
    speed = spread_over(part, fluid, std::move(speeds), 1);
    velocity = spread_over(part, fluid, std::move(velocity_mm_per_s), 3);
    pressure = spread_over(part, fluid, std::move(pressure_Pa), 1);
  });
  if (job.picture.enabled) result.shown = speed;
  result.shown_name = "speed";
  result.shown_title = "speed of the fluid";
  result.shown_units = "mm s-1";
  result.shown_low = 0;
  result.shown_high = statistics.p99;
  result.is_fluid = true;
  if (job.picture.enabled && statistics.max > 0 && job.picture.streamlines.value_or(1) > 0) result.lines_of = velocity;
  const std::vector<io::field_info> infos = flow_field_infos();
  result.fields = {{infos[0], [&part, velocity] { return vector_planes(part, velocity); }},
                   {infos[1], [&part, speed] { return cell_planes(part, speed); }},
                   {infos[2], [&part, pressure] { return cell_planes(part, pressure); }}};
}

}  // namespace osteon::physics
