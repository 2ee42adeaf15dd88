#include <osteon/physics/thermo_elasticity/flow_stress.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/base/counted.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/flow/keys/flow_fields.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/stages/run_flow_through.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/physics/thermo_elasticity/entry.hpp>
#include <osteon/physics/thermo_elasticity/thermal_stress.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr material_number first_solid = 2;  // number of the first solid material; material 1 is the fluid

// The voxels of the solid as runs.
voxel::run_set solid_cells(const local_model& part) {
  std::vector<voxel::run> runs;
  for (const voxel::run& r : part.cells.runs())
    for (std::int32_t from = 0; from < r.length; ++from) {
      const auto is_solid = [&](std::int32_t n) { return part.material[at(r.first + n)] >= first_solid; };
      if (!is_solid(from)) continue;
      std::int32_t to = from + 1;
      while (to < r.length && is_solid(to)) ++to;
      runs.push_back({r.z, r.y, r.x + from, to - from, 0});
      from = to;
    }
  return {part.cells.shape(), std::move(runs)};
}

// The largest face-connected part. @collective
voxel::run_set largest_part(const grid::block& where, const voxel::run_set& cells, log_sink& log) {
  const numerics::numbered_parts parts = numerics::number_flow_parts(where, cells);
  if (parts.count < 2) return cells;
  std::vector<std::int64_t> voxels(at(parts.count));
  const auto runs = cells.runs();
  for (std::size_t n = 0; n < runs.size(); ++n) voxels[at(parts.of_run[n])] += runs[n].length;
  comm::all_reduce(where.comm, voxels.data(), parts.count, MPI_SUM);
  const auto largest = std::max_element(voxels.begin(), voxels.end());
  std::int64_t others = -*largest;
  for (const std::int64_t n : voxels) others += n;
  log.note(fmt::format("{} of the solid in {} carry no stress: not connected by faces to the largest part",
                       counted(others, "voxel"), counted(parts.count - 1, "island")));
  std::vector<voxel::run> kept;
  for (std::size_t n = 0; n < runs.size(); ++n)
    if (parts.of_run[n] == largest - voxels.begin()) kept.push_back(runs[n]);
  return {cells.shape(), std::move(kept)};
}

// Return the solid part of the model. The first material of this part is the void. The materials of the job follow the void
// in their order.
// @collective
std::shared_ptr<const local_model> solid_of(const spec& job, const local_model& part, log_sink& log) {
  const auto solid = std::make_shared<local_model>();
  comm::collectively(part.where.comm, [&] {
    solid->where = part.where;
    solid->header = part.header;
    solid->header.materials.erase(solid->header.materials.begin() + 1);
    solid->source_data = part.source_data;
    solid->cells = solid_cells(part);
  });
  if (keep_of(job) == kept_parts::largest) solid->cells = largest_part(part.where, solid->cells, log);
  comm::collectively(part.where.comm, [&] {
    for (const voxel::run& r : solid->cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n)
        solid->material.push_back(static_cast<material_number>(part.material[at(part.cells.find(r.z, r.y, r.x) + n)] - 1));
  });
  const std::int64_t count = comm::sum_over_ranks(part.where.comm, solid->cells.size());
  if (count == 0) throw data_error("the image contains no solid voxel; change the threshold or the labels");
  return solid;
}

std::vector<double> on_solid(const local_model& part, const voxel::run_set& solid, const std::vector<double>& all) {
  std::vector<double> values;
  values.reserve(at(solid.size()));
  for (const voxel::run& r : solid.runs()) {
    const auto first = all.begin() + part.cells.find(r.z, r.y, r.x);
    values.insert(values.end(), first, first + r.length);
  }
  return values;
}

// Let a field own a model together with other owners. Shared ownership is necessary, because the planes of the field borrow
// the model.
result_field kept_with(result_field field, std::shared_ptr<const local_model> model) {
  return {field.info, [begin = std::move(field.begin), model = std::move(model)]() -> io::plane_source<float> {
            return [model, planes = begin()](std::int64_t first, std::int64_t count, std::span<float> dense) {
              planes(first, count, dense);
            };
          }};
}

numerics::options options_of_flow(const spec& stage, numerics::options options) {
  options.tolerance = tolerance_of(stage);
  return options;
}

}  // namespace

bool has_flow_stage(const spec& job) { return &physics_of(job) == &thermo_elasticity() && job.groups.has<flow_keys>(); }

spec flow_stage_of(const spec& job) {
  spec stage = job;
  stage.physics = "flow";
  stage.groups.of<flow_keys>().heat = true;
  stage.load = {};
  stage.load.axis = job.load.axis;
  stage.load.test = name_of(flow_test::flow);
  stage.groups.of<mechanical_keys>() = {};
  stage.picture.field.reset();
  // the picture displays the stress; if the flow does not converge, the picture displays the speed
  stage.picture.streamlines = 0;
  return stage;
}

void check_flow_stage(const spec& job, std::vector<problem>& problems) {
  find_physics("flow")->check(flow_stage_of(job), problems);
  const condition_keys nothing, &given = job.groups.of<condition_keys>();
  if (given.low_K != nothing.low_K || given.high_K != nothing.high_K)
    problems.push_back(
        {"load.low_K", "conflicts with [flow], which determines the temperatures; remove load.low_K and load.high_K"});
  if (job.picture.every > 0)
    problems.push_back({"picture.every", "not available with [flow], whose stages have no frames; remove the key"});
  if (!job.groups.of<flow_keys>().multiples.empty())
    problems.push_back(
        {"flow.multiples", "not available for physics = \"thermo_elasticity\", which uses a single flow; remove the key"});
}

physics_result run_flow_stress(const spec& job, const local_model& part, const numerics::options& options, log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  const std::shared_ptr<const local_model> solid = solid_of(job, part, log);
  const auto problem = make_problem(*solid);
  const std::optional<measure> plates = add_thermal_supports(job, *solid, *problem);
  const spec stage = flow_stage_of(job);
  std::vector<double> temperature_K;
  physics_result result = run_flow_through(stage, part, options_of_flow(stage, options), log, &temperature_K);
  if (result.missed()) return result;

  result.stopped_at.clear();
  result.is_fluid = false;
  result.answers["flow_certificate"] = certificate_of_stage(result.certificate);
  std::vector<double> of_solid;
  comm::collectively(comm, [&] { of_solid = on_solid(part, solid->cells, temperature_K); });
  const derived_fields state = add_thermal_stress(result, job, *solid, problem, plates, std::move(of_solid), options, log);
  json& load = result.answers["load"];
  load["test"] = name_of(plates ? thermo_elastic_test::axial_bonded : thermo_elastic_test::free_expansion);
  load["reference_K"] = *job.groups.of<thermo_elastic_keys>().reference_K;
  if (plates) {
    load["strain"] = job.groups.of<mechanical_keys>().drive.strain.value_or(0);
    load["displacement_mm"] = plates->amount;
  }
  if (auto table = by_material(*solid, state); !table.is_null()) {
    // the value is the number in the field `material`
    for (json& row : table) row["material"] = row["material"].get<int>() + 1;
    result.answers["by_material"] = std::move(table);
  }
  show(result, job, *solid, state);
  comm::collectively(comm, [&] { result.shown = spread_over(part, solid->cells, std::vector<float>(*result.shown), 1); });
  for (result_field& field : elastic_fields(*solid, fields_of_job(job), state))
    result.fields.push_back(kept_with(std::move(field), solid));
  return result;
}

void check_flow_stress_on(const spec& job, const local_model& part, log_sink& log) {
  const std::shared_ptr<const local_model> solid = solid_of(job, part, log);
  add_thermal_supports(job, *solid, *make_problem(*solid));
  check_flow_through_on(flow_stage_of(job), part);
}

}  // namespace osteon::physics
