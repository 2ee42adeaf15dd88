#include <osteon/physics/failure/entry.hpp>

#include <osteon/physics/elasticity/elastic_answers.hpp>
#include <osteon/physics/elasticity/loads/check_loads.hpp>
#include <osteon/physics/elasticity/loads/describe_loads.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/failure/failure_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

std::vector<answer> failure_answers() {
  return {
      {"stiffness_N_per_mm", "stiffness", "N/mm", "Initial elastic stiffness: force over displacement of the driven face."},
      area_of_modulus(),
      definition_of_area(),
      {"stiffness_N_mm_per_deg", "stiffness", "N mm/deg", "Initial elastic stiffness: moment over angle."},
      report_only({"apparent_modulus_MPa", "apparent modulus", "MPa",
                   "Young's modulus of a solid block of the same length, area and initial elastic stiffness."}),
      report_only({"aggregate_modulus_MPa", "aggregate modulus", "MPa",
                   "Initial axial stress over axial strain with constrained sides."}),
      report_only({"shear_modulus_MPa", "apparent shear modulus", "MPa", "Initial shear stress over shear strain."}),
      {"first_yield.force_N", "force at first yield", "N",
       "Load at which the first Gauss point yields; depends on the voxel size."},
      {"first_yield.moment_N_mm", "moment at first yield", "N mm",
       "Load at which the first Gauss point yields; depends on the voxel size."},
      {"yield_offset.force_N", "yield force (0.2 %)", "N",
       "Intersection of the curve with the elastic line at an offset strain of 0.2 %."},
      report_only({"yield_offset.strain", "yield strain (0.2 %)", "", "Apparent strain at this load."}),
      {"ultimate.force_N", "ultimate force", "N",
       "Maximum load of the first loading branch, or the onset of a plateau. ultimate.is_peak is true if the load decreases "
       "afterwards."},
      {"ultimate.moment_N_mm", "ultimate moment", "N mm",
       "Maximum load of the first loading branch, or the onset of a plateau. ultimate.is_peak is true if the load decreases "
       "afterwards."},
      report_only({"ultimate.strain", "strain at the ultimate force", "", "Apparent strain at this load."}),
      {"ultimate.work_mJ", "work to the ultimate force", "mJ", "Work of the driven face by the trapezoidal rule."},
      {"post_yield_stiffness_N_per_mm", "stiffness after yield", "N/mm",
       "Slope of the last step of the first loading branch."},
      {"post_yield_stiffness_N_mm_per_deg", "stiffness after yield", "N mm/deg",
       "Slope of the last step of the first loading branch."},
      {"energy_mJ.dissipated", "dissipated energy", "mJ",
       "Energy dissipated by plastic flow at the initial yield stress, or by damage and fracture."},
      report_only({"energy_mJ.stored", "stored energy", "mJ", "Elastic energy at the end."}),
      report_only({"energy_mJ.hardening", "energy of hardening", "mJ",
                   "Plastic work minus the plastic work at the initial yield stress."}),
      {"yielded_share.all", "yielded fraction", "", "Fraction of voxels with a yielded Gauss point at the end."},
      report_only({"yielded_share.tension", "yielded fraction in tension", "",
                   "Fraction of voxels that yielded with positive mean stress."}),
      report_only({"yielded_share.compression", "yielded fraction in compression", "",
                   "Fraction of voxels that yielded with negative mean stress."}),
      {"pistoia.failure_load_N", "failure load (Pistoia)", "N",
       "From the elastic solution: load, with its sign, at which the effective strain exceeds its critical value in the "
       "critical fraction of the solid."},
      {"pistoia.failure_moment_N_mm", "failure moment (Pistoia)", "N mm",
       "From the elastic solution: moment at which the effective strain exceeds its critical value in the critical fraction "
       "of the solid."},
      report_only({"failure_proof.force_residual", "force residual", "",
                   "Maximum over steps of the norm of forces at free nodes over the norm of reactions."}),
      report_only({"failure_proof.yield_violation", "violation of the yield surface", "",
                   "Largest relative excess of the stress over the yield stress."}),
      report_only({"failure_proof.work_error", "work error", "",
                   "Work of the driven face minus stored, dissipated and hardening energy, relative to the largest work: "
                   "error of the trapezoidal rule, quadratic in the step size."}),
      report_only({"failure_proof.smallest_dissipation_MPa", "minimum dissipation", "MPa",
                   "Minimum over Gauss points and steps; must not be negative."}),
      report_only({"failure_proof.halved.change_of_load", "load change with halved steps", "",
                   "Largest change at the ends of the steps, relative to the largest load (failure.prove)."}),
      report_only({"failure_proof.halved.work_error", "work error with halved steps", "",
                   "As failure_proof.work_error, for the path with halved steps."}),
  };
}

solver_work failure_work(const spec& job, const voxel::node_count* nodes) {
  solver_work work;
  const failure_keys& keys = job.groups.of<failure_keys>();
  const auto legs = static_cast<double>(std::max<std::size_t>(keys.path.size(), 1));
  // In `./run bench failure`, ten steps take as long as 15 further elastic solutions. The repetition with half of the step
  // size increases the time by a factor of three.
  constexpr double solutions_of_step = 1.5;
  const double steps = legs * static_cast<double>(keys.steps.value_or(10));
  work.solutions = 1 + solutions_of_step * steps;
  if (keys.prove) work.solutions += 1 + 2 * solutions_of_step * steps;
  work.assumed = "a load step takes the time of 1.5 elastic solutions, as in a bone specimen that yields almost everywhere";
  if (nodes) work.held = prescribed_by_test(job, *nodes, test_of(job));
  return work;
}

}  // namespace

const physics_entry& failure() {
  static const physics_entry row{
      .name = "failure",
      .meaning = "yield and failure of a specimen: curve of force and displacement",
      .caption = "The specimen at the end of its path",
      .synonyms = {"plasticity", "plastic", "nonlinear", "yield", "yielding", "strength", "elastoplastic",
                   "elastoplasticity", "ultimate", "fracture", "damage"},
      .answers = failure_answers(),
      .tests = tests_of_one_face(),
      .test = [](const spec& job) { return name_of(test_of(job)); },
      .keys = register_failure_keys,
      .complete = complete_cases,
      .check = check_failure_keys,
      .warn = warn_of_loads,
      .check_on_solid = check_loads_on_solid,
      .describe_loads = resolve_loads,
      .needs = {&property::youngs_modulus},
      .rules =
          [](const spec& job) {
            const bool of_image = job.groups.of<mechanical_keys>().drive.faces == loaded_faces::image;
            return solid_rules{.has_loaded_faces = of_image, .must_connect_faces = of_image};
          },
      .labels = labels_of_sets,
      .system = {io::centring::node, 3},
      // if 80 % of the voxels have yielded, the memory exceeds that of elasticity by 87 bytes per element
      .costs = {3.81, 133, 1, 3e-6, 7e-6},
      .default_tolerance = 1e-5,
      .work = failure_work,
      .most_components = [](const spec&) { return 3; },
      .picture = {.is_surface = true},
      .reason_for_files = [](const spec&) { return std::string("physics = \"failure\" writes curve.csv during the solve"); },
      .run = run_failure,
      .paint = paint_failure};
  return row;
}

}  // namespace osteon::physics
