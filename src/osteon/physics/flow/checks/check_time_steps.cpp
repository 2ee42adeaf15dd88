#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <limits>
#include <osteon/base/fault_list.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

// Checks of a condition that changes with time.
void check_factor(const spec& job, std::size_t n, std::vector<problem>& problems) {
  const boundary_spec& b = job.groups.of<condition_keys>().boundaries[n];
  const fault_list expect(problems, fmt::format("boundary[{}].", n + 1));
  expect(!b.period_s || !b.factor_at_s.empty(), "period_s", "requires factor_at_s; set factor_at_s or remove period_s");
  if (b.factor_at_s.empty()) return;
  expect(job.groups.of<condition_keys>().transient.has_value(), "factor_at_s",
         "requires [transient]; add the table or remove this key");
  const optional_choice<condition_kind>& kind = b.kind;
  expect(!is_thermal_condition(b), "factor_at_s",
         "not available for thermal conditions, which are constant in time; remove the key");
  const bool drives = kind == condition_kind::periodic && (b.flow_rate_mm3_per_s || b.pressure_drop_Pa);
  expect(drives || kind == condition_kind::velocity || kind == condition_kind::flow_rate ||
             kind == condition_kind::pressure || kind == condition_kind::outlet || kind == condition_kind::wall,
         "factor_at_s", "not applicable to kind = \"{}\", which has no value; remove the key", kind.name());
  expect(!job.groups.of<flow_keys>().steady_change_per_s, "factor_at_s",
         "not allowed together with flow.steady_change_per_s: varying conditions have no steady state; remove one of the "
         "two keys");
  double last = -std::numeric_limits<double>::infinity();
  for (const auto& point : b.factor_at_s) {
    if (!expect(point.size() == 2, "factor_at_s", "must be a list of [time, factor] pairs, for example [[0, 0], [0.1, 1]]"))
      return;
    expect(point[0] > last, "factor_at_s", "{} s follows {} s; times must increase", point[0], last);
    last = point[0];
  }
  if (!b.period_s) return;
  expect(*b.period_s > 0 && b.factor_at_s.front()[0] >= 0 && last <= *b.period_s, "period_s",
         "{} s; must be positive, and the times of factor_at_s must be between 0 and period_s", *b.period_s);
}

}  // namespace

void check_time_steps(const spec& job, std::vector<problem>& problems) {
  const fault_list expect(problems);
  const flow_keys& f = job.groups.of<flow_keys>();
  for (std::size_t n = 0; n < job.groups.of<condition_keys>().boundaries.size(); ++n) check_factor(job, n, problems);
  if (!job.groups.of<condition_keys>().transient) {
    for (const auto& [given, key] : {std::pair{f.cfl.has_value(), "flow.cfl"},
                                     {f.start.has_value(), "flow.start"},
                                     {f.steady_change_per_s.has_value(), "flow.steady_change_per_s"}})
      expect(!given, key, "requires [transient]; add the table or remove this key");
    return;
  }
  const transient_spec& t = *job.groups.of<condition_keys>().transient;
  expect(t.end_s && *t.end_s > 0, "transient.end_s", "must be a positive end time in s");
  expect(!t.step_s || *t.step_s > 0, "transient.step_s", "{} must be > 0 s", t.step_s.value_or(0));
  expect(f.inertia || t.step_s, "transient.step_s",
         "missing; an adaptive step requires flow.inertia = true; set the step or flow.inertia");
  if (t.end_s && t.step_s && *t.step_s > 0) {
    expect(*t.end_s >= *t.step_s, "transient.step_s", "{} s; must not exceed transient.end_s = {} s", *t.step_s, *t.end_s);
    constexpr double most = 1e7;
    expect(*t.end_s / *t.step_s <= most, "transient.step_s", "{} s results in {:.3g} steps until {} s; the limit is {:g}",
           *t.step_s, *t.end_s / *t.step_s, *t.end_s, most);
  }
  expect(!f.cfl || (*f.cfl > 0 && *f.cfl <= 1), "flow.cfl",
         "{} must be > 0 and at most 1: explicit convection is unstable above 1", f.cfl.value_or(0));
  expect(f.inertia || f.start != start_of_flow::steady, "flow.start",
         "'steady' requires flow.inertia = true; use 'creeping'");
  expect(f.multiples.empty(), "flow.multiples", "not available with [transient]; remove the key");
}

void check_heat_in_time(const spec& job, std::vector<problem>& problems) {
  const fault_list expect(problems);
  const flow_keys& f = job.groups.of<flow_keys>();
  const auto& transient = job.groups.of<condition_keys>().transient;
  const bool applies = f.heat && transient;
  for (std::size_t n = 0; n < job.materials.size(); ++n) {
    const auto& capacity = job.materials[n].heat_capacity_J_per_m3K;
    const std::string where = fmt::format("material[{}].heat_capacity_J_per_m3K", n + 1);
    expect(applies || !capacity, where, "not used: requires flow.heat = true and [transient]; remove the key");
    expect(!applies || capacity, where, "missing; flow.heat with [transient] requires the heat capacity in J/(m3 K)");
  }
  if (!transient) return;
  expect(f.heat || !transient->initial_K, "transient.initial_K",
         "requires flow.heat = true; set flow.heat or remove this key");
  expect(!f.heat || transient->initial_K, "transient.initial_K", "missing; flow.heat requires the initial temperature in K");
  expect(!f.expansion_per_K || f.start.value_or(start_of_flow::rest) == start_of_flow::rest, "flow.start",
         "'{}' is not available with flow.expansion_per_K: buoyant flow starts at rest; remove the key", f.start.name());
}

}  // namespace osteon::physics
