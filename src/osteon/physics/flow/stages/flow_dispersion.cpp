#include <osteon/physics/flow/stages/flow_dispersion.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/solver/dispersion/dispersion.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr double mm2_per_m2 = 1e6;

json rows_of(const std::array<std::array<double, 3>, 3>& tensor, double unit) {
  json rows = json::array();
  for (const auto& row : tensor) rows.push_back({unit * row[0], unit * row[1], unit * row[2]});
  return rows;
}

}  // namespace

void add_dispersion(physics_result& result, const spec& job, const flow_problem& problem, const flow_solution& flow,
                    const numerics::options& how, log_sink& log) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const flow_direction& along = flow.directions.front();
  if (!along.percolates || !along.certificate.converged) return;
  dispersion_problem carried;
  carried.where = problem.where;
  carried.spacing_mm = problem.spacing_mm;
  carried.cells = problem.cells;
  carried.along = along.along;
  carried.is_mirrored = problem.surroundings == flow_surroundings::mirrored;
  carried.face_velocity_mm_per_s = along.face_velocity_mm_per_s;
  carried.peclet_numbers = f.peclet_numbers;
  carried.length_mm = f.peclet_length_mm.value_or(flow.hydraulic_diameter_mm);
  const double diffusivity_mm2_per_s = mm2_per_m2 * f.diffusivity_m2_per_s.value_or(0);
  if (carried.peclet_numbers.empty())
    carried.peclet_numbers = {along.mean_velocity_mm_per_s * carried.length_mm / diffusivity_mm2_per_s};
  numerics::options exact = how;
  exact.tolerance = std::min(how.tolerance, 1e-6);  // that of a permeability may be coarser
  const dispersion_solution found = solve_dispersion(carried, exact, log);

  const auto axis = static_cast<std::size_t>(along.along), one = (axis + 1) % 3, two = (axis + 2) % 3;
  json& answers = result.answers;
  answers["peclet_length_mm"] = carried.length_mm;
  answers["flux_correction"] = along.faces_change;
  answers["dispersion"] = json::array();
  std::vector<numerics::solve_certificate> certificates;
  for (const dispersion_tensor& t : found.tensors) {
    const auto& d = t.over_diffusivity;
    json entry = {{"peclet_number", t.peclet_number},
                  {"longitudinal", d[axis][axis]},
                  {"transverse", (d[one][one] + d[two][two]) / 2},
                  {"tensor", rows_of(d, 1)},
                  {"cell_peclet_number", t.cell_peclet_number},
                  {"iterations", t.certificate.iterations},
                  {"energy_identity_error", t.certificate.energy_identity_error}};
    if (f.diffusivity_m2_per_s) {
      entry["mean_velocity_mm_per_s"] = t.peclet_number * diffusivity_mm2_per_s / carried.length_mm;
      entry["tensor_m2_per_s"] = rows_of(d, *f.diffusivity_m2_per_s);
    }
    answers["dispersion"].push_back(entry);
    certificates.push_back(t.certificate);
  }
  const json& last = answers["dispersion"].back();
  for (const char* key : {"peclet_number", "cell_peclet_number"}) answers[key] = last[key];
  answers["longitudinal_dispersion"] = last["longitudinal"];
  answers["transverse_dispersion"] = last["transverse"];
  if (f.diffusivity_m2_per_s)
    answers["longitudinal_dispersion_m2_per_s"] = *f.diffusivity_m2_per_s * last["longitudinal"].get<double>();
  result.earlier_proof = numerics::joint_certificate(certificates);
  if (!result.earlier_proof->converged)
    result.stopped_at = fmt::format(
        "a residual of {:.2e} of the dispersion at Peclet number {:.3g} (of a voxel: {:.3g}); "
        "smaller voxels or lower Peclet numbers converge",
        result.earlier_proof->true_relative_residual, found.tensors.back().peclet_number,
        found.tensors.back().cell_peclet_number);
  constexpr double coarse = 10;
  if (found.tensors.back().cell_peclet_number > coarse)
    log.warn(
        fmt::format("the Peclet number of a voxel reaches {:.3g}: layers at walls and behind grains are thinner than a "
                    "voxel, and their dispersion is that of the voxels; compare with a finer image",
                    found.tensors.back().cell_peclet_number));
}

}  // namespace osteon::physics
