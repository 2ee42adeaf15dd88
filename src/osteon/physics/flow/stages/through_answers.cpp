#include <osteon/physics/flow/stages/through_answers.hpp>

#include <fmt/format.h>

#include <osteon/physics/flow/stages/solid_labels.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

}  // namespace

json answers_of_flow(const through_flow& flow, const std::vector<std::string>& names, const flow_keys& keys,
                     const std::array<bool, 3>& is_periodic) {
  json answers = {{"flow_rate_mm3_per_s", flow.inflow_mm3_per_s},
                  {"pressure_drop_Pa", flow.pressure_drop_Pa},
                  {"opening_inflow_mm3_per_s", json::object()},
                  {"opening_pressure_Pa", json::object()},
                  {"mean_speed_mm_per_s", flow.mean_speed_mm_per_s},
                  {"highest_speed_mm_per_s", flow.highest_speed_mm_per_s},
                  {"reynolds_number", flow.reynolds_number},
                  {"cell_reynolds_number", flow.cell_reynolds_number},
                  {"mass_imbalance", flow.imbalance},
                  {"mean_wall_shear_stress_Pa", flow.mean_wall_shear_Pa},
                  {"wall_shear_stress_p95_Pa", flow.p95_wall_shear_Pa},
                  {"force_on_solid_N", {flow.force_on_solid_N.z, flow.force_on_solid_N.y, flow.force_on_solid_N.x}}};
  const auto by_label = [&](double unit) {
    json forces = json::object();
    for (std::size_t n = 0; n < flow.force_on_label_N.size(); ++n) {
      const vector3 force = flow.force_on_label_N[n];
      forces[name_of_label(keys.force_labels[n])] = {force.z / unit, force.y / unit, force.x / unit};
    }
    return forces;
  };
  if (!flow.force_on_label_N.empty()) {
    vector3 other = flow.force_on_solid_N;
    for (const vector3& n : flow.force_on_label_N)
      for (int a = 0; a < 3; ++a) other[a] -= n[a];
    answers["force_on_label_N"] = by_label(1);
    answers["force_on_label_N"]["other"] = {other.z, other.y, other.x};
  }
  if (keys.reference_area_mm2 && keys.reference_velocity_mm_per_s) {
    constexpr double m_per_mm = 1e-3, m2_per_mm2 = 1e-6;
    const double velocity = flow.multiple * m_per_mm * *keys.reference_velocity_mm_per_s;
    const double unit = keys.density_kg_per_m3 / 2 * velocity * velocity * m2_per_mm2 * *keys.reference_area_mm2;
    answers["force_coefficients"] = {flow.force_on_solid_N.z / unit, flow.force_on_solid_N.y / unit,
                                     flow.force_on_solid_N.x / unit};
    if (!flow.force_on_label_N.empty()) answers["force_coefficients_of_label"] = by_label(unit);
  }
  for (std::size_t a = 0; a < 3; ++a) {
    if (!is_periodic[a]) continue;
    answers["period_flow_rate_mm3_per_s"][std::string(1, "zyx"[a])] = flow.period_flow_mm3_per_s[a];
    answers["period_pressure_drop_Pa"][std::string(1, "zyx"[a])] = flow.period_drop_Pa[a];
  }
  for (std::size_t n = 0; n < names.size(); ++n) {
    const boundary_flow& b = flow.boundaries[n];
    if (!is_opening(b)) continue;
    answers["opening_inflow_mm3_per_s"][names[n]] = b.inflow_mm3_per_s;
    answers["opening_pressure_Pa"][names[n]] = b.mean_pressure_Pa;
  }
  return answers;
}

json through_load(const spec& job, const local_model& part) {
  const flow_keys& f = job.groups.of<flow_keys>();
  json load = {{"test", name_of(test_of_flow(job))},
               {"axis", job.load.axis.name()},
               {"viscosity_Pa_s", f.viscosity_Pa_s},
               {"density_kg_per_m3", f.density_kg_per_m3},
               {"inertia", f.inertia},
               {"length_mm", length_mm(part.header, load_axis(job))},
               {"cross_section_mm2", cross_section_mm2(part.header, load_axis(job))},
               {"boundary", json::array()}};
  if (f.inertia) load["convection"] = f.convection.name();
  if (f.residence_time) load["diffusivity_m2_per_s"] = f.self_diffusivity();
  if (f.heat)
    load.update({{"conductivity_W_per_mK", f.conductivity()},
                 {"heat_capacity_J_per_m3K", f.heat_capacity()},
                 {"heat_convection", f.heat_convection.name()}});
  if (f.expansion_per_K) load.update({{"expansion_per_K", *f.expansion_per_K}, {"gravity_m_per_s2", *f.gravity_m_per_s2}});
  for (const boundary_spec& b : job.groups.of<condition_keys>().boundaries) {
    json face = {{"kind", b.kind.name()}};
    if (!b.face.empty()) face["face"] = b.face;
    const auto add = [&](const char* key, const auto& value) {
      if (value) face[key] = *value;
    };
    add("label", b.label);
    add("temperature_K", b.temperature_K);
    add("flux_W_per_m2", b.flux_W_per_m2);
    add("transfer_W_per_m2K", b.transfer_W_per_m2K);
    add("velocity_mm_per_s", b.velocity_mm_per_s);
    add("flow_rate_mm3_per_s", b.flow_rate_mm3_per_s);
    add("pressure_Pa", b.pressure_Pa);
    add("pressure_drop_Pa", b.pressure_drop_Pa);
    if (b.profile) face["profile"] = b.profile.name();
    add("slide_mm_per_s", b.slide_mm_per_s);
    add("low_mm", b.low_mm);
    add("high_mm", b.high_mm);
    add("centre_mm", b.centre_mm);
    add("radius_mm", b.radius_mm);
    if (!b.factor_at_s.empty()) face["factor_at_s"] = b.factor_at_s;
    add("period_s", b.period_s);
    load["boundary"].push_back(face);
  }
  return load;
}

json openings_of_load(const json& answers) {
  json openings = answers.at("load").at("boundary");
  for (json& opening : openings) {
    opening.erase("factor_at_s");
    const std::string face = opening.value("face", "");
    for (const auto& [key, name] :
         {std::pair("opening_inflow_mm3_per_s", "inflow_mm3_per_s"), std::pair("opening_pressure_Pa", "mean_pressure_Pa")})
      if (answers.contains(key) && answers[key].contains(face)) opening[name] = answers[key][face];
  }
  return openings;
}

void warn_of_upwinding(const spec& job, const through_flow& flow, json& answers, log_sink& log) {
  if (!job.groups.of<flow_keys>().inertia) {
    if (flow.reynolds_number > highest_creeping_reynolds_number)
      log.warn(fmt::format(
          "flow.inertia: the Reynolds number {:.3g} exceeds {:g}, the limit of creeping flow; set flow.inertia = true",
          flow.reynolds_number, highest_creeping_reynolds_number));
    return;
  }
  answers["upwinded_share"] = flow.upwinded_share;
  if (job.groups.of<flow_keys>().convection == convection_scheme::limited) {
    if (!job.groups.of<condition_keys>().transient) answers["limiter_residual"] = flow.limiter_residual;
    return;
  }
  constexpr double much = 0.01;
  if (flow.upwinded_share > much)
    log.warn(
        fmt::format("voxel Reynolds number {:.3g}: convection uses upwind differences (hybrid scheme) above 2, on {:.1f} % "
                    "of the faces; use smaller voxels or flow.convection = \"limited\"",
                    flow.cell_reynolds_number, 100 * flow.upwinded_share));
}

json describe(const flow_counts& counts) {
  return {{"voxels", counts.fluid},
          {"flowing_voxels", counts.flowing},
          {"parts", counts.parts},
          {"flowing_parts", counts.flowing_parts},
          {"wetted_faces", counts.wetted_faces}};
}

void report_fluid(const through_solution& solution, json& answers) {
  const flow_counts& counts = solution.counts;
  answers["porosity"] = counts.porosity();
  answers["flowing_share"] = static_cast<double>(counts.flowing) / static_cast<double>(counts.fluid);
  answers["hydraulic_diameter_mm"] = solution.hydraulic_diameter_mm;
  answers["fluid"] = describe(counts);
}

}  // namespace osteon::physics
