#include <osteon/job/flow/run_flow_through.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <osteon/comm/collectively.hpp>
#include <osteon/job/flow/buoyancy.hpp>
#include <osteon/job/flow/flow_fields.hpp>
#include <osteon/job/flow/flow_keys.hpp>
#include <osteon/job/flow/run_flow.hpp>
#include <osteon/job/flow/run_flow_heat.hpp>
#include <osteon/job/flow/run_flow_residence.hpp>
#include <osteon/job/flow/run_flow_transient.hpp>
#include <osteon/job/flow/solid_labels.hpp>
#include <osteon/job/probes/probes.hpp>
#include <osteon/solve/checkpointer.hpp>
#include <osteon/solve/flow/projection/mass_keeping.hpp>
#include <osteon/solve/joint_certificate.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

solve::face_flow kind_of_flow(const std::string& kind) {
  return kind == "velocity"    ? solve::face_flow::velocity
         : kind == "flow_rate" ? solve::face_flow::flow_rate
         : kind == "pressure"  ? solve::face_flow::pressure
         : kind == "outlet"    ? solve::face_flow::outlet
         : kind == "slip"      ? solve::face_flow::slip
                               : solve::face_flow::wall;
}

// One condition for each face of a table. @param table_of becomes the table of each
std::vector<solve::flow_boundary> conditions_of(const spec& job, vector3 origin_mm, std::vector<std::size_t>& table_of) {
  std::vector<solve::flow_boundary> all;
  for (std::size_t n = 0; n < job.boundaries.size(); ++n) {
    const boundary_spec& b = job.boundaries[n];
    if (is_of_heat(b) || b.kind == "periodic") continue;
    for (solve::flow_boundary& one : faces_of_table(job, n, origin_mm)) {
      one.kind = kind_of_flow(b.kind.value_or(""));
      one.value = b.velocity_mm_per_s.value_or(b.flow_rate_mm3_per_s.value_or(b.pressure_Pa.value_or(0)));
      one.is_developed = b.profile.value_or("uniform") == "developed";
      one.is_parabolic = b.profile.value_or("uniform") == "parabolic";
      if (const auto& u = b.slide_mm_per_s) one.slide_mm_per_s = {(*u)[0], (*u)[1], (*u)[2]};
      for (const auto& point : b.factor_at_s) one.factor.points.push_back({point.at(0), point.at(1)});
      one.factor.period_s = b.period_s.value_or(0);
      all.push_back(std::move(one));
      table_of.push_back(n);
    }
  }
  return all;
}

}  // namespace

std::vector<solve::flow_boundary> faces_of_table(const spec& job, std::size_t table, vector3 origin_mm) {
  const auto place = [&](const std::vector<double>& zyx) {
    return vector3{zyx[0] - origin_mm.z, zyx[1] - origin_mm.y, zyx[2] - origin_mm.x};
  };
  const boundary_spec& b = job.boundaries.at(table);
  solve::flow_boundary one;
  one.is_inside = is_inside(b);
  if (!b.face.empty()) one.across = b.face[0] == 'z' ? axis::z : b.face[0] == 'y' ? axis::y : axis::x;
  if (b.low_mm) one.low_mm = place(*b.low_mm);
  if (b.high_mm) one.high_mm = place(*b.high_mm);
  if (b.centre_mm) one.centre_mm = place(*b.centre_mm);
  if (b.radius_mm) one.radius_mm = *b.radius_mm;
  std::vector<solve::flow_boundary> faces;
  if (b.face.empty()) {
    one.name = b.label ? fmt::format("boundary[{}] (label {})", table + 1, *b.label)
                       : fmt::format("boundary[{}] (inside the image)", table + 1);
    return {one};
  }
  for (const bool high : {false, true}) {
    if (b.face.size() > 1 && b.face.ends_with("high") != high) continue;
    one.high = high;
    const std::string face = fmt::format("{}_{}", b.face[0], high ? "high" : "low");
    one.name = b.label ? fmt::format("boundary[{}] (label {}, {})", table + 1, *b.label, face)
                       : fmt::format("boundary[{}] ({})", table + 1, face);
    if (b.label) one.only_side = static_cast<std::int8_t>(one.side());
    faces.push_back(one);
  }
  return faces;
}

solve::through_problem make_through_problem(const spec& job, const local_model& part, std::vector<std::size_t>& table_of) {
  const flow_keys f = flow_keys_of(job);
  solve::through_problem problem;
  problem.where = part.where;
  problem.spacing_mm = part.header.spacing_mm;
  problem.cells = fluid_of(job, part);
  problem.boundaries = conditions_of(job, part.header.origin_mm, table_of);
  for (const boundary_spec& b : job.boundaries) {
    if (b.kind != "periodic") continue;
    const std::size_t a = std::string("zyx").find(b.face[0]);
    problem.periodic[a] = true;
    problem.period_drop_Pa[a] = b.pressure_drop_Pa.value_or(0);
    problem.period_rate_mm3_per_s[a] = b.flow_rate_mm3_per_s;
    for (const auto& point : b.factor_at_s) problem.period_factor[a].points.push_back({point.at(0), point.at(1)});
    problem.period_factor[a].period_s = b.period_s.value_or(0);
  }
  if (!f.multiples.empty()) problem.multiples = f.multiples;
  problem.viscosity_Pa_s = f.viscosity_Pa_s;
  problem.density_kg_per_m3 = f.density_kg_per_m3;
  problem.has_inertia = f.inertia;
  problem.is_central = f.convection == "central";
  problem.is_limited = f.convection == "limited";
  problem.is_buoyant = f.expansion_per_K.has_value();
  return problem;
}

solve::through_options through_options_of(const solve::options& how) {
  solve::through_options options;
  options.tolerance = how.tolerance;
  options.max_iterations = how.max_iterations;
  if (how.checkpoints) options.poll = [&how] { how.checkpoints->pass(); };
  return options;
}

std::vector<std::string> names_of_openings(const spec& job, const solve::through_problem& problem,
                                           const std::vector<std::size_t>& table_of) {
  std::map<std::string, int> count;
  std::vector<std::string> names;
  for (const solve::flow_boundary& b : problem.boundaries) {
    std::string face = fmt::format("{}_{}", "zyx"[static_cast<int>(b.across)], b.high ? "high" : "low");
    if (b.is_inside) {
      const boundary_spec& table = job.boundaries[table_of[names.size()]];
      const std::string what = table.label ? fmt::format("label_{}", *table.label) : "inside";
      face = table.face.empty() ? what : fmt::format("{}_{}", what, face);
    }
    const int number = ++count[face];
    names.push_back(number == 1 ? face : fmt::format("{}_{}", face, number));
  }
  return names;
}

namespace {

// Drop of pressure over velocity and length against velocity, by least squares of relative distances:
// drop / (length velocity) = viscosity / K + beta density velocity.
struct forchheimer_fit {
  double permeability_m2 = 0, beta_per_m = 0, error = 0;
};

std::optional<forchheimer_fit> fit_forchheimer(const spec& job, const local_model& part,
                                               const std::vector<solve::through_flow>& flows) {
  const flow_keys f = flow_keys_of(job);
  if (!f.inertia || f.expansion_per_K || flows.size() < 2) return std::nullopt;  // heat drives, too
  const double length_m = 1e-3 * length_mm(part.header, load_axis(job)),
               section_mm2 = cross_section_mm2(part.header, load_axis(job));
  double ss = 0, sv = 0, vv = 0, s = 0, v = 0;
  std::vector<std::array<double, 2>> points;  // velocity, resistance
  for (const solve::through_flow& flow : flows) {
    const double velocity = 1e-3 * flow.inflow_mm3_per_s / section_mm2;
    if (!flow.certificate.converged || velocity <= 0 || flow.pressure_drop_Pa <= 0) continue;
    points.push_back({velocity, flow.pressure_drop_Pa / (length_m * velocity)});
  }
  if (points.size() < 2) return std::nullopt;
  // Unknowns a + b velocity; each equation divided by its resistance.
  for (const auto& [velocity, resistance] : points) {
    const double p = 1 / resistance, q = velocity / resistance;
    ss += p * p, sv += p * q, vv += q * q, s += p, v += q;
  }
  const double determinant = ss * vv - sv * sv;
  if (!(determinant > 1e-12 * ss * vv)) return std::nullopt;
  const double a = (vv * s - sv * v) / determinant, b = (ss * v - sv * s) / determinant;
  forchheimer_fit fit{f.viscosity_Pa_s / a, b / f.density_kg_per_m3, 0};
  for (const auto& [velocity, resistance] : points)
    fit.error = std::max(fit.error, std::abs((a + b * velocity) / resistance - 1));
  return fit;
}

}  // namespace

json answers_of_flow(const solve::through_flow& flow, const std::vector<std::string>& names, const flow_keys& keys,
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
    const solve::boundary_flow& b = flow.boundaries[n];
    if (!is_opening(b)) continue;
    answers["opening_inflow_mm3_per_s"][names[n]] = b.inflow_mm3_per_s;
    answers["opening_pressure_Pa"][names[n]] = b.mean_pressure_Pa;
  }
  return answers;
}

json through_load(const spec& job, const local_model& part) {
  const flow_keys f = flow_keys_of(job);
  json load = {{"test", flow_test(job)},
               {"axis", job.load.axis},
               {"viscosity_Pa_s", f.viscosity_Pa_s},
               {"density_kg_per_m3", f.density_kg_per_m3},
               {"inertia", f.inertia},
               {"length_mm", length_mm(part.header, load_axis(job))},
               {"cross_section_mm2", cross_section_mm2(part.header, load_axis(job))},
               {"boundary", json::array()}};
  if (f.inertia) load["convection"] = f.convection;
  if (f.residence_time) load["diffusivity_m2_per_s"] = f.self_diffusivity();
  if (f.heat)
    load.update({{"conductivity_W_per_mK", f.conductivity()},
                 {"heat_capacity_J_per_m3K", f.heat_capacity()},
                 {"heat_convection", f.heat_convection}});
  if (f.expansion_per_K) load.update({{"expansion_per_K", *f.expansion_per_K}, {"gravity_m_per_s2", *f.gravity_m_per_s2}});
  for (const boundary_spec& b : job.boundaries) {
    json face = {{"kind", b.kind.value_or("")}};
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
    add("profile", b.profile);
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

void tell_of_upwinding(const spec& job, const solve::through_flow& flow, json& answers, log_sink& log) {
  if (!flow_keys_of(job).inertia) return;
  answers["upwinded_share"] = flow.upwinded_share;
  if (flow_keys_of(job).convection == "limited") {
    if (!job.transient) answers["limiter_residual"] = flow.limiter_residual;
    return;
  }
  constexpr double much = 0.01;
  if (flow.upwinded_share > much)
    log.warn(
        fmt::format("the Reynolds number of a voxel reaches {:.3g}: convection is blended with upwind differences "
                    "(hybrid scheme) where it exceeds 2, which is {:.1f} % of the faces; smaller voxels, or "
                    "flow.convection = \"limited\"",
                    flow.cell_reynolds_number, 100 * flow.upwinded_share));
}

void tell_of_fluid(const solve::through_solution& solution, json& answers) {
  const solve::flow_counts& counts = solution.counts;
  answers["porosity"] = counts.porosity();
  answers["flowing_share"] = static_cast<double>(counts.flowing) / static_cast<double>(counts.fluid);
  answers["hydraulic_diameter_mm"] = solution.hydraulic_diameter_mm;
  answers["fluid"] = {{"voxels", counts.fluid},
                      {"flowing_voxels", counts.flowing},
                      {"parts", counts.parts},
                      {"flowing_parts", counts.flowing_parts},
                      {"wetted_faces", counts.wetted_faces}};
}

namespace {

// Where a flow that missed its tolerance stands.
std::string state_of(const solve::through_flow& flow, bool has_inertia) {
  std::vector<std::string> steps;
  for (const double s : flow.steady_history) steps.push_back(fmt::format("{:.1e}", s));
  constexpr std::size_t most = 12;
  const bool is_long = steps.size() > most;
  if (is_long) steps.erase(steps.begin(), steps.end() - most);
  return fmt::format(
      "an error of {:.2e} of the answer (after each step: {}{}{})",
      flow.steady_history.empty() ? 1 : flow.steady_history.back(), is_long ? "..., " : "", fmt::join(steps, ", "),
      has_inertia ? "; a flow that does not settle is transient: a steady one is not to be had at this velocity" : "");
}

}  // namespace

physics_result run_flow_through(const spec& job, const local_model& part, const solve::options& how, log_sink& log,
                                std::vector<double>* temperature_K) {
  if (job.transient) return run_flow_transient(job, part, how, log);
  const MPI_Comm comm = part.where.comm;
  solve::through_problem problem;
  solve::temperature_problem heat;
  std::vector<std::size_t> table_of;
  comm::collectively(comm, [&] { problem = make_through_problem(job, part, table_of); });
  add_solid_labels(job, part, table_of, problem);
  comm::collectively(comm, [&] {
    if (flow_keys_of(job).heat) heat = make_temperature_problem(job, part, problem.cells, problem.boundaries, table_of);
  });
  solve::through_options options = through_options_of(how);
  options.faces_of_all = flow_keys_of(job).heat;
  options.carry = solve::keep_mass;
  options.faces = flow_keys_of(job).heat || flow_keys_of(job).residence_time;
  std::optional<probes> watching;
  if (!job.probes.empty()) {
    watching.emplace(job, part, problem.cells, flow_keys_of(job).heat);
    options.watch = &watching->watch();
  }
  std::vector<solve::buoyant_solution> convection;
  if (problem.is_buoyant) convection = solve_buoyancy(job, problem, heat, how, options, log);
  solve::through_solution solution =
      problem.is_buoyant ? flows_of(convection) : solve::solve_flow_through(problem, options, log);
  physics_result result;
  result.elements = part.cells.size();
  MPI_Allreduce(MPI_IN_PLACE, &result.elements, 1, MPI_INT64_T, MPI_SUM, comm);
  std::vector<solve::solve_certificate> certificates;
  for (const solve::through_flow& flow : solution.flows) certificates.push_back(flow.certificate);
  result.certificate = solve::joint_certificate(certificates);

  const std::vector<std::string> names = names_of_openings(job, problem, table_of);
  const solve::through_flow& last = solution.flows.back();
  const flow_keys f = flow_keys_of(job);
  result.answers = answers_of_flow(last, names, f, problem.periodic);
  if (f.heat && !problem.is_buoyant) result.answers["flux_correction"] = last.faces_change;
  tell_of_upwinding(job, last, result.answers, log);
  if (!f.multiples.empty()) {
    result.answers["flows"] = json::array();
    for (const solve::through_flow& flow : solution.flows) {
      json one = {{"multiple", flow.multiple}};
      one.update(answers_of_flow(flow, names, f, problem.periodic));
      one["iterations"] = flow.certificate.iterations;
      result.answers["flows"].push_back(one);
    }
  }
  if (const auto fit = fit_forchheimer(job, part, solution.flows)) {
    result.answers["forchheimer_permeability_m2"] = fit->permeability_m2;
    result.answers["forchheimer_beta_per_m"] = fit->beta_per_m;
    result.answers["forchheimer_error"] = fit->error;
  }
  tell_of_fluid(solution, result.answers);
  result.stopped_at = state_of(last, f.inertia);
  show_flow(result, job, part, problem.cells, std::move(solution.velocity_mm_per_s), std::move(solution.pressure_Pa),
            std::nullopt);
  cell_values shear;
  comm::collectively(comm, [&] { shear = spread_over(part, problem.cells, std::move(solution.wall_shear_Pa), 1); });
  result.fields.push_back({wall_shear_info(), [&part, shear] { return cell_planes(part, shear, 1); }});
  if (f.heat && (problem.is_buoyant || result.certificate.converged)) {
    const shown_field speed = shown_of(result);
    probes* const watched = watching ? &*watching : nullptr;
    if (problem.is_buoyant) {
      tell_buoyancy(result, job, part, heat, convection, solution, names, log, watched);
      if (temperature_K) *temperature_K = std::move(convection.back().heat.temperature_K);
    } else {
      add_flow_temperature(result, job, part, std::move(heat), solution, names, how, log, temperature_K, watched);
    }
    if (job.picture.field == "speed") show(result, speed);
  }
  if (f.residence_time && result.certificate.converged) add_flow_residence(result, job, part, problem, solution, how, log);
  if (watching) watching->finish(result, log);
  result.answers["load"] = through_load(job, part);
  return result;
}

void check_flow_through_on(const spec& job, const local_model& part) {
  if (job.transient) return check_flow_transient_on(job, part);
  std::vector<std::size_t> table_of;
  solve::through_problem problem = make_through_problem(job, part, table_of);
  add_solid_labels(job, part, table_of, problem);
  solve::check_flow_through(problem, through_options_of({}));
  if (!job.probes.empty()) place_probes(job, part, problem.cells, flow_keys_of(job).heat);
  if (flow_keys_of(job).heat)
    solve::check_flow_temperature(make_temperature_problem(job, part, problem.cells, problem.boundaries, table_of));
}

}  // namespace osteon::job
