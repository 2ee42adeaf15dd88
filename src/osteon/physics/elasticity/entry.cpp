#include <osteon/physics/elasticity/entry.hpp>

#include <osteon/base/fault_list.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/elasticity/elastic_answers.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/loads/check_loads.hpp>
#include <osteon/physics/elasticity/loads/describe_loads.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

class displacement_painter final : public frame_painter {
 public:
  displacement_painter(const spec& job, const local_model& part) : job_(job), part_(part) {}

  bool show(physics_result& result, const numerics::solver_state& state) override {
    if (!elastic_) elastic_ = make_problem(part_);
    derived_fields now;
    comm::collectively(part_.where.comm, [&] {
      const grid::point_vector& u = state.vectors.front();
      const auto values = std::get<std::span<double>>(u.values);
      const auto nodes = static_cast<std::size_t>(state.points->size());
      std::vector<double> by_nodes(3 * nodes);
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 0; i < nodes; ++i)
          by_nodes[3 * i + c] = values[c * static_cast<std::size_t>(u.layout.component_stride) +
                                       i * static_cast<std::size_t>(u.layout.node_stride)];
      now = derive_fields(elastic_, std::move(by_nodes));
    });
    physics::show(result, job_, part_, now);
    return true;
  }

 private:
  const spec& job_;
  const local_model& part_;
  std::shared_ptr<const numerics::elasticity_problem> elastic_;  // created when a frame needs it
};

// Create a painter of the field picture.field. Borrows the arguments. @collective on part.where.comm
std::unique_ptr<frame_painter> paint_displacements(const spec& job, const local_model& part) {
  return std::make_unique<displacement_painter>(job, part);
}

// A test between the faces of the image requires a solid that connects these faces. Other loads act on sets and have no
// such requirement.
solid_rules elastic_rules(const spec& job) {
  solid_rules rules;
  const mechanical_keys& keys = job.groups.of<mechanical_keys>();
  rules.has_loaded_faces = keys.drive.faces == loaded_faces::image;
  rules.must_connect_faces = keys.cases.empty() && rules.has_loaded_faces && test_of(job) != elastic_test::custom;
  if (is_homogenisation(job))
    rules.periodic.fill(job.load.boundary_condition.value_or(outer_condition::kubc) == outer_condition::periodic);
  return rules;
}

// Return the name of the test of a job. The name is empty for a job with load cases, because each load case has a separate
// test.
std::string name_of_test(const spec& job) {
  return job.groups.of<mechanical_keys>().cases.empty() ? name_of(test_of(job)) : std::string();
}

void check_elasticity_keys(const spec& job, std::vector<problem>& problems) {
  check_loads(job, problems);
  check_field_names(job, problems);
  const fault_list expect(problems);
  for (const elastic_field field : {elastic_field::stiffness_sensitivity, elastic_field::neck_energy})
    expect(!is_homogenisation(job) || !wants_field(job, field), "output.fields",
           "'{}' is not available for load.test = \"homogenise\", which has six loads; remove it", name_of(field));
}

std::vector<outer_condition> elastic_boundary_conditions(const spec& job) {
  return is_homogenisation(job) ? std::vector<outer_condition>{outer_condition::periodic, outer_condition::kubc}
                                : std::vector<outer_condition>{};
}

solver_work elastic_work(const spec& job, const voxel::node_count* nodes) {
  solver_work work;
  work.kept = static_cast<double>(std::max<std::size_t>(job.groups.of<mechanical_keys>().cases.size(), 1));
  work.solutions = is_homogenisation(job) ? 6 : work.kept;
  if (nodes) work.held = prescribed_by_test(job, *nodes, test_of(job));
  return work;
}

std::vector<answer> elastic_answers() {
  std::vector<answer> all{
      report_only({"homogenisation.isotropic.youngs_modulus_MPa", "Young's modulus, nearest isotropic", "MPa",
                   "Young's modulus of the isotropic tensor closest to the stiffness tensor."}),
      {"homogenisation.universal_anisotropy", "universal anisotropy", "",
       "5 G_V/G_R + K_V/K_R - 6 of the Voigt and Reuss means; 0 for isotropy."},
      {"homogenisation.volume_fraction", "solid volume fraction", "", "Solid voxels over all voxels of the box."},
  };
  constexpr const char* names[] = {"xx", "yy", "zz", "xy", "yz", "xz"};
  for (int i = 0; i < 6; ++i)
    all.push_back(table_only({"homogenisation.stiffness_MPa." + std::to_string(i) + "." + std::to_string(i),
                              std::string("stiffness ") + names[i] + " " + names[i], "MPa",
                              "Stress over strain, with engineering shear strains."}));
  const std::vector<answer> more{
      table_only({"homogenisation.youngs_modulus_MPa.*", "Young's modulus", "MPa", "Modulus along an axis."}),
      table_only({"homogenisation.shear_modulus_MPa.*", "shear modulus", "MPa", "Modulus in a plane of two axes."}),
      table_only({"homogenisation.asymmetry", "asymmetry of the stiffness", "",
                  "Asymmetry due to the tolerance of the solver; 0 for the exact solution."}),
      unless("stiffness_N_mm_per_deg",
             table_only({"reaction_N.@", "reaction force", "N", "Force on the driven face along the load."})),
      only_with("stiffness_N_mm_per_deg", table_only({"reaction_moment_N_mm.@", "reaction moment", "N mm",
                                                      "Moment on the driven face about the axis of the load."})),
      {"stiffness_N_per_mm", "stiffness", "N/mm",
       "Force over displacement of the driven face, or of the only driving support or force."},
      {"apparent_modulus_MPa", "apparent modulus", "MPa",
       "Young's modulus of a solid block of the same length, area and stiffness."},
      area_of_modulus(),
      definition_of_area(),
      {"stiffness_N_mm_per_deg", "stiffness", "N mm/deg",
       "Moment over rotation angle of the loaded faces or of a rotated support."},
      {"aggregate_modulus_MPa", "aggregate modulus", "MPa", "Axial stress over axial strain with constrained sides."},
      {"shear_modulus_MPa", "apparent shear modulus", "MPa", "Shear stress on the plates over the shear strain."},
      {"bending_stiffness_N_mm2", "bending stiffness", "N mm2", "E I of the equivalent beam."},
      {"torsional_stiffness_N_mm2", "torsional stiffness", "N mm2", "G J of the equivalent bar."},
      {"pistoia.failure_moment_N_mm", "failure moment (Pistoia)", "N mm",
       "Moment at which the effective strain exceeds its critical value in the critical fraction of the solid."},
      {"pistoia.failure_load_N", "failure load (Pistoia)", "N",
       "Load, with its sign, at which the effective strain exceeds its critical value in the critical fraction of the "
       "solid."},
      report_only({"pistoia.factor", "failure factor (Pistoia)", "", "Failure load over the computed load."}),
      unless("reaction_N",
             table_only({"pistoia.factor", "failure factor (Pistoia)", "",
                         "Ratio of failure load to computed loads, for supports and forces without a single load."})),
      report_only({"reaction_N", "reaction (z, y, x)", "N", "Force on the driven face."}),
      mean_sed("Mean strain energy density at voxel centres of the solid."),
      report_only({"sed_MPa.p95", "strain energy density, 95 %", "MPa", "95th percentile over the solid."}),
      high_sed(),
      report_only({"sed_MPa.max", "strain energy density, maximum", "MPa",
                   "Maximum, which depends on the voxel size and is not comparable between scans."}),
      {"effective_strain.p98", "effective strain, 98 %", "",
       "98th percentile over the solid of sqrt(2 SED / E) at voxel centres."},
      {"principal_strain_1.p98", "largest principal strain, 98 %", "",
       "98th percentile over the solid of the largest principal strain at voxel centres. Requires principal strains in "
       "output.fields or the picture."},
      report_only({"principal_strain_1.max", "largest principal strain, maximum", "",
                   "Maximum, which depends on the voxel size and is not comparable between scans."}),
      report_only(
          {"strain_energy_mJ", "strain energy", "mJ", "Strain energy of whole voxels, equal to the work of the load."}),
      report_only({"necks.loaded_voxels", "loaded voxels in necks", "",
                   "With [uncertainty]: number of voxels that are the only connection between others and each contain more "
                   "than 1 % of the strain energy."}),
      report_only({"necks.energy_share", "strain energy fraction of necks", "",
                   "Strain energy fraction of all voxels that are the only connection between others. A slightly higher "
                   "threshold may remove these voxels."}),
      report_only({"von_mises_MPa.p98", "von Mises stress, 98 %", "MPa", "98th percentile over the solid."}),
      report_only({"reaction_moment_N_mm", "reaction moment (z, y, x)", "N mm",
                   "Moment on the driven face about the mean position of its nodes."}),
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

const physics_entry& elasticity() {
  static const physics_entry row{
      .name = "elasticity",
      .meaning = "linear elastic stiffness, stress and strain energy",
      .caption = "The specimen under load",
      .synonyms = {"elastic", "mechanics", "mechanical", "structural", "static", "stress", "linearelastic",
                   "linearelasticity", "fea", "fem", "solidmechanics"},
      .answers = elastic_answers(),
      .tests = elastic_tests(),
      .usual_test = "custom if there is a [[support]], else axial_bonded",
      .test = name_of_test,
      .keys = register_load_keys,
      .complete = complete_cases,
      .check = check_elasticity_keys,
      .warn = warn_of_loads,
      .check_on_solid =
          [](const spec& job, const std::function<local_model()>& read, std::vector<problem>& warnings) {
            if (is_homogenisation(job)) return check_homogenise(read(), elastic_rules(job).periodic[0]);
            check_loads_on_solid(job, read, warnings);
          },
      .prepare = drop_unsupported,
      .describe_loads = resolve_loads,
      .needs = {&property::youngs_modulus},
      .boundary_conditions = elastic_boundary_conditions,
      .rules = elastic_rules,
      .labels = labels_of_sets,
      .system = {io::centring::node, 3},
      // Measurements on sponges with 1.27 nodes per element. A sponge of 128^3 voxels has 1.92 M unknowns and requires
      // 90.2 MB and 4.9 s for one load case, and 128 MB for two load cases. A sponge of 96^3 voxels has 0.83 M unknowns
      // and requires 40.3 MB for one load case, and 75.6 MB for four load cases. At 64^3 voxels, three load cases take 2.3
      // times the CPU time of one load case.
      .costs = {3.81, 46, 14, 2.7e-6, 6e-6},
      .work = elastic_work,
      .most_components = most_elastic_components,
      .picture = {.is_surface = true, .fields = shown_elastic_fields()},
      .run =
          [](const spec& job, const local_model& part, const numerics::options& options, log_sink& log) {
            return is_homogenisation(job) ? run_homogenise(job, part, options, log)
                                          : run_elasticity(job, part, options, log);
          },
      .count_messages =
          [](const spec& job, const local_model& part, const numerics::message_count& count) {
            const auto problem = make_problem(part);
            if (is_homogenisation(job)) problem->periodic = elastic_rules(job).periodic;
            count_messages(std::move(*problem), count);
            std::vector<io::field_info> fields;
            for (const result_field& f : elastic_fields(part, fields_of_job(job), {}))
              fields.insert(fields.end(), std::max<std::size_t>(job.groups.of<mechanical_keys>().cases.size(), 1), f.info);
            return fields;
          },
      .counts_missing_levels = true,
      .paint = paint_displacements};
  return row;
}

}  // namespace osteon::physics
