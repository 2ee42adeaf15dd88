#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

// Of a condition that changes with time.
void check_factor(const spec& job, std::size_t n, std::vector<problem>& problems) {
  const boundary_spec& b = job.groups.of<condition_keys>().boundaries[n];
  const auto expect = [&](bool holds, const char* key, const std::string& text) {
    if (!holds) problems.push_back({fmt::format("boundary[{}].{}", n + 1, key), text});
  };
  expect(!b.period_s || !b.factor_at_s.empty(), "period_s", "given, but factor_at_s is not; give it, or remove period_s");
  if (b.factor_at_s.empty()) return;
  expect(job.groups.of<condition_keys>().transient.has_value(), "factor_at_s",
         "given, but there is no [transient]: the flow is steady; remove one");
  const optional_choice<condition_kind>& kind = b.kind;
  expect(!is_of_heat(b), "factor_at_s", "temperatures, fluxes and films of heat are constant in time; remove it");
  const bool drives = kind == condition_kind::periodic && (b.flow_rate_mm3_per_s || b.pressure_drop_Pa);
  expect(drives || kind == condition_kind::velocity || kind == condition_kind::flow_rate ||
             kind == condition_kind::pressure || kind == condition_kind::outlet || kind == condition_kind::wall,
         "factor_at_s",
         fmt::format("does not go with kind = \"{}\", which has no value that could change; remove it", kind.name()));
  expect(!job.groups.of<flow_keys>().steady_change_per_s, "factor_at_s",
         "does not go with flow.steady_change_per_s: a flow that changes with time has no steady state; remove one");
  double last = -std::numeric_limits<double>::infinity();
  for (const auto& point : b.factor_at_s) {
    if (point.size() != 2) return expect(false, "factor_at_s", "a list of [time, factor] pairs, e.g. [[0, 0], [0.1, 1]]");
    expect(std::isfinite(point[0]) && std::isfinite(point[1]), "factor_at_s", "a number is not finite");
    expect(point[0] > last, "factor_at_s", fmt::format("{} s follows {} s; times must ascend", point[0], last));
    last = point[0];
  }
  if (!b.period_s) return;
  expect(*b.period_s > 0 && b.factor_at_s.front()[0] >= 0 && last <= *b.period_s, "period_s",
         fmt::format("{} s; it must be > 0, and the times of factor_at_s lie between 0 and it", *b.period_s));
}

}  // namespace

void check_time_steps(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
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
  expect(t.end_s && *t.end_s > 0 && std::isfinite(*t.end_s), "transient.end_s",
         "missing or not > 0: the time at the end, in s");
  expect(!t.step_s || *t.step_s > 0, "transient.step_s", fmt::format("{} must be > 0 s", t.step_s.value_or(0)));
  expect(f.inertia || t.step_s, "transient.step_s",
         "missing: without inertia there is no velocity that the step could follow; give it, or set flow.inertia = true");
  if (t.end_s && t.step_s && *t.step_s > 0) {
    expect(*t.end_s >= *t.step_s, "transient.step_s", fmt::format("{} s is longer than end_s = {}", *t.step_s, *t.end_s));
    constexpr double most = 1e7;
    expect(*t.end_s / *t.step_s <= most, "transient.step_s",
           fmt::format("{} s makes {:.3g} steps to {} s; at most {:g}", *t.step_s, *t.end_s / *t.step_s, *t.end_s, most));
  }
  expect(!f.cfl || (*f.cfl > 0 && *f.cfl <= 1), "flow.cfl",
         fmt::format("{} must be > 0 and at most 1, beyond which explicit convection is unstable", f.cfl.value_or(0)));
  expect(!f.cfl || f.inertia, "flow.cfl", "given, but flow.inertia = false has no convection; remove it");
  expect(f.inertia || f.start != start_of_flow::steady, "flow.start",
         "'steady' is the steady flow with inertia, but flow.inertia is not set; use 'creeping'");
  expect(f.multiples.empty(), "flow.multiples", "does not go with [transient], which follows one flow; remove it");
}

}  // namespace osteon::physics
