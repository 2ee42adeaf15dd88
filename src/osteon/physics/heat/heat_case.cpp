#include <osteon/physics/heat/heat_case.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/physics/heat/check_heat.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

numerics::face_condition condition(const boundary_spec& b) {
  constexpr double per_mm2 = 1e-6;  // factor from 1/m2 to 1/mm2
  numerics::face_condition face;
  face.kind = kind_of(b) == condition_kind::flux         ? numerics::thermal::flux
              : kind_of(b) == condition_kind::convection ? numerics::thermal::convection
              : kind_of(b) == condition_kind::periodic   ? numerics::thermal::insulated
                                                         : numerics::thermal::temperature;
  face.temperature_K = b.temperature_K.value_or(0);
  face.flux_W_per_mm2 = per_mm2 * b.flux_W_per_m2.value_or(0);
  face.transfer_W_per_mm2K = per_mm2 * b.transfer_W_per_m2K.value_or(0);
  return face;
}

// Return a property for each material number of the model. Number 0 is void. The materials of the job follow the void in
// their order.
template <class Property>
std::vector<double> by_number(const spec& job, const local_model& part, Property property) {
  std::vector<double> values(part.header.materials.size(), 0.0);
  for (std::size_t n = 0; n < job.materials.size() && n + 1 < values.size(); ++n)
    values[n + 1] = property(job.materials[n]) * 1e-9;  // factor from 1/m3 to 1/mm3
  return values;
}

}  // namespace

numerics::heat_problem make_heat_problem(const spec& job, const local_model& part, heat_test test) {
  numerics::heat_problem problem{.where = part.where,
                                 .spacing_mm = part.header.spacing_mm,
                                 .materials = &part.header.materials,
                                 .cells = part.cells,
                                 .material = part.material};
  const condition_keys& given = job.groups.of<condition_keys>();
  if (test == heat_test::conduction) problem.faces = two_temperatures(load_axis(job), given.low_K, given.high_K);
  if (test != heat_test::heat_transfer) return problem;
  for (const boundary_spec& b : given.boundaries) {
    const std::size_t axis = b.face[0] == 'z' ? 0 : b.face[0] == 'y' ? 1 : 2;
    const bool both = b.face.size() == 1;
    if (kind_of(b) == condition_kind::periodic) problem.periodic[axis] = true;
    if (both || b.face.ends_with("low")) problem.faces[axis][0] = condition(b);
    if (both || b.face.ends_with("high")) problem.faces[axis][1] = condition(b);
  }
  if (const auto& g = given.gradient_K_per_mm) problem.gradient_K_per_mm = {(*g)[0], (*g)[1], (*g)[2]};
  problem.source_W_per_mm3 = by_number(job, part, [](const material_spec& m) { return m.heat_source_W_per_m3; });
  return problem;
}

time_plan make_time_plan(const spec& job, const local_model& part) {
  const transient_spec& t = *job.groups.of<condition_keys>().transient;
  const double step_s = *t.end_s / std::ceil(*t.end_s / *t.step_s * (1 - 1e-12));
  return {.heat_capacity_J_per_mm3K =
              by_number(job, part, [](const material_spec& m) { return m.heat_capacity_J_per_m3K.value_or(0); }),
          .initial_K = *t.initial_K,
          .end_s = *t.end_s,
          .step_s = *t.step_s,
          .implicitness = t.scheme == time_scheme::crank_nicolson ? 0.5 : 1,
          .steps_per_record = std::max<std::int64_t>(1, std::llround(t.output_every_s / step_s))};
}

std::vector<result_field> heat_fields(const local_model& part, cell_values temperature_K, cell_values heat_flux) {
  const auto field = [&part](const char* name, const char* long_name, const char* units, cell_values values) {
    return result_field{{name, long_name, units, io::centring::cell, 1},
                        [&part, values = std::move(values)] { return cell_planes(part, values); }};
  };
  return {field("temperature", "temperature", "K", std::move(temperature_K)),
          field("heat_flux", "magnitude of the heat flux density", "W mm-2", std::move(heat_flux))};
}

result_field heat_flux_field(const local_model& part, cell_values vectors) {
  return {{"heat_flux_density", "heat flux density", "W mm-2", io::centring::cell, 3},
          [&part, vectors = std::move(vectors)] { return vector_planes(part, vectors); }};
}

}  // namespace osteon::physics
