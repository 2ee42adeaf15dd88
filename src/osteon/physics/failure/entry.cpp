#include <osteon/physics/failure/entry.hpp>

#include <osteon/physics/elasticity/elastic_answers.hpp>
#include <osteon/physics/elasticity/loads/check_loads.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/loads_on_solid.hpp>
#include <osteon/physics/elasticity/loads/resolved_loads.hpp>
#include <osteon/physics/elasticity/warn_of_loads.hpp>
#include <osteon/physics/failure/failure_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

std::vector<answer> failure_answers() {
  return {
      {.key = "stiffness_N_per_mm",
       .title = "stiffness",
       .unit = "N/mm",
       .meaning = "Of the specimen before it yields: force over the displacement of the driven face."},
      area_of_modulus(),
      definition_of_area(),
      {.key = "stiffness_N_mm_per_deg",
       .title = "stiffness",
       .unit = "N mm/deg",
       .meaning = "Of the specimen before it yields: moment over the angle."},
      {.key = "apparent_modulus_MPa",
       .title = "apparent modulus",
       .unit = "MPa",
       .meaning = "Young's modulus of a solid block of the same length, area and stiffness, before yield.",
       .in_table = false},
      {.key = "aggregate_modulus_MPa",
       .title = "aggregate modulus",
       .unit = "MPa",
       .meaning = "Axial stress over axial strain where the sides are held, before yield.",
       .in_table = false},
      {.key = "shear_modulus_MPa",
       .title = "apparent shear modulus",
       .unit = "MPa",
       .meaning = "Shear stress over shear strain, before yield.",
       .in_table = false},
      {.key = "first_yield.force_N",
       .title = "force at first yield",
       .unit = "N",
       .meaning = "Where the first point of a voxel yields; it depends on the voxel size."},
      {.key = "first_yield.moment_N_mm",
       .title = "moment at first yield",
       .unit = "N mm",
       .meaning = "Where the first point of a voxel yields; it depends on the voxel size."},
      {.key = "yield_offset.force_N",
       .title = "yield force (0.2 %)",
       .unit = "N",
       .meaning = "Where the curve meets the elastic line that is shifted by a strain of 0.2 %."},
      {.key = "yield_offset.strain",
       .title = "yield strain (0.2 %)",
       .meaning = "Apparent strain there.",
       .in_table = false},
      {.key = "ultimate.force_N",
       .title = "ultimate force",
       .unit = "N",
       .meaning = "The largest one on the first way, of a plateau its first; ultimate.is_peak tells whether the force falls "
                  "behind it."},
      {.key = "ultimate.moment_N_mm",
       .title = "ultimate moment",
       .unit = "N mm",
       .meaning = "The largest one on the first way, of a plateau its first; ultimate.is_peak tells whether the force falls "
                  "behind it."},
      {.key = "ultimate.strain",
       .title = "strain at the ultimate force",
       .meaning = "Apparent strain there.",
       .in_table = false},
      {.key = "ultimate.work_mJ",
       .title = "work to the ultimate force",
       .unit = "mJ",
       .meaning = "Of the driven face, by the trapezoidal rule."},
      {.key = "post_yield_stiffness_N_per_mm",
       .title = "stiffness after yield",
       .unit = "N/mm",
       .meaning = "Slope of the last step of the first way."},
      {.key = "post_yield_stiffness_N_mm_per_deg",
       .title = "stiffness after yield",
       .unit = "N mm/deg",
       .meaning = "Slope of the last step of the first way."},
      {.key = "energy_mJ.dissipated",
       .title = "dissipated energy",
       .unit = "mJ",
       .meaning = "By plastic flow at the initial yield stress, or by damage and fracture."},
      {.key = "energy_mJ.stored",
       .title = "stored energy",
       .unit = "mJ",
       .meaning = "Elastic, at the end.",
       .in_table = false},
      {.key = "energy_mJ.hardening",
       .title = "energy of hardening",
       .unit = "mJ",
       .meaning = "Plastic work beyond that at the initial yield stress.",
       .in_table = false},
      {.key = "yielded_share.all",
       .title = "yielded share",
       .meaning = "Voxels with a point that has yielded, over all, at the end."},
      {.key = "yielded_share.tension",
       .title = "yielded share in tension",
       .meaning = "Of them those whose mean stress is positive, over all voxels.",
       .in_table = false},
      {.key = "yielded_share.compression",
       .title = "yielded share in compression",
       .meaning = "Of them those whose mean stress is negative, over all voxels.",
       .in_table = false},
      {.key = "pistoia.failure_load_N",
       .title = "failure load (Pistoia)",
       .unit = "N",
       .meaning =
           "Of the elastic solution: load, with its sign, at which the critical share of the solid exceeds the critical "
           "effective strain."},
      {.key = "pistoia.failure_moment_N_mm",
       .title = "failure moment (Pistoia)",
       .unit = "N mm",
       .meaning = "Of the elastic solution: moment at which the critical share of the solid exceeds the critical effective "
                  "strain."},
      {.key = "failure_proof.force_residual",
       .title = "force residual",
       .meaning = "Largest norm of the forces at free nodes over that of the reactions, of all steps.",
       .in_table = false},
      {.key = "failure_proof.yield_violation",
       .title = "violation of the yield surface",
       .meaning = "Largest stress beyond the yield stress, over it.",
       .in_table = false},
      {.key = "failure_proof.work_error",
       .title = "error of the work",
       .meaning =
           "Work of the driven face less stored, dissipated and hardening energy, over the largest work: of the trapezoidal "
           "rule, it falls with the square of the steps.",
       .in_table = false},
      {.key = "failure_proof.smallest_dissipation_MPa",
       .title = "least dissipation",
       .unit = "MPa",
       .meaning = "Of any Gauss point in any step; it is not negative.",
       .in_table = false},
      {.key = "failure_proof.halved.change_of_load",
       .title = "change of the load by half the steps",
       .meaning = "Largest at the ends of the steps, over the largest load: by failure.prove.",
       .in_table = false},
      {.key = "failure_proof.halved.work_error",
       .title = "error of the work of half the steps",
       .meaning = "As failure_proof.work_error, of the path in half the steps.",
       .in_table = false},
  };
}

solver_work failure_work(const spec& job, const voxel::node_count* nodes) {
  solver_work work;
  const failure_keys& keys = job.groups.of<failure_keys>();
  const auto legs = static_cast<double>(std::max<std::size_t>(keys.path.size(), 1));
  // ./run bench failure: ten steps take the time of 15 elastic solutions besides the first; with half the steps again
  // thrice.
  constexpr double solutions_of_step = 1.5;
  const double steps = legs * static_cast<double>(keys.steps.value_or(10));
  work.solutions = 1 + solutions_of_step * steps;
  if (keys.prove) work.solutions += 1 + 2 * solutions_of_step * steps;
  work.assumed = "a step takes one and a half elastic solutions, as a specimen of bone that yields almost everywhere does";
  if (nodes) work.held = held_by_test(job, *nodes, test_of(job));
  return work;
}

}  // namespace

const physics_entry& failure() {
  static const physics_entry row{
      .name = "failure",
      .meaning = "how a specimen yields and when it fails: its curve of force and displacement",
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
            return solid_rules{.has_loaded_faces = of_image, .must_join_faces = of_image};
          },
      .labels = labels_of_sets,
      .system = {io::centring::node, 3},
      .costs = {3.81, 133, 1, 3e-6, 7e-6},  // 87 bytes more than elasticity, four of five voxels having yielded
      .default_tolerance = 1e-5,
      .work = failure_work,
      .most_components = [](const spec&) { return 3; },
      .balances_moments = true,
      .picture = {.is_surface = true},
      .why_not_in_memory = [](const spec&) { return std::string("its physics writes files of its own as it runs"); },
      .run = run_failure,
      .paint = paint_failure};
  return row;
}

}  // namespace osteon::physics
