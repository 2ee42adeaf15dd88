#include <osteon/physics/flow/solver/transport/residence_time.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/percentile.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <string>

namespace osteon::physics {

namespace {

constexpr double stagnant_times = 3;  // fluid older than this multiple of the mean residence time is stagnant

// Converts messages of the temperature solver to messages about ages.
class age_log final : public log_sink {
 public:
  explicit age_log(log_sink& to) : to_(to) {}
  void note(std::string_view text) override { to_.note(text); }
  void warn(std::string_view text) override { to_.warn(text); }
  void stage(std::string_view text) override { to_.stage(text); }
  void progress(double fraction, std::string_view detail) override {
    constexpr std::string_view other = "temperature";
    to_.progress(fraction, detail.starts_with(other) ? "residence time" + std::string(detail.substr(other.size()))
                                                     : std::string(detail));
  }

 private:
  log_sink& to_;
};

// Call f(cell, out) for each face of a fluid voxel with flow in the faces of the image. @param out outflow [mm3/s]; negative
// for inflow
template <class F>
void visit_openings(const grid::block& where, const vector3& h, const voxel::run_set& fluid,
                    const std::vector<double>& face_velocity_mm_per_s, const F& f) {
  for (const voxel::run& r : fluid.runs())
    for (std::int32_t n = 0; n < r.length; ++n) {
      const index3 p = where.owned.begin + index3{r.z, r.y, r.x + n};
      for (int side = 0; side < 6; ++side) {
        const int a = side / 2;
        if (p[a] != (side % 2 == 0 ? 0 : where.domain[a] - 1)) continue;
        const double u = face_velocity_mm_per_s[6 * at(r.first + n) + at(side)];
        if (u != 0) f(r.first + n, (side % 2 == 0 ? -u : u) * h.z * h.y * h.x / h[a]);
      }
    }
}

// The parts of the fluid that have inflow.
std::vector<voxel::run> renewed_runs(const residence_problem& problem) {
  const numbered_parts parts = number_flow_parts(problem.where, problem.fluid);
  const auto runs = problem.fluid.runs();
  std::vector<std::int32_t> part_of(at(problem.fluid.size()));
  for (std::size_t n = 0; n < runs.size(); ++n)
    std::fill_n(part_of.begin() + runs[n].first, runs[n].length, parts.of_run[n]);
  std::vector<unsigned char> is_renewed(at(parts.count));
  visit_openings(problem.where, problem.spacing_mm, problem.fluid, problem.face_velocity_mm_per_s,
                 [&](std::int32_t cell, double out) {
                   if (out < 0) is_renewed[at(part_of[at(cell)])] = 1;
                 });
  comm::all_reduce(problem.where.comm, is_renewed.data(), is_renewed.size(), MPI_BOR);
  std::vector<voxel::run> renewed;
  for (std::size_t n = 0; n < runs.size(); ++n)
    if (is_renewed[at(parts.of_run[n])] != 0) renewed.push_back(runs[n]);
  return renewed;
}

// The age is represented as the temperature of a fluid. This fluid has a heat capacity of 1 J/(mm3 K) and a source of 1
// W/mm3. One kelvin then represents one second.
temperature_problem as_temperature(const residence_problem& problem, std::vector<voxel::run> renewed) {
  temperature_problem t;
  t.where = problem.where;
  t.spacing_mm = problem.spacing_mm;
  t.cells = voxel::run_set(problem.fluid.shape(), std::move(renewed));
  t.fluid = t.cells;
  t.material.assign(at(t.cells.size()), 1);
  constexpr double per_m = 1000;  // factor of the unit W/(mm K)
  t.materials = {{"empty", 0, 0, 0}, {"fluid", 0, 0, per_m * problem.diffusivity_mm2_per_s}};
  t.source_W_per_mm3 = {0, 1};
  t.heat_capacity_J_per_mm3K = 1;
  t.openings = problem.openings;
  t.incoming_K.assign(t.openings.size(), 0.0);  // the age is 0 at every inflow
  t.conducts_through_openings = false;
  t.face_velocity_mm_per_s.reserve(6 * at(t.cells.size()));
  for (const voxel::run& r : t.cells.runs()) {
    const auto first = problem.face_velocity_mm_per_s.begin() + 6 * std::ptrdiff_t{problem.fluid.find(r.z, r.y, r.x)};
    t.face_velocity_mm_per_s.insert(t.face_velocity_mm_per_s.end(), first, first + 6 * std::ptrdiff_t{r.length});
  }
  return t;
}

// Outflow through one face of a voxel.
struct leaving {
  double age_s = 0, flow_mm3_per_s = 0;
};

std::vector<leaving> find_leaving(const temperature_problem& t, const std::vector<double>& age) {
  std::vector<leaving> own;
  visit_openings(t.where, t.spacing_mm, t.cells, t.face_velocity_mm_per_s, [&](std::int32_t cell, double out) {
    if (out > 0) own.push_back({age[at(cell)], out});
  });
  return own;
}

// Compute a distribution of ages. The function sorts `all`.
age_distribution distribution_of(std::vector<leaving>& all, double total) {
  age_distribution d;
  std::sort(all.begin(), all.end(), [](const leaving& a, const leaving& b) {
    return std::pair(a.age_s, a.flow_mm3_per_s) < std::pair(b.age_s, b.flow_mm3_per_s);
  });
  double passed = 0;
  bool has_median = false, has_p95 = false;
  for (const leaving& l : all) {
    passed += l.flow_mm3_per_s;
    d.mean += l.age_s * l.flow_mm3_per_s / total;
    if (!has_median && passed >= 0.5 * total) d.median = l.age_s, has_median = true;
    if (!has_p95 && passed >= 0.95 * total) d.p95 = l.age_s, has_p95 = true;
    d.high = l.age_s;
  }
  return d;
}

}  // namespace

residence_solution solve_residence_time(const residence_problem& problem, const options& solver_options, log_sink& log) {
  const MPI_Comm comm = problem.where.comm;
  comm::collectively(comm, [&] {
    if (!(problem.diffusivity_mm2_per_s > 0 && std::isfinite(problem.diffusivity_mm2_per_s)))
      throw usage_error(fmt::format("self-diffusivity {} mm2/s must be positive: only diffusion renews fluid at rest",
                                    problem.diffusivity_mm2_per_s));
    if (problem.face_velocity_mm_per_s.size() != 6 * at(problem.fluid.size()))
      throw usage_error(
          fmt::format("{} face velocities do not match {} fluid voxels; pass the face velocities of solve_flow_through",
                      problem.face_velocity_mm_per_s.size(), problem.fluid.size()));
  });
  std::vector<voxel::run> renewed = renewed_runs(problem);
  std::array<std::int64_t, 2> voxels{problem.fluid.size(), 0};
  for (const voxel::run& r : renewed) voxels[1] += r.length;
  comm::all_reduce(comm, voxels.data(), 2, MPI_SUM);
  comm::collectively(comm, [&] {
    if (voxels[1] == 0)
      throw usage_error("the residence time is undefined: no fluid flows in; add openings, or omit the residence time");
  });
  temperature_problem t;
  comm::collectively(comm, [&] { t = as_temperature(problem, std::move(renewed)); });
  age_log residence_log(log);
  const temperature_solution ages = solve_flow_temperature(t, solver_options, residence_log);

  residence_solution all;
  all.certificate = ages.certificate;
  const vector3 h = problem.spacing_mm;
  const double voxel_mm3 = h.z * h.y * h.x;
  all.volume_mm3 = voxel_mm3 * static_cast<double>(voxels[1]);
  std::vector<leaving> out = comm::gather_to_all(comm, find_leaving(t, ages.temperature_K)).values;
  for (const leaving& l : out) all.outflow_mm3_per_s += l.flow_mm3_per_s;
  all.leaving = distribution_of(out, all.outflow_mm3_per_s);

  all.age_s.assign(at(problem.fluid.size()), std::numeric_limits<float>::quiet_NaN());
  std::vector<float> own(ages.temperature_K.begin(), ages.temperature_K.end());
  for (const voxel::run& r : t.cells.runs())
    std::copy_n(own.begin() + r.first, r.length, all.age_s.begin() + problem.fluid.find(r.z, r.y, r.x));
  const std::array fractions{0.5, 0.95};
  const std::vector<float> at_fraction = comm::percentiles(comm, own, fractions);
  all.inside = {ages.mean_K, static_cast<double>(at_fraction[0]), static_cast<double>(at_fraction[1]), ages.high_K};
  const double limit = stagnant_times * all.volume_mm3 / all.outflow_mm3_per_s;
  std::int64_t old = 0;
  for (const float a : own) old += static_cast<double>(a) > limit;
  comm::all_reduce(comm, &old, 1, MPI_SUM);
  all.stagnant_share = static_cast<double>(old + voxels[0] - voxels[1]) / static_cast<double>(voxels[0]);
  return all;
}

}  // namespace osteon::physics
