#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/field_statistics.hpp>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/entry.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/solver/elastic_constants.hpp>
#include <osteon/physics/elasticity/solver/homogenise.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

using json = nlohmann::ordered_json;

namespace {

constexpr double mean_strain = 0.01;  // the stiffness is independent of this amplitude
constexpr const char* components[] = {"xx", "yy", "zz", "xy", "yz", "xz"};

// Young's moduli, shear moduli and Poisson's ratios, with keys of three axis names.
json moduli(const elastic_constants& k, const std::string& axes) {
  json young, shear, ratios;
  for (std::size_t i = 0; i < 3; ++i) {
    young[std::string{axes[i]}] = k.youngs_modulus_MPa[i];
    const std::size_t from = i == 2 ? 0 : i, to = i == 0 ? 1 : 2;  // xy, yz, xz
    shear[std::string{axes[from], axes[to]}] = k.shear_modulus_MPa[i];
    for (std::size_t j = 0; j < 3; ++j)
      if (i != j) ratios[std::string{axes[i], axes[j]}] = k.poisson_ratio[i][j];
  }
  return {{"youngs_modulus_MPa", young}, {"shear_modulus_MPa", shear}, {"poisson_ratio", ratios}};
}

json constants(const voigt_matrix& stiffness, const elastic_constants& k) {
  json found = {{"compliance_per_MPa", k.compliance_per_MPa}};
  found.update(moduli(k, "xyz"));
  const double bulk = k.bulk_voigt_MPa, shear = k.shear_voigt_MPa;
  found.update({{"isotropic",
                 {{"bulk_modulus_MPa", bulk},
                  {"shear_modulus_MPa", shear},
                  {"youngs_modulus_MPa", 9 * bulk * shear / (3 * bulk + shear)},
                  {"poisson_ratio", (3 * bulk - 2 * shear) / (6 * bulk + 2 * shear)}}},
                {"universal_anisotropy", k.universal_anisotropy},
                {"zener_ratio", k.zener_ratio},
                {"isotropic_misfit", k.isotropic_misfit},
                {"cubic_misfit", k.cubic_misfit},
                {"orthotropic_misfit", k.orthotropic_misfit}});
  const orthotropic_frame frame = best_orthotropic_frame(stiffness);
  if (const auto along = constants_of(frame.stiffness_MPa)) {
    json& f = found["orthotropic_frame"] = {{"axes_xyz", frame.axes}, {"misfit", along->orthotropic_misfit}};
    f.update(moduli(*along, "123"));
  }
  return found;
}

}  // namespace

physics_result run_homogenise(const spec& job, const local_model& part, const numerics::options& options, log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  const auto problem = make_problem(part);
  warn_of_locking(job, part, log);
  const outer_condition boundary = job.load.boundary_condition.value_or(outer_condition::kubc);
  homogenised found = homogenise(*problem, boundary == outer_condition::periodic ? box_faces::periodic : box_faces::kubc,
                                 mean_strain, options, log);

  physics_result result;
  std::array<double, 6> stiffness{};
  for (std::size_t i = 0; i < 6; ++i) stiffness[i] = found.stiffness_MPa[i][i];
  result.certificate = numerics::joint_certificate(found.certificate, stiffness);
  result.elements = comm::sum_over_ranks(comm, part.cells.size());

  // `boundary` is the name of this key before version 0.2 and will be removed in version 0.4.
  json answer = {{"boundary_condition", name_of(boundary)},
                 {"boundary", name_of(boundary)},
                 {"order", components},
                 {"volume_fraction", static_cast<double>(result.elements) / static_cast<double>(part.header.shape.volume())},
                 {"stiffness_MPa", found.stiffness_MPa},
                 {"asymmetry", found.asymmetry}};
  if (const auto k = constants_of(found.stiffness_MPa))
    answer.update(constants(found.stiffness_MPa, *k));
  else
    log.warn("the stiffness tensor is singular: compliance and moduli are undefined");
  answer["cases"] = json::array();
  for (std::size_t i = 0; i < 6; ++i)
    answer["cases"].push_back({{"strain", components[i]},
                               {"iterations", found.certificate[i].iterations},
                               {"true_relative_residual", found.certificate[i].true_relative_residual},
                               {"converged", found.certificate[i].converged}});

  derived_fields state;
  comm::collectively(comm, [&] { state = derive_fields(problem, std::move(found.shown.displacement_mm)); });
  const auto sed = numerics::statistics(comm, *state.sed);
  result.answers = {{"homogenisation", answer},
                    {"sed_MPa", {{"mean", sed.mean}, {"p95", sed.p95}, {"p98", sed.p98}, {"max", sed.max}}},
                    {"load",
                     {{"test", "homogenise"},
                      {"boundary_condition", name_of(boundary)},
                      {"boundary", name_of(boundary)},
                      {"axis", "z"},
                      {"strain", mean_strain}}}};
  if (auto table = by_material(part, state); !table.is_null()) result.answers["by_material"] = std::move(table);
  show(result, job, part, state);
  result.fields = elastic_fields(part, fields_of_job(job), state);
  return result;
}

void check_homogenise(const local_model& part, bool is_periodic) {
  check_homogenisation(*make_problem(part), is_periodic ? box_faces::periodic : box_faces::kubc);
}

}  // namespace osteon::physics
