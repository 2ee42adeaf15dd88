#include <osteon/physics/failure/inp_plasticity.hpp>

#include <fmt/format.h>

#include <osteon/base/error.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/failure/entry.hpp>
#include <osteon/physics/failure/failure_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

std::optional<inp_plasticity> inp_plasticity_of(const spec& job, const voxel::material_table& materials) {
  if (&physics_of(job) != &failure()) return std::nullopt;
  const failure_keys& keys = job.groups.of<failure_keys>();
  if (keys.law != yield_law::von_mises)
    throw usage_error(fmt::format(
        "failure.law = \"{}\" cannot be written as .inp; *PLASTIC supports von_mises only: export an elasticity job, "
        "or set failure.law=von_mises and its strength (--set)",
        keys.law.name()));
  if (keys.integration != failure_integration::full)
    throw usage_error(
        "failure.integration = \"bbar\" cannot be written as .inp; C3D8 uses full integration: --set "
        "failure.integration=full");
  if (job.groups.of<mechanical_keys>().drive.force_N || job.groups.of<mechanical_keys>().drive.moment_N_mm)
    throw usage_error(fmt::format(
        "load.{} cannot be written as .inp, because the displacement is unknown before the solve; specify strain, "
        "displacement_mm or angle_deg",
        job.groups.of<mechanical_keys>().drive.force_N ? "force_N" : "moment_N_mm"));
  inp_plasticity all;
  all.of_material.resize(materials.size());
  for (std::size_t m = 1; m < materials.size(); ++m)
    if (materials[m].youngs_modulus_MPa > 0) {
      const strengths s = strengths_of(job, materials[m], m);
      all.of_material[m] = {s.tension_MPa, s.hardening_MPa};
    }
  if (!keys.path.empty()) all.turns = keys.path;
  all.increments = keys.steps.value_or(0);
  return all;
}

}  // namespace osteon::physics
