#include <osteon/physics/heat/entry.hpp>

#include <algorithm>
#include <cstdint>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/heat/check_heat.hpp>
#include <osteon/physics/heat/heat_case.hpp>
#include <osteon/physics/heat/solver/heat.hpp>
#include <osteon/physics/heat/temperature_frames.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

namespace {

// Heat flows in parts that have cells at a face with a condition, and in parts that connect the two faces of a periodic
// axis.
void rules_of_boundaries(const spec& job, solid_rules& rules) {
  bool any = false;
  for (const boundary_spec& b : job.groups.of<condition_keys>().boundaries) {
    if (b.face.empty()) continue;  // check_heat reports this fault
    const std::size_t axis = b.face[0] == 'z' ? 0 : b.face[0] == 'y' ? 1 : 2;
    const bool both = b.face.size() == 1, repeats = kind_of(b) == condition_kind::periodic;
    any = true;
    if (repeats) rules.periodic[axis] = rules.through[axis] = true;
    if (repeats) continue;
    rules.touching[axis][0] = rules.touching[axis][0] || both || b.face.ends_with("low");
    rules.touching[axis][1] = rules.touching[axis][1] || both || b.face.ends_with("high");
  }
  // if there are only sources, no face selects a part
  if (!any && keep_of(job) == kept_parts::percolating) rules.keeps_all = true;
}

solid_rules heat_rules(const spec& job) {
  solid_rules rules;
  rules.may_keep_all_parts = true;  // without a path between the faces, the heat flow is zero
  const heat_test test = test_of_heat(job);
  if (test == heat_test::conductivity_tensor) {
    rules.periodic.fill(job.load.boundary_condition.value_or(outer_condition::periodic) == outer_condition::periodic);
    rules.through.fill(true);
  }
  if (test == heat_test::heat_transfer) rules_of_boundaries(job, rules);
  return rules;
}

void check_heat_on_solid(const spec& job, const std::function<local_model()>& read, std::vector<problem>&) {
  check_heat_on(job, read());
}

solver_work heat_work(const spec& job, const voxel::node_count*) {
  solver_work work;
  if (test_of_heat(job) == heat_test::conductivity_tensor) work.kept = work.solutions = 3;
  return work;
}

// Reference of the temperatures in the solver. If the job alone does not determine the reference, the result is empty.
std::optional<double> zero_K(const spec& job) {
  if (job.groups.of<condition_keys>().transient) return job.groups.of<condition_keys>().transient->initial_K;
  if (test_of_heat(job) == heat_test::conduction)
    return std::min(job.groups.of<condition_keys>().low_K, job.groups.of<condition_keys>().high_K);
  return std::nullopt;
}

std::vector<answer> heat_answers() {
  return {
      table_only({"percolates", "path between the faces", "",
                  "True if a path of solid connects the two faces; otherwise the heat flow is 0."}),
      {"effective_conductivity_W_per_mK", "effective conductivity", "W/(m K)",
       "Conductivity of a homogeneous block of the size of the image with the same heat flow."},
      {"tortuosity", "tortuosity", "",
       "Volume fraction times conductivity over effective conductivity; 1 for straight paths. The volume fraction includes "
       "isolated parts of the phase unless segment.keep = \"largest\" removes them."},
      {"porosity", "porosity, fraction of the conducting phase", "",
       "Voxels of the conducting phase over voxels of the image, including isolated parts unless segment.keep = \"largest\" "
       "removes them; the porosity of an electrode or a rock with conducting pores."},
      {"relative_diffusivity", "effective diffusivity, relative", "",
       "D_eff / D: effective over bulk diffusivity of the conducting phase, porosity over tortuosity."},
      {"flux_W", "heat flow", "W", "Heat flow through each of the two faces."},
      {"principal_conductivities_W_per_mK", "principal conductivities", "W/(m K)",
       "Eigenvalues of the conductivity tensor of the whole box, voids included."},
      report_only(
          {"conductivity_tensor_W_per_mK", "conductivity tensor", "W/(m K)", "Rows and columns in the order z, y, x."}),
      report_only({"principal_directions", "principal directions (z, y, x)", "",
                   "Unit vectors in the order of descending conductivity."}),
      {"tortuosities", "tortuosity along z, y, x", "", "Tortuosity by axis; undefined for axes without a connected path."},
      {"relative_diffusivities", "relative diffusivity along z, y, x", "",
       "D_eff / D by axis; 0 along axes without a connected path."},
      silent_at_0({"face_inflow_W.*", "heat inflow through", "W", "Heat flow into the solid; negative: out of the solid."}),
      neither_shown({"heat_inflow_W.*", "heat inflow through", "W",
                     "Older spelling of heat_flow_W, with faces such as z-low for z_low; removed in version 0.4."}),
      silent_at_0({"heat_source_W", "heat from sources", "W", "Total heat generated in the solid."}),
      {"heat_stored_W", "heat storage rate", "W", "Rate of heat stored in the solid in the last step."},
      {"temperature_K.mean", "temperature, mean", "K", "Mean over the solid at the end."},
      {"temperature_K.low", "temperature, lowest", "K", "Minimum over voxels."},
      {"temperature_K.high", "temperature, highest", "K", "Maximum over voxels."},
  };
}

}  // namespace

const physics_entry& heat() {
  static const physics_entry row{
      .name = "heat",
      .meaning = "effective conductivity and tortuosity",
      .caption = "Heat through the specimen",
      .synonyms = {"thermal", "conduction", "diffusion", "heatconduction", "heattransfer", "temperature", "laplace"},
      .answers = heat_answers(),
      .tests = {{"conduction",
                 "prescribed temperatures on both faces of the axis, for effective conductivity and tortuosity",
                 {"heat", "thermal", "diffusion", "laplace", "steadystate", "tortuosity", "dirichlet", "conductivity"}},
                {"heat_transfer",
                 "boundary conditions of the [[boundary]] tables",
                 {"convection", "flux", "heatflux", "cooling", "heating"}},
                {"conductivity_tensor", "effective conductivity tensor", {"effectiveconductivity", "tensor"}}},
      .usual_test = "heat_transfer if there is a [[boundary]], else conduction",
      .test = [](const spec& job) { return job.load.test.value_or(name_of(test_of_heat(job))); },
      .keys = register_heat_keys,
      .check = check_heat,
      .warn = warn_of_temperatures,
      .check_on_solid = check_heat_on_solid,
      .loads_key = "boundary",
      .needs = {&property::conductivity},
      .default_keep = kept_parts::percolating,
      .reason_for_faces_only = "heat does not flow through edges or corners",
      .boundary_conditions =
          [](const spec& job) {
            return test_of_heat(job) == heat_test::conductivity_tensor
                       ? std::vector<outer_condition>{outer_condition::periodic, outer_condition::uniform}
                       : std::vector<outer_condition>{};
          },
      .rules = heat_rules,
      .system = {io::centring::cell, 1},
      // measured with 128^3 voxels and 0.50 M unknowns: 20.0 MB and 0.58 s; for a tensor: 26.2 MB
      .costs = {1, 36, 6, 0.3e-6, 1e-6},
      .work = heat_work,
      .most_components = [](const spec& job) { return has_heat_lines(job) ? 3 : 1; },
      .picture = {.has_lines = true},
      .reason_for_files = reason_for_step_files,
      .run = run_heat,
      .count_messages =
          [](const spec& job, const local_model& part, const numerics::message_count& count) {
            count_messages(make_heat_problem(job, part, test_of_heat(job)), has_heat_lines(job), count);
            std::vector<io::field_info> fields;
            for (const result_field& f : heat_fields(part, {}, {})) fields.push_back(f.info);
            if (has_heat_lines(job)) fields.push_back(heat_flux_field(part, {}).info);
            return fields;
          },
      .reason_not_counted =
          [](const spec& job) {
            return std::string(job.groups.of<condition_keys>().transient    ? "the number of time steps is unknown"
                               : test_of_heat(job) != heat_test::conduction ? "only the test conduction is supported"
                                                                            : "");
          },
      .paint = [](const spec& job, const local_model& part) { return paint_temperatures(part, zero_K(job)); }};
  return row;
}

double seconds_of_heat_iteration(MPI_Comm comm) {
  constexpr std::int64_t edge = 88;
  constexpr int most_iterations = 6;
  const index3 shape{edge * comm::size(comm), edge, edge};
  const voxel::material_table materials{{}, {"solid", 0, 0.3, 1}};
  numerics::heat_problem problem;
  problem.where = grid::make_block(comm, shape, std::vector<std::int64_t>(static_cast<std::size_t>(shape.z), edge * edge));
  problem.spacing_mm = {1, 1, 1};
  problem.materials = &materials;
  problem.faces = two_temperatures(axis::x, 0, 1);
  const index3 mine = problem.where.owned.shape();
  const std::vector<material_number> solid(static_cast<std::size_t>(mine.volume()), 1);
  const view3<const material_number> image(solid.data(), mine);
  problem.cells = voxel::active_cells(image);
  problem.material = voxel::gather(problem.cells, image);
  const numerics::solve_certificate certificate =
      solve_heat(std::move(problem), {.tolerance = 1e-14, .max_iterations = most_iterations}, null_log()).certificate;
  return certificate.solve_seconds / std::max(1, certificate.iterations);
}

}  // namespace osteon::physics
