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
  expect(!b.period_s || !b.factor_at_s.empty(), "period_s", "given, but factor_at_s is not; give it, or remove period_s");
  if (b.factor_at_s.empty()) return;
  expect(job.groups.of<condition_keys>().transient.has_value(), "factor_at_s",
         "given, but there is no [transient]: the flow is steady; remove one");
  const optional_choice<condition_kind>& kind = b.kind;
  expect(!is_of_heat(b), "factor_at_s", "temperatures, fluxes and films of heat are constant in time; remove it");
  const bool drives = kind == condition_kind::periodic && (b.flow_rate_mm3_per_s || b.pressure_drop_Pa);
  expect(drives || kind == condition_kind::velocity || kind == condition_kind::flow_rate ||
             kind == condition_kind::pressure || kind == condition_kind::outlet || kind == condition_kind::wall,
         "factor_at_s", "does not go with kind = \"{}\", which has no value that could change; remove it", kind.name());
  expect(!job.groups.of<flow_keys>().steady_change_per_s, "factor_at_s",
         "does not go with flow.steady_change_per_s: a flow that changes with time has no steady state; remove one");
  double last = -std::numeric_limits<double>::infinity();
  for (const auto& point : b.factor_at_s) {
    if (!expect(point.size() == 2, "factor_at_s", "a list of [time, factor] pairs, e.g. [[0, 0], [0.1, 1]]")) return;
    expect(point[0] > last, "factor_at_s", "{} s follows {} s; times must ascend", point[0], last);
    last = point[0];
  }
  if (!b.period_s) return;
  expect(*b.period_s > 0 && b.factor_at_s.front()[0] >= 0 && last <= *b.period_s, "period_s",
         "{} s; it must be > 0, and the times of factor_at_s lie between 0 and it", *b.period_s);
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
      expect(!given, key, "given, but there is no [transient]: the flow is steady; remove it or add the table");
    return;
  }
  const transient_spec& t = *job.groups.of<condition_keys>().transient;
  expect(t.end_s && *t.end_s > 0, "transient.end_s", "missing or not > 0: the time at the end, in s");
  expect(!t.step_s || *t.step_s > 0, "transient.step_s", "{} must be > 0 s", t.step_s.value_or(0));
  expect(f.inertia || t.step_s, "transient.step_s",
         "missing: without inertia there is no velocity that the step could follow; give it, or set flow.inertia = true");
  if (t.end_s && t.step_s && *t.step_s > 0) {
    expect(*t.end_s >= *t.step_s, "transient.step_s", "{} s is longer than end_s = {}", *t.step_s, *t.end_s);
    constexpr double most = 1e7;
    expect(*t.end_s / *t.step_s <= most, "transient.step_s", "{} s makes {:.3g} steps to {} s; at most {:g}", *t.step_s,
           *t.end_s / *t.step_s, *t.end_s, most);
  }
  expect(!f.cfl || (*f.cfl > 0 && *f.cfl <= 1), "flow.cfl",
         "{} must be > 0 and at most 1, beyond which explicit convection is unstable", f.cfl.value_or(0));
  expect(f.inertia || f.start != start_of_flow::steady, "flow.start",
         "'steady' is the steady flow with inertia, but flow.inertia is not set; use 'creeping'");
  expect(f.multiples.empty(), "flow.multiples", "does not go with [transient], which follows one flow; remove it");
}

void check_heat_in_time(const spec& job, std::vector<problem>& problems) {
  const fault_list expect(problems);
  const flow_keys& f = job.groups.of<flow_keys>();
  const auto& transient = job.groups.of<condition_keys>().transient;
  const bool applies = f.heat && transient;
  for (std::size_t n = 0; n < job.materials.size(); ++n) {
    const auto& capacity = job.materials[n].heat_capacity_J_per_m3K;
    const std::string where = fmt::format("material[{}].heat_capacity_J_per_m3K", n + 1);
    expect(applies || !capacity, where,
           "given, but only flow.heat with [transient] reads it: the steady temperature does not depend on it; remove it");
    expect(!applies || capacity, where, "missing: flow.heat with [transient] needs it, in J/(m3 K)");
  }
  if (!transient) return;
  expect(f.heat || !transient->initial_K, "transient.initial_K",
         "given, but flow.heat is not: there is no temperature; remove it");
  expect(!f.heat || transient->initial_K, "transient.initial_K",
         "missing: flow.heat needs the temperature at the start, in K");
  expect(!f.expansion_per_K || f.start.value_or(start_of_flow::rest) == start_of_flow::rest, "flow.start",
         "'{}' does not go with flow.expansion_per_K: the flow that heat drives begins at rest; remove it", f.start.name());
}

}  // namespace osteon::physics
