#include <osteon/job/stage_costs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>
#include <utility>

namespace osteon::job {

namespace {

constexpr const char* costs_schema = "osteon.costs/1";

// If measured times have large errors, the slope or the constant may be negative. In this case, the constant is zero.
cost_line line_through(double small_units, double small_seconds, double large_units, double large_seconds) {
  if (large_units <= 0) return {large_seconds, 0};
  if (small_units > 0 && small_units < large_units) {
    const double slope = (large_seconds - small_seconds) / (large_units - small_units);
    const double fixed = large_seconds - slope * large_units;
    if (slope >= 0 && fixed >= 0) return {fixed, slope};
  }
  return {0, large_seconds / large_units};
}

// The members of stage_costs with the type cost_line, by key.
template <class Costs>
auto lines_of(Costs& c) {
  return std::array{std::pair{"start", &c.start},     std::pair{"reading", &c.reading},     std::pair{"set_up", &c.set_up},
                    std::pair{"load", &c.load},       std::pair{"iteration", &c.iteration}, std::pair{"writing", &c.writing},
                    std::pair{"picture", &c.picture}, std::pair{"report", &c.report}};
}

}  // namespace

measured_run run_of_summary(const nlohmann::json& summary, double pixels, const std::string& name) {
  try {
    measured_run run;
    run.ranks = summary.at("ranks").get<double>();
    run.threads = summary.at("threads").get<double>();
    run.unknowns = summary.at("dofs").get<double>();
    run.iterations = summary.at("iterations").get<double>();
    run.pixels = pixels;
    run.voxels = 1;
    for (const auto& extent : summary.at("image").at("shape")) run.voxels *= extent.get<double>();
    for (const auto& stage : summary.at("stages")) {
      const auto is = stage.at("name").get<std::string>();
      const double cpu = stage.at("cpu_seconds");
      if (is == "reading the model") run.reading = cpu;
      if (is == "writing results") run.writing = cpu;
      if (is == "drawing the picture") run.picture = cpu;
      if (is != "solving") continue;
      if (summary.contains("solver")) {
        run.set_up = summary.at("solver").at("setup_cpu_seconds");
        run.solution = summary.at("solver").at("solve_cpu_seconds");
      } else {
        const double wall = stage.at("seconds");
        const double of_wall = wall > 0 ? cpu / wall : 0;
        run.set_up = of_wall * summary.at("setup_seconds").get<double>();
        run.solution = of_wall * summary.at("solve_seconds").get<double>();
      }
      run.load = std::max(0.0, cpu - run.set_up - run.solution);
    }
    if (summary.contains("messages") && summary.at("messages").contains("parts"))
      run.parts = summary.at("messages").at("parts").get<std::map<std::string, double>>();
    if (run.ranks < 1 || run.threads < 1 || run.unknowns < 1 || run.iterations < 1 || run.solution <= 0)
      throw data_error(fmt::format("'{}' is not the summary of a job with an iterative solver", name));
    return run;
  } catch (const nlohmann::json::exception& e) {
    throw data_error(fmt::format("'{}' is not a summary.json of this version: {}", name, e.what()));
  }
}

stage_costs costs_of(const measured_run& larger, const measured_run* smaller) {
  stage_costs c;
  const auto line = [&](double measured_run::* seconds, double measured_run::* units, bool of_iteration = false) {
    // Time in s, and number of unknowns, per rank.
    const auto of = [&](const measured_run& r) {
      const double cores = r.ranks * r.threads;
      return std::pair(units ? r.*units / r.ranks : 0, r.*seconds / cores / (of_iteration ? r.iterations : 1));
    };
    const auto [large_units, large_seconds] = of(larger);
    if (!smaller) return line_through(0, 0, large_units, large_seconds);
    const auto [small_units, small_seconds] = of(*smaller);
    return line_through(small_units, small_seconds, large_units, large_seconds);
  };
  c.reading = line(&measured_run::reading, &measured_run::voxels);
  c.writing = line(&measured_run::writing, &measured_run::voxels);
  c.set_up = line(&measured_run::set_up, &measured_run::unknowns);
  c.load = line(&measured_run::load, &measured_run::unknowns);
  c.iteration = line(&measured_run::solution, &measured_run::unknowns, true);
  const auto edge = [](const measured_run& r) { return std::cbrt(r.voxels); };
  if (larger.pixels > 0) {
    const bool both = smaller && smaller->pixels > 0;
    c.picture = line_through(both ? edge(*smaller) : 0, both ? smaller->picture / smaller->pixels : 0, edge(larger),
                             larger.picture / larger.pixels);
  }
  c.measured_unknowns = larger.unknowns / larger.ranks;
  c.iterations = larger.iterations;
  const measured_run& counted = larger.parts.empty() && smaller ? *smaller : larger;
  for (const auto& [part, times] : counted.parts) c.parts[part] = times / counted.iterations;
  return c;
}

double stage_costs::seconds_of_iteration(double unknowns) const {
  constexpr double of_doubling = 1.0 / 12, at_most = 1.6;
  const double doublings =
      measured_unknowns > 0 && unknowns > measured_unknowns ? std::log2(unknowns / measured_unknowns) : 0;
  return iteration.at(unknowns) * std::min(at_most, 1 + of_doubling * doublings);
}

stage_costs costs_of_physics(const spec& job, const solver_work& work) {
  // Fractions of the time of a solution in runs on machine A. 70 % of the time is for about 15 iterations, and 30 % is for
  // fields and files.
  constexpr double usual_iterations = 15, of_iterations = 0.7, of_load = 0.15, of_writing = 0.15, off_by_half = 0.5;
  const solver_costs& costs = physics_of(job).costs;
  const double of_unknown = work.solutions * costs.solution_seconds / costs.unknowns_per_element;
  stage_costs c;
  c.source = "fitted to runs on another machine (docs/reference/performance.md)";
  c.start = {0.7, 0};
  c.report = {2.5, 0};
  c.reading = {0, 5e-9};
  c.writing = {0.02, of_writing * work.solutions * costs.solution_seconds / 3};  // a third of the voxels of a box is solid
  c.set_up = {0, costs.setup_seconds / costs.unknowns_per_element};
  c.load = {0, of_load * of_unknown};
  c.iteration = {0, of_iterations * of_unknown / usual_iterations};
  c.picture = {4e-6, 0};
  c.iterations = usual_iterations;
  c.sharing = 1.1;
  c.spread = c.iterations_spread = off_by_half;
  return c;
}

nlohmann::ordered_json to_json(const stage_costs& costs) {
  nlohmann::ordered_json all = {{"schema", costs_schema}, {"source", costs.source}};
  for (const auto& [key, line] : lines_of(costs)) all[key] = {{"fixed_s", line->fixed}, {"unit_s", line->of_unit}};
  all["iterations"] = costs.iterations;
  if (!costs.parts.empty()) all["parts"] = costs.parts;
  all["measured_unknowns"] = costs.measured_unknowns;
  all["sharing"] = costs.sharing;
  all["spread"] = costs.spread;
  all["iterations_spread"] = costs.iterations_spread;
  return all;
}

stage_costs parse_costs(const std::string& text, const std::string& name) {
  try {
    const auto all = valid_json_from_text<nlohmann::json>(text);
    if (all.at("schema") != costs_schema)
      throw data_error(fmt::format("'{}' does not have the schema {}", name, costs_schema));
    stage_costs costs;
    costs.source = all.at("source");
    bool sound = true;
    const auto number = [&](const nlohmann::json& of, const char* key) {
      const double value = of.at(key);
      sound = sound && std::isfinite(value) && value >= 0;
      return value;
    };
    for (const auto& [key, line] : lines_of(costs)) *line = {number(all.at(key), "fixed_s"), number(all.at(key), "unit_s")};
    costs.iterations = number(all, "iterations");
    if (all.contains("parts"))
      for (const auto& [part, times] : all.at("parts").items()) costs.parts[part] = number(all.at("parts"), part.c_str());
    costs.measured_unknowns = number(all, "measured_unknowns");
    costs.sharing = number(all, "sharing");
    costs.spread = number(all, "spread");
    costs.iterations_spread = number(all, "iterations_spread");
    if (!sound || costs.sharing < 1 || costs.iterations < 1)
      throw data_error(fmt::format("'{}' contains a negative cost, no iterations, or a sharing below 1", name));
    return costs;
  } catch (const nlohmann::json::exception& e) {
    throw data_error(fmt::format("'{}' does not contain stage costs: {}", name, e.what()));
  }
}

}  // namespace osteon::job
