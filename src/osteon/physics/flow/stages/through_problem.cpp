#include <osteon/physics/flow/stages/through_problem.hpp>

#include <fmt/format.h>

#include <map>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/keys/fluid_of.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

face_flow kind_of_flow(const optional_choice<condition_kind>& kind) {
  return kind == condition_kind::velocity    ? face_flow::velocity
         : kind == condition_kind::flow_rate ? face_flow::flow_rate
         : kind == condition_kind::pressure  ? face_flow::pressure
         : kind == condition_kind::outlet    ? face_flow::outlet
         : kind == condition_kind::slip      ? face_flow::slip
                                             : face_flow::wall;
}

// Return one condition for each face of a table. @param table_of receives the table of each condition
std::vector<flow_boundary> conditions_of(const spec& job, vector3 origin_mm, std::vector<std::size_t>& table_of) {
  std::vector<flow_boundary> all;
  for (std::size_t n = 0; n < job.groups.of<condition_keys>().boundaries.size(); ++n) {
    const boundary_spec& b = job.groups.of<condition_keys>().boundaries[n];
    if (is_thermal_condition(b) || b.kind == condition_kind::periodic) continue;
    for (flow_boundary& one : faces_of_table(job, n, origin_mm)) {
      one.kind = kind_of_flow(b.kind);
      one.value = b.velocity_mm_per_s.value_or(b.flow_rate_mm3_per_s.value_or(b.pressure_Pa.value_or(0)));
      one.is_developed = b.profile == velocity_profile::developed;
      one.is_parabolic = b.profile == velocity_profile::parabolic;
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

std::vector<flow_boundary> faces_of_table(const spec& job, std::size_t table, vector3 origin_mm) {
  const auto place = [&](const std::vector<double>& zyx) {
    return vector3{zyx[0] - origin_mm.z, zyx[1] - origin_mm.y, zyx[2] - origin_mm.x};
  };
  const boundary_spec& b = job.groups.of<condition_keys>().boundaries.at(table);
  flow_boundary one;
  one.is_inside = is_inside(b);
  if (!b.face.empty()) one.across = b.face[0] == 'z' ? axis::z : b.face[0] == 'y' ? axis::y : axis::x;
  if (b.low_mm) one.low_mm = place(*b.low_mm);
  if (b.high_mm) one.high_mm = place(*b.high_mm);
  if (b.centre_mm) one.centre_mm = place(*b.centre_mm);
  if (b.radius_mm) one.radius_mm = *b.radius_mm;
  std::vector<flow_boundary> faces;
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

through_problem make_through_problem(const spec& job, const local_model& part, std::vector<std::size_t>& table_of) {
  const flow_keys& f = job.groups.of<flow_keys>();
  through_problem problem;
  problem.where = part.where;
  problem.spacing_mm = part.header.spacing_mm;
  problem.cells = fluid_of(job, part);
  problem.boundaries = conditions_of(job, part.header.origin_mm, table_of);
  for (const boundary_spec& b : job.groups.of<condition_keys>().boundaries) {
    if (b.kind != condition_kind::periodic) continue;
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
  problem.is_central = f.convection == convection_scheme::central;
  problem.is_limited = f.convection == convection_scheme::limited;
  problem.is_buoyant = f.expansion_per_K.has_value();
  return problem;
}

through_options through_options_of(const numerics::options& solver_options) {
  through_options options;
  options.tolerance = solver_options.tolerance;
  options.max_iterations = solver_options.max_iterations;
  if (solver_options.checkpoints) options.poll = [&solver_options] { solver_options.checkpoints->pass(); };
  return options;
}

std::vector<std::string> names_of_openings(const spec& job, const through_problem& problem,
                                           const std::vector<std::size_t>& table_of) {
  std::map<std::string, int> count;
  std::vector<std::string> names;
  for (const flow_boundary& b : problem.boundaries) {
    std::string face = fmt::format("{}_{}", "zyx"[static_cast<int>(b.across)], b.high ? "high" : "low");
    if (b.is_inside) {
      const boundary_spec& table = job.groups.of<condition_keys>().boundaries[table_of[names.size()]];
      const std::string prefix = table.label ? fmt::format("label_{}", *table.label) : "inside";
      face = table.face.empty() ? prefix : fmt::format("{}_{}", prefix, face);
    }
    const int number = ++count[face];
    names.push_back(number == 1 ? face : fmt::format("{}_{}", face, number));
  }
  return names;
}

}  // namespace osteon::physics
