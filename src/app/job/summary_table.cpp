#include <app/job/summary_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/shape/morphometry.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace osteon::app {

namespace {

struct summary_row {
  std::string name, value, unit;
};

std::string number(double value) {
  const double magnitude = value < 0 ? -value : value;
  if (value == 0) return "0";
  return magnitude >= 1e5 || magnitude < 1e-3 ? fmt::format("{:.5e}", value) : fmt::format("{:.6g}", value);
}

std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  for (auto i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > 0; i -= 3)
    text.insert(static_cast<std::size_t>(i), 1, ' ');
  return text;
}

// Text of a value or a list of values; empty for `true` and missing values.
std::string value_text(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "infinite";  // JSON has no infinity, so that the tortuosity without a conducting path is null
  if (value.is_boolean()) return value.get<bool>() ? "" : "none";
  if (value.is_number_integer()) return grouped(value);
  if (value.is_number()) return number(value);
  if (!value.is_array()) return value.is_string() ? value.get<std::string>() : "";
  std::string text;
  for (const auto& one : value) text += (text.empty() ? "" : ", ") + value_text(one);
  return text;
}

// Answers of a job or of one of its cases.
void add_answers(std::vector<summary_row>& rows, const job::physics_entry& physics, const nlohmann::ordered_json& s) {
  for (const job::found_answer& found : job::answers_in(physics.answers, s)) {
    const bool is_silent = found.definition->is_silent_at_0 && found.value == 0;
    if (!found.definition->in_table || is_silent) continue;
    if (std::string_view(found.definition->unit) == "mm" && found.value.is_number() &&
        job::is_in_micrometres(found.value.get<double>()))
      rows.push_back({found.title, number(1000 * found.value.get<double>()), job::micrometres});
    else if (std::string text = value_text(found.value); !text.empty())
      rows.push_back({found.title, std::move(text), found.definition->unit});
  }
}

// Certificate of another problem whose solution is a load of this problem, such as heat_certificate.
void add_certificates(std::vector<summary_row>& rows, const nlohmann::ordered_json& s) {
  for (const auto& [key, proof] : s.items()) {
    constexpr std::string_view ending = "_certificate";
    if (!key.ends_with(ending)) continue;
    const std::string name = key.substr(0, key.size() - ending.size());
    rows.push_back({name + ": iterations", std::to_string(proof.at("iterations").get<int>()), ""});
    for (const auto& [error, label] : {std::pair{"true_relative_residual", "true relative residual"},
                                       {"reaction_imbalance", "balance error"},
                                       {"energy_identity_error", "energy identity error"}})
      rows.push_back({fmt::format("{}: {}", name, label), fmt::format("{:.2e}", proof.at(error).get<double>()), ""});
  }
}

// Format columns of minimum width. The first column is left-aligned, and the others are right-aligned.
std::string columns(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> width;
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) {
      if (c == width.size()) width.push_back(0);
      width[c] = std::max(width[c], line[c].size());
    }
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("  {:<{}}", line[0], width[0]);
    for (std::size_t c = 1; c < line.size(); ++c) text += fmt::format("  {:>{}}", line[c], width[c]);
    text += "\n";
  }
  return text;
}

// Format the components z, y, x in one cell.
std::string three(const nlohmann::ordered_json& list, double noise) {
  std::string text;
  for (const auto& value : list) {
    const double v = std::abs(value.get<double>()) < noise ? 0 : value.get<double>();
    text += (text.empty() ? "" : ", ") + (v == 0 ? "0" : fmt::format("{:.4g}", v));
  }
  return text;
}

// Magnitude below which a value is zero within the solver's tolerance. The tolerance is relative to the largest value of the
// key in the list.
double rounding_limit(const nlohmann::ordered_json& list, const char* key, double tolerance) {
  double largest = 0;
  for (const auto& entry : list)
    for (const auto& value : entry.at(key)) largest = std::max(largest, std::abs(value.get<double>()));
  return tolerance * largest;
}

// Reactions of supports and applied forces of a case with [[support]] and [[force]]. A standard test has one answer instead.
std::string supports_table(const nlohmann::ordered_json& s, double tolerance) {
  constexpr std::size_t most_lines = 20;
  if (!s.contains("supports") || s.at("load").at("test") != "custom") return {};
  std::string text;
  const auto cut = [&](std::vector<std::vector<std::string>> lines) {
    const std::size_t all = lines.size();
    if (all > most_lines) lines.resize(most_lines);
    text += columns(lines);
    if (all > most_lines) text += fmt::format("  ... {} more in summary.json\n", all - most_lines);
  };
  const auto& supports = s.at("supports");
  double lever = 0;  // largest distance between supports along an axis
  for (const auto& e : supports)
    for (std::size_t a = 0; a < 3; ++a)
      lever = std::max(lever, std::abs(e.at("about_mm")[a].get<double>() - supports[0].at("about_mm")[a].get<double>()));
  const double small_force = rounding_limit(supports, "reaction_N", tolerance),
               small_moment = std::max(rounding_limit(supports, "moment_N_mm", tolerance), lever * small_force);
  std::vector<std::vector<std::string>> lines{
      {"support", "fixed", "nodes", "reaction z, y, x [N]", "moment z, y, x [N mm]"}};
  for (const auto& e : supports)
    lines.push_back({e.at("on"), e.at("held"), std::to_string(e.at("nodes").get<std::int64_t>()),
                     three(e.at("reaction_N"), small_force), three(e.at("moment_N_mm"), small_moment)});
  cut(std::move(lines));
  if (!s.contains("forces")) return text;
  lines = {{"force on", "nodes", "force z, y, x [N]", "displacement along it [mm]"}};
  for (const auto& e : s.at("forces"))
    lines.push_back({e.at("on"), std::to_string(e.at("nodes").get<std::int64_t>()),
                     three(e.at("force_N"), rounding_limit(s.at("forces"), "force_N", 1e-12)),
                     e.contains("displacement_mm") ? number(e.at("displacement_mm")) : "-"});
  cut(std::move(lines));
  return text;
}

std::string format_rows(const std::vector<summary_row>& rows) {
  std::string text;
  for (const summary_row& r : rows) text += fmt::format("  {:<30} {:>14}  {}\n", r.name, r.value, r.unit);
  return text;
}

// Answers of all load cases, with a line per answer and a column per case. Cases may have different answers.
std::string table_of_cases(const job::physics_entry& physics, const nlohmann::ordered_json& cases) {
  constexpr std::size_t most_columns = 4;
  std::vector<std::vector<summary_row>> all;
  for (const auto& c : cases) add_answers(all.emplace_back(), physics, c);
  std::string text;
  for (std::size_t first = 0; first < cases.size(); first += most_columns) {
    const std::size_t end = std::min(first + most_columns, cases.size());
    std::vector<std::vector<std::string>> lines{{"load case"}, {"test"}};
    for (std::size_t c = first; c < end; ++c) {
      lines[0].push_back(cases[c].at("name"));
      lines[1].push_back(cases[c].at("load").at("test"));
    }
    std::vector<std::string> names;  // names with units
    const auto name_of = [](const summary_row& r) { return r.unit.empty() ? r.name : r.name + " [" + r.unit + "]"; };
    for (std::size_t c = first; c < end; ++c)
      for (const summary_row& r : all[c])
        if (std::find(names.begin(), names.end(), name_of(r)) == names.end()) names.push_back(name_of(r));
    for (const std::string& name : names) {
      auto& line = lines.emplace_back(std::vector<std::string>{name});
      for (std::size_t c = first; c < end; ++c) {
        const auto found =
            std::find_if(all[c].begin(), all[c].end(), [&](const summary_row& r) { return name_of(r) == name; });
        line.push_back(found == all[c].end() ? "-" : found->value);
      }
    }
    text += "\n" + columns(lines);
  }
  return text;
}

// Uncertainties of the answers, one per line, and the changed images without a solution.
std::string table_of_uncertainty(const nlohmann::ordered_json& u) {
  std::string text = "\n  uncertainty: image changed by one standard deviation, or voxel size extrapolated to zero:\n";
  for (const auto& line : u.at("words")) text += fmt::format("  {}\n", line.get<std::string>());
  for (const auto& run : u.at("runs"))
    if (run.contains("fault"))
      text += fmt::format("  without {}: {}\n", run.at("words").get<std::string>(), run.at("fault").get<std::string>());
  return text;
}

// Table of the plans with the longest waiting times, with the times that the model predicts. Only for runs that count
// messages.
std::string table_of_messages(const nlohmann::ordered_json& s) {
  constexpr std::size_t most_lines = 6;
  const auto& counted = s.at("messages");
  std::vector<nlohmann::ordered_json> plans;
  for (const auto& p : counted.at("plans"))
    if (p.at("messages").get<std::int64_t>() > 0) plans.push_back(p);
  if (plans.empty()) return {};
  const auto waited = [](const nlohmann::ordered_json& p) { return p.at("waited_seconds").get<double>(); };
  std::stable_sort(plans.begin(), plans.end(), [&](const auto& a, const auto& b) { return waited(a) > waited(b); });
  const auto seconds = [](double value) { return fmt::format("{:.3g}", value); };
  const double ranks = s.at("ranks").get<double>();
  std::vector<std::vector<std::string>> lines{{"messages", "number", "MiB", "waiting time per rank [s]", "model [s]"}};
  std::int64_t number = 0;
  double bytes = 0;
  for (const auto& p : plans) {
    number += p.at("messages").get<std::int64_t>();
    bytes += p.at("bytes").get<double>();
    if (lines.size() <= most_lines)
      lines.push_back({p.at("plan"), grouped(p.at("messages")), fmt::format("{:.2f}", p.at("bytes").get<double>() / 1048576),
                       seconds(waited(p) / ranks), seconds(p.at("model_seconds"))});
  }
  if (plans.size() > most_lines) lines.push_back({fmt::format("... {} more", plans.size() - most_lines)});
  lines.push_back({"all", grouped(number), fmt::format("{:.2f}", bytes / 1048576), seconds(counted.at("waited_seconds")),
                   seconds(counted.at("model_seconds"))});
  return "\n" + columns(lines) + fmt::format("  {}\n", counted.at("network").get<std::string>());
}

}  // namespace

std::string summary_table(const nlohmann::ordered_json& s, const std::string& report) {
  std::vector<summary_row> rows{{"elements", grouped(s.at("elements")), ""},
                                {"degrees of freedom", grouped(s.at("dofs")), ""}};
  const job::physics_entry& physics = *job::find_physics(s.at("physics"));
  if (!s.contains("cases")) add_answers(rows, physics, s);
  add_certificates(rows, s);
  const auto& proof = s.at("certificate");
  rows.push_back({"iterations", std::to_string(s.at("iterations").get<int>()), ""});
  rows.push_back({"true relative residual", fmt::format("{:.2e}", proof.at("true_relative_residual").get<double>()), ""});
  rows.push_back({"reaction balance error", fmt::format("{:.2e}", proof.at("reaction_imbalance").get<double>()), ""});
  rows.push_back({"energy identity error", fmt::format("{:.2e}", proof.at("energy_identity_error").get<double>()), ""});
  rows.push_back({"ranks x threads", fmt::format("{} x {}", s.at("ranks").get<int>(), s.at("threads").get<int>()), ""});
  rows.push_back(
      {"solver", fmt::format("{:.1f}", s.at("setup_seconds").get<double>() + s.at("solve_seconds").get<double>()), "s"});
  const auto& solver = s.at("solver");
  rows.push_back({"solver, CPU: set-up + solution",
                  fmt::format("{:.2f} + {:.2f}", solver.at("setup_cpu_seconds").get<double>(),
                              solver.at("solve_cpu_seconds").get<double>()),
                  "s"});
  if (solver.contains("share_of_bandwidth"))
    rows.push_back({"solver, share of bandwidth; of peak",
                    fmt::format("{:.2g}; {:.2g}", 100 * solver.at("share_of_bandwidth").get<double>(),
                                100 * solver.at("share_of_peak").get<double>()),
                    "%"});
  if (solver.contains("parallel_efficiency"))
    rows.push_back(
        {"parallel efficiency", fmt::format("{:.0f}", 100 * solver.at("parallel_efficiency").get<double>()), "%"});
  rows.push_back({"peak memory, all ranks", fmt::format("{:.0f}", s.at("peak_rss_bytes").get<double>() / 1048576), "MiB"});

  std::string text = fmt::format("\n{}: {}\n", s.at("job").get<std::string>(), s.at("physics").get<std::string>());
  text += format_rows(rows);
  const double tolerance = proof.value("tolerance", 1e-6);
  if (s.contains("cases")) {
    text += table_of_cases(physics, s.at("cases"));
    for (const auto& c : s.at("cases"))
      if (const std::string table = supports_table(c, tolerance); !table.empty())
        text += fmt::format("\n  load case {}\n", c.at("name").get<std::string>()) + table;
  } else if (const std::string table = supports_table(s, tolerance); !table.empty()) {
    text += "\n" + table;
  }
  if (s.contains("streamlines") && !s.at("streamlines").at("median_time_s").is_null())
    text += fmt::format("\n  residence time, median of {} through-going streamlines: {:.4g} s\n",
                        s.at("streamlines").at("through").get<std::int64_t>(),
                        s.at("streamlines").at("median_time_s").get<double>());
  if (s.contains("messages")) text += table_of_messages(s);
  if (s.contains("effect_of_connectivity"))
    text += fmt::format("\n  {}\n", s.at("effect_of_connectivity").at("words").get<std::string>());
  if (s.contains("morphometry")) text += "\n  shape\n" + job::table_of_shape(s.at("morphometry"));
  if (s.contains("uncertainty")) text += table_of_uncertainty(s.at("uncertainty"));
  if (const auto note = s.at("image").value("spacing_note", ""); !note.empty())
    text += fmt::format("\n  Voxel size: {}\n", note);
  text += fmt::format("\n  results  {}\n", s.at("files").at("results").get<std::string>());
  if (s.at("files").contains("picture"))
    text += fmt::format("  picture  {}\n", s.at("files").at("picture").get<std::string>());
  if (s.at("files").contains("cut")) text += fmt::format("  cut      {}\n", s.at("files").at("cut").get<std::string>());
  if (!report.empty()) text += fmt::format("  report   {}\n", report);
  return text;
}

}  // namespace osteon::app
