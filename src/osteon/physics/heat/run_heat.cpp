#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <osteon/base/counted.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/outputs/step_files.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/numerics/field_statistics.hpp>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/physics/heat/check_heat.hpp>
#include <osteon/physics/heat/entry.hpp>
#include <osteon/physics/heat/heat_case.hpp>
#include <osteon/physics/heat/solver/heat_tensor.hpp>
#include <osteon/physics/heat/solver/heat_transient.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/physics/shared/show_scalar.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

// Number of voxels of each material in the phase. The number includes the parts that segment.keep = "percolating" has
// removed. The volume fraction of TauFactor also includes closed pores. If the model does not contain these numbers, or if
// segment.keep = "largest" defines the phase, the list is empty.
std::vector<std::int64_t> voxels_of_phase(const spec& job, const local_model& part) {
  if (keep_of(job) == kept_parts::largest) return {};
  const auto provenance = json_from_text<json>(part.header.provenance_json);
  if (provenance.is_discarded() || !provenance.contains("segmentation")) return {};
  const json& segmentation = provenance.at("segmentation");
  if (!segmentation.is_object() || !segmentation.contains("voxels_of_material")) return {};
  auto voxels = segmentation.at("voxels_of_material").get<std::vector<std::int64_t>>();
  if (voxels.size() != part.header.materials.size()) return {};
  return voxels;
}

// The phase in the box of the whole image. The members are the mean conductivity (with a conductivity of the void of 0) and
// the volume fraction. The mean conductivity equals the conductivity of straight paths.
struct phase_in_box {
  double conductivity_W_per_mK, share;
};

// @collective
phase_in_box mean_conductivity(const spec& job, const local_model& part, log_sink& log) {
  std::vector<std::int64_t> kept(part.header.materials.size(), 0), count;
  for (material_number m : part.material) ++kept[m];
  comm::all_reduce(part.where.comm, kept.data(), kept.size(), MPI_SUM);
  comm::collectively(part.where.comm, [&] { count = voxels_of_phase(job, part); });
  const std::int64_t all = std::accumulate(count.begin(), count.end(), std::int64_t{0}),
                     conducting = std::accumulate(kept.begin(), kept.end(), std::int64_t{0});
  if (all > conducting)
    log.note(
        fmt::format("tortuosity: the volume of the phase includes {} of removed parts, as in TauFactor; "
                    "segment.keep = \"largest\" includes the largest part only",
                    counted(all - conducting, "voxel")));
  if (count.empty()) count = std::move(kept);
  double sum = 0, voxels = 0;
  for (std::size_t m = 1; m < part.header.materials.size(); ++m) {
    sum += static_cast<double>(count[m]) * part.header.materials[m].conductivity_W_per_mK;
    voxels += static_cast<double>(count[m]);
  }
  const auto box = static_cast<double>(part.header.shape.volume());
  return {sum / box, voxels / box};
}

json by_face(const face_flows& flows, const std::string& between = "_") {
  json named;
  for (std::size_t a = 0; a < 3; ++a) {
    named[std::string(1, "zyx"[a]) + between + "low"] = flows[a][0];
    named[std::string(1, "zyx"[a]) + between + "high"] = flows[a][1];
  }
  return named;
}

// Names of faces such as z-low. Scripts that were written before version 0.2 use these names. Version 0.4 will remove these
// names.
json by_older_face(const face_flows& flows) { return by_face(flows, "-"); }

void add_periodic_faces(json& answers, const std::array<face_match, 3>& faces, const std::array<bool, 3>& periodic) {
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a])
      answers["periodic_faces"][std::string(1, "zyx"[a])] = {
          {"low_voxels", faces[a].low}, {"high_voxels", faces[a].high}, {"matching_voxels", faces[a].both}};
}

json describe_load(const spec& job, const local_model& part) {
  const heat_test test = test_of_heat(job);
  const condition_keys& given = job.groups.of<condition_keys>();
  json load = {{"test", name_of(test)}};
  const axis along = load_axis(job);
  if (test == heat_test::conduction)
    load.update({{"axis", job.load.axis.name()},
                 {"low_K", given.low_K},
                 {"high_K", given.high_K},
                 {"length_mm", length_mm(part.header, along)},
                 {"cross_section_mm2", cross_section_mm2(part.header, along)},
                 {"cross_section_definition", "box of the image"}});
  if (test == heat_test::conductivity_tensor) {
    const std::string condition = name_of(job.load.boundary_condition.value_or(outer_condition::periodic));
    load.update({{"boundary_condition", condition},
                 {"surroundings", condition}});  // name of the key before version 0.2; version 0.4 will remove this name
  }
  for (const boundary_spec& b : job.groups.of<condition_keys>().boundaries) {
    json face = {{"face", b.face}, {"kind", name_of(kind_of(b))}};
    if (b.temperature_K) face["temperature_K"] = *b.temperature_K;
    if (b.flux_W_per_m2) face["flux_W_per_m2"] = *b.flux_W_per_m2;
    if (b.transfer_W_per_m2K) face["transfer_W_per_m2K"] = *b.transfer_W_per_m2K;
    load["boundary"].push_back(face);
  }
  if (given.gradient_K_per_mm) load["gradient_K_per_mm"] = *given.gradient_K_per_mm;
  return load;
}

// Conditions on the faces, and heat flow through the faces, in the format of scene.json.
json faces_of_load(const json& answers) {
  const json& load = answers.at("load");
  json faces = json::array();
  if (load.at("test") == "conduction")
    for (const char* end : {"low", "high"})
      faces.push_back({{"face", load.at("axis").get<std::string>() + "_" + end},
                       {"kind", "temperature"},
                       {"temperature_K", load.at(std::string(end) + "_K")}});
  if (load.contains("boundary"))
    for (const json& face : load.at("boundary")) {
      faces.push_back(face);
      const std::string name = face.value("face", "");
      if (answers.contains("face_inflow_W") && answers["face_inflow_W"].contains(name))
        faces.back()["inflow_W"] = answers["face_inflow_W"][name];
    }
  return faces;
}

// Set the fields and the picture that all heat jobs have.
void show_heat(physics_result& result, const spec& job, const local_model& part, const numerics::heat_problem& problem,
               std::vector<double> exact) {
  cell_values temperature;
  comm::collectively(part.where.comm, [&] { temperature = share({exact.begin(), exact.end()}); });
  cell_values vectors;
  if (has_heat_lines(job)) vectors = share(heat_flux_vectors(problem, exact));
  const cell_values density = share(heat_flux_density(problem, std::move(exact)));
  const auto statistics = show_scalar(result, part.where.comm, density, "heat_flux", "heat flux density", "W mm-2");
  if (!job.picture.enabled) result.shown = {};
  // In a uniform field, the median equals the high end of the range.
  if (statistics.median < result.shown_high) result.shown_low = statistics.median;
  result.fields = heat_fields(part, temperature, density);
  if (!vectors) return;
  if (job.picture.enabled) result.lines_of = vectors;
  result.fields.push_back(heat_flux_field(part, vectors));
}

physics_result run_steady(const spec& job, const local_model& part, numerics::heat_problem problem,
                          const numerics::options& options, log_sink& log) {
  heat_solution solution = solve_heat(std::move(problem), options, log);
  comm::collectively(part.where.comm, [&] { problem = make_heat_problem(job, part, test_of_heat(job)); });
  physics_result result;
  result.certificate = solution.certificate;
  if (test_of_heat(job) == heat_test::conduction) {
    const axis along = load_axis(job);
    const double flux_W = std::abs(solution.inflow_W[static_cast<std::size_t>(along)][0]);
    const double conductivity = flux_W /
                                std::abs(job.groups.of<condition_keys>().high_K - job.groups.of<condition_keys>().low_K) *
                                length_mm(part.header, along) / cross_section_mm2(part.header, along) * 1000;
    // Tortuosity factor of TauFactor: conductivity of straight paths divided by effective conductivity. Null represents
    // infinity.
    const bool conducts = conductivity > 0;
    const auto [straight, share] = mean_conductivity(job, part, log);
    result.answers = {{"percolates", conducts},
                      {"flux_W", flux_W},
                      {"effective_conductivity_W_per_mK", conductivity},
                      {"tortuosity", conducts ? json(straight / conductivity) : json(nullptr)},
                      {"porosity", share},
                      {"relative_diffusivity", share * conductivity / straight}};
  } else {
    const auto [low_K, high_K] = extremes(part.where.comm, solution.temperature_K);
    result.answers = {{"face_inflow_W", by_face(solution.inflow_W)},
                      {"heat_inflow_W", by_older_face(solution.inflow_W)},
                      {"heat_source_W", solution.source_W},
                      {"temperature_K", {{"low", low_K}, {"high", high_K}}}};
    add_periodic_faces(result.answers, solution.periodic_faces, problem.periodic);
  }
  show_heat(result, job, part, problem, std::move(solution.temperature_K));
  return result;
}

physics_result run_transient(const spec& job, const local_model& part, const numerics::heat_problem& problem,
                             const numerics::options& options, log_sink& log) {
  time_plan plan;
  comm::collectively(part.where.comm, [&] { plan = make_time_plan(job, part); });
  std::optional<step_files> steps;
  if (job.groups.of<condition_keys>().transient->write_steps) {
    steps.emplace(job, part);
    plan.on_record = [&](std::span<const heat_record> history, const std::vector<double>& temperature_K) {
      cell_values values;
      comm::collectively(part.where.comm, [&] { values = share({temperature_K.begin(), temperature_K.end()}); });
      steps->write(history.size() - 1, history.back().time_s,
                   {{{"temperature", "temperature", "K", io::centring::cell, 1}, cell_planes(part, values)}});
    };
  }
  transient_solution solution = solve_transient(problem, plan, options, log);
  physics_result result;
  if (steps) {
    std::vector<double> times_s;
    for (const heat_record& r : solution.history) times_s.push_back(r.time_s);
    result.written = {steps->path(), steps->close(times_s)};
  }
  result.certificate = solution.certificate;
  const heat_record& last = solution.history.back();
  result.answers = {{"face_inflow_W", by_face(last.inflow_W)},
                    {"heat_inflow_W", by_older_face(last.inflow_W)},
                    {"heat_source_W", solution.source_W},
                    {"heat_stored_W", last.stored_W},
                    {"temperature_K", {{"mean", last.mean_K}, {"low", last.low_K}, {"high", last.high_K}}},
                    {"step_s", solution.step_s}};
  add_periodic_faces(result.answers, solution.periodic_faces, problem.periodic);
  json& history = result.answers["history"] = json::object();
  for (const heat_record& r : solution.history) {
    history["time_s"].push_back(r.time_s);
    history["mean_K"].push_back(r.mean_K);
    history["low_K"].push_back(r.low_K);
    history["high_K"].push_back(r.high_K);
    history["stored_W"].push_back(r.stored_W);
    const auto add = [&](const char* name, const json& flows) {
      for (const auto& [face, flow] : flows.items()) history[name][face].push_back(flow);
    };
    add("face_inflow_W", by_face(r.inflow_W));
    add("inflow_W", by_older_face(r.inflow_W));
  }
  show_heat(result, job, part, problem, std::move(solution.temperature_K));
  return result;
}

surroundings surroundings_of(const spec& job) {
  return job.load.boundary_condition.value_or(outer_condition::periodic) == outer_condition::uniform
             ? surroundings::uniform_gradient
             : surroundings::periodic;
}

physics_result run_tensor(const spec& job, const local_model& part, const numerics::heat_problem& problem,
                          const numerics::options& options, log_sink& log) {
  const surroundings kind = surroundings_of(job);
  conductivity_tensor tensor = effective_conductivity(problem, kind, options, log);
  physics_result result;
  std::array<double, 3> conductivity{};
  for (std::size_t a = 0; a < 3; ++a) conductivity[a] = tensor.conductivity_W_per_mK[a][a];
  json directions = json::array();
  for (const vector3& d : tensor.direction) directions.push_back({d.z, d.y, d.x});
  const auto [straight, share] = mean_conductivity(job, part, log);
  result.certificate = numerics::joint_certificate(tensor.certificate, conductivity, straight);
  json tortuosity = json::array(), diffusivity = json::array();
  for (std::size_t a = 0; a < 3; ++a) {
    const double k = tensor.conductivity_W_per_mK[a][a];
    tortuosity.push_back(k > 0 ? json(straight / k) : json(nullptr));  // null means that there is no path
    diffusivity.push_back(k > 0 ? share * k / straight : 0.0);
  }
  result.answers = {{"conductivity_tensor_W_per_mK", tensor.conductivity_W_per_mK},
                    {"principal_conductivities_W_per_mK", tensor.principal_W_per_mK},
                    {"principal_directions", directions},
                    {"tortuosities", tortuosity},
                    {"porosity", share},
                    {"relative_diffusivities", diffusivity}};
  const auto shown = gradient_problem(problem, kind, load_axis(job));
  add_periodic_faces(result.answers, tensor.periodic_faces, shown.periodic);
  const auto along = static_cast<std::size_t>(load_axis(job));
  show_heat(result, job, part, shown, {tensor.temperature_K[along].begin(), tensor.temperature_K[along].end()});
  return result;
}

}  // namespace

physics_result run_heat(const spec& job, const local_model& part, const numerics::options& options, log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  numerics::heat_problem problem;
  comm::collectively(comm, [&] { problem = make_heat_problem(job, part, test_of_heat(job)); });
  physics_result result = test_of_heat(job) == heat_test::conductivity_tensor ? run_tensor(job, part, problem, options, log)
                          : job.groups.of<condition_keys>().transient
                              ? run_transient(job, part, problem, options, log)
                              : run_steady(job, part, std::move(problem), options, log);
  result.elements = comm::sum_over_ranks(comm, part.cells.size());
  result.answers["load"] = describe_load(job, part);
  result.scene.boundaries = faces_of_load(result.answers);
  return result;
}

void check_heat_on(const spec& job, const local_model& part) {
  const numerics::heat_problem problem = make_heat_problem(job, part, test_of_heat(job));
  if (test_of_heat(job) == heat_test::conductivity_tensor)
    check_effective_conductivity(problem, surroundings_of(job));
  else if (job.groups.of<condition_keys>().transient)
    check_transient(problem, make_time_plan(job, part));
  else
    check_heat(problem);
}

}  // namespace osteon::physics
