#include <app/summary_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
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

void add_homogenisation(const nlohmann::ordered_json& h, std::vector<summary_row>& rows) {
  rows.push_back({"solid volume fraction", number(h.at("volume_fraction")), ""});
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string name = h.at("order").at(i).get<std::string>();
    rows.push_back({fmt::format("stiffness {} {}", name, name), number(h.at("stiffness_MPa").at(i).at(i)), "MPa"});
  }
  if (h.contains("compliance_per_MPa")) {
    for (const auto& [axis, value] : h.at("youngs_modulus_MPa").items())
      rows.push_back({"Young's modulus " + axis, number(value), "MPa"});
    for (const auto& [plane, value] : h.at("shear_modulus_MPa").items())
      rows.push_back({"shear modulus " + plane, number(value), "MPa"});
    rows.push_back({"universal anisotropy", number(h.at("universal_anisotropy")), ""});
  }
  rows.push_back({"asymmetry of the stiffness", fmt::format("{:.2e}", h.at("asymmetry").get<double>()), ""});
}

// Place in a list z, y, x of what a test measures: along its direction if it has one, else along its axis.
std::size_t place_of(const nlohmann::ordered_json& load) {
  return std::string("zyx").find(load.value("direction", load.at("axis").get<std::string>()));
}

void add_heat(std::vector<summary_row>& rows, const nlohmann::ordered_json& s) {
  const auto add = [&](const char* key, const char* name, const char* unit) {
    if (!s.contains(key)) return;
    // JSON has no infinity: a tortuosity is null where no path conducts.
    rows.push_back({name, s.at(key).is_null() ? "infinite" : number(s.at(key)), unit});
  };
  const auto add_list = [&](const char* key, const std::string& name, const char* unit) {
    if (!s.contains(key)) return;
    std::string text;
    for (const auto& value : s.at(key)) text += (text.empty() ? "" : ", ") + (value.is_null() ? "infinite" : number(value));
    rows.push_back({name, text, unit});
  };
  if (!s.value("percolates", true)) rows.push_back({"path between the faces", "none", ""});
  add("flux_W", "heat flow", "W");
  add("effective_conductivity_W_per_mK", "effective conductivity", "W/(m K)");
  add("tortuosity", "tortuosity", "");
  add_list("principal_conductivities_W_per_mK", "principal conductivities", "W/(m K)");
  add_list("tortuosities", "tortuosity along z, y, x", "");
  if (s.contains("heat_inflow_W"))
    for (const auto& [face, flow] : s.at("heat_inflow_W").items())
      if (flow != 0) rows.push_back({"heat in through " + face, number(flow), "W"});
  if (s.contains("heat_source_W") && s.at("heat_source_W") != 0) add("heat_source_W", "heat made by sources", "W");
  add("heat_stored_W", "heat taken up", "W");
  if (s.contains("temperature_K"))
    for (const auto& [name, value] : s.at("temperature_K").items())
      rows.push_back({"temperature, " + name, number(value), "K"});
}

void add_thermo_elasticity(std::vector<summary_row>& rows, const nlohmann::ordered_json& s) {
  const auto& temperature = s.at("temperature_K");
  rows.push_back({"temperature, mean", number(temperature.at("mean")), "K"});
  rows.push_back({"heat flow", number(s.at("flux_W")), "W"});
  if (s.contains("apparent_stress_MPa")) rows.push_back({"apparent stress", number(s.at("apparent_stress_MPa")), "MPa"});
  rows.push_back({"von Mises stress, mean", number(s.at("von_mises_MPa").at("mean")), "MPa"});
  rows.push_back({"von Mises stress, 98 %", number(s.at("von_mises_MPa").at("p98")), "MPa"});
  rows.push_back({"strain energy density, mean", number(s.at("sed_MPa").at("mean")), "MPa"});
  rows.push_back({"strain energy density, 98 %", number(s.at("sed_MPa").at("p98")), "MPa"});
  const auto& heat = s.at("heat_certificate");
  rows.push_back({"heat: iterations", std::to_string(heat.at("iterations").get<int>()), ""});
  rows.push_back(
      {"heat: true relative residual", fmt::format("{:.2e}", heat.at("true_relative_residual").get<double>()), ""});
  rows.push_back({"heat: balance error", fmt::format("{:.2e}", heat.at("reaction_imbalance").get<double>()), ""});
  rows.push_back({"heat: energy identity error", fmt::format("{:.2e}", heat.at("energy_identity_error").get<double>()), ""});
}

// Columns as wide as they need; the first begins at the left, the others end at the right.
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

// z, y, x in one cell.
std::string three(const nlohmann::ordered_json& list, double noise) {
  std::string text;
  for (const auto& value : list) {
    const double v = std::abs(value.get<double>()) < noise ? 0 : value.get<double>();
    text += (text.empty() ? "" : ", ") + (v == 0 ? "0" : fmt::format("{:.4g}", v));
  }
  return text;
}

// What the solver's tolerance leaves of a zero, against the largest of all entries of a list's key.
double noise_of(const nlohmann::ordered_json& list, const char* key, double tolerance) {
  double largest = 0;
  for (const auto& entry : list)
    for (const auto& value : entry.at(key)) largest = std::max(largest, std::abs(value.get<double>()));
  return tolerance * largest;
}

// What supports bear and forces apply in a case of [[support]] and [[force]]. A standard test has one answer instead.
std::string supports_of(const nlohmann::ordered_json& s, double tolerance) {
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
  double lever = 0;  // of the forces on each other
  for (const auto& e : supports)
    for (std::size_t a = 0; a < 3; ++a)
      lever = std::max(lever, std::abs(e.at("about_mm")[a].get<double>() - supports[0].at("about_mm")[a].get<double>()));
  const double small_force = noise_of(supports, "reaction_N", tolerance),
               small_moment = std::max(noise_of(supports, "moment_N_mm", tolerance), lever * small_force);
  std::vector<std::vector<std::string>> lines{{"support", "held", "nodes", "reaction z, y, x [N]", "moment z, y, x [N mm]"}};
  for (const auto& e : supports)
    lines.push_back({e.at("on"), e.at("held"), std::to_string(e.at("nodes").get<std::int64_t>()),
                     three(e.at("reaction_N"), small_force), three(e.at("moment_N_mm"), small_moment)});
  cut(std::move(lines));
  if (!s.contains("forces")) return text;
  lines = {{"force on", "nodes", "force z, y, x [N]", "displacement along it [mm]"}};
  for (const auto& e : s.at("forces"))
    lines.push_back({e.at("on"), std::to_string(e.at("nodes").get<std::int64_t>()),
                     three(e.at("force_N"), noise_of(s.at("forces"), "force_N", 1e-12)),
                     e.contains("displacement_mm") ? number(e.at("displacement_mm")) : "-"});
  cut(std::move(lines));
  return text;
}

// The answers of one case.
void add_elasticity(std::vector<summary_row>& rows, const nlohmann::ordered_json& s) {
  const auto add = [&](const char* key, const char* name, const char* unit) {
    if (s.contains(key)) rows.push_back({name, number(s.at(key)), unit});
  };
  if (s.contains("reaction_moment_N_mm") && s.contains("stiffness_N_mm_per_deg"))
    rows.push_back({"reaction moment", number(s.at("reaction_moment_N_mm").at(place_of(s.at("load")))), "N mm"});
  else if (s.contains("reaction_N"))
    rows.push_back({"reaction force", number(s.at("reaction_N").at(place_of(s.at("load")))), "N"});
  add("stiffness_N_per_mm", "stiffness", "N/mm");
  add("stiffness_N_mm_per_deg", "stiffness", "N mm/deg");
  add("apparent_modulus_MPa", "apparent modulus", "MPa");
  add("aggregate_modulus_MPa", "aggregate modulus", "MPa");
  add("shear_modulus_MPa", "shear modulus", "MPa");
  add("bending_stiffness_N_mm2", "bending stiffness", "N mm2");
  add("torsional_stiffness_N_mm2", "torsional stiffness", "N mm2");
  rows.push_back({"strain energy density, mean", number(s.at("sed_MPa").at("mean")), "MPa"});
  rows.push_back({"strain energy density, 98 %", number(s.at("sed_MPa").at("p98")), "MPa"});
  rows.push_back({"effective strain, 98 %", number(s.at("effective_strain").at("p98")), ""});
  const auto& pistoia = s.at("pistoia");
  if (pistoia.contains("failure_load_N"))
    rows.push_back({"failure load (Pistoia)", number(pistoia.at("failure_load_N")), "N"});
  else if (pistoia.contains("failure_moment_N_mm"))
    rows.push_back({"failure moment (Pistoia)", number(pistoia.at("failure_moment_N_mm")), "N mm"});
  else if (pistoia.at("factor").is_number())
    rows.push_back({"failure factor (Pistoia)", number(pistoia.at("factor")), ""});
}

std::string lines_of(const std::vector<summary_row>& rows) {
  std::string text;
  for (const summary_row& r : rows) text += fmt::format("  {:<30} {:>14}  {}\n", r.name, r.value, r.unit);
  return text;
}

// The answers of all cases: a line for each answer, a column for each case. Cases need not have the same answers.
std::string table_of_cases(const nlohmann::ordered_json& cases) {
  constexpr std::size_t most_columns = 4;
  std::vector<std::vector<summary_row>> all;
  for (const auto& c : cases) add_elasticity(all.emplace_back(), c);
  std::string text;
  for (std::size_t first = 0; first < cases.size(); first += most_columns) {
    const std::size_t end = std::min(first + most_columns, cases.size());
    std::vector<std::vector<std::string>> lines{{"load case"}, {"test"}};
    for (std::size_t c = first; c < end; ++c) {
      lines[0].push_back(cases[c].at("name"));
      lines[1].push_back(cases[c].at("load").at("test"));
    }
    std::vector<std::string> names;  // with their units
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

}  // namespace

std::string summary_table(const nlohmann::ordered_json& s, const std::string& report) {
  std::vector<summary_row> rows{{"elements", grouped(s.at("elements")), ""},
                                {"degrees of freedom", grouped(s.at("dofs")), ""}};
  if (s.contains("homogenisation")) {
    add_homogenisation(s.at("homogenisation"), rows);
  } else if (s.at("physics") == "elasticity") {
    if (!s.contains("cases")) add_elasticity(rows, s);
  } else if (s.at("physics") == "thermo_elasticity") {
    add_thermo_elasticity(rows, s);
  } else {
    add_heat(rows, s);
  }
  const auto& proof = s.at("certificate");
  rows.push_back({"iterations", std::to_string(s.at("iterations").get<int>()), ""});
  rows.push_back({"true relative residual", fmt::format("{:.2e}", proof.at("true_relative_residual").get<double>()), ""});
  rows.push_back({"reaction balance error", fmt::format("{:.2e}", proof.at("reaction_imbalance").get<double>()), ""});
  rows.push_back({"energy identity error", fmt::format("{:.2e}", proof.at("energy_identity_error").get<double>()), ""});
  rows.push_back({"ranks x threads", fmt::format("{} x {}", s.at("ranks").get<int>(), s.at("threads").get<int>()), ""});
  rows.push_back(
      {"solver", fmt::format("{:.1f}", s.at("setup_seconds").get<double>() + s.at("solve_seconds").get<double>()), "s"});
  rows.push_back({"peak memory, all ranks", fmt::format("{:.0f}", s.at("peak_rss_bytes").get<double>() / 1048576), "MiB"});

  std::string text = fmt::format("\n{}: {}\n", s.at("job").get<std::string>(), s.at("physics").get<std::string>());
  text += lines_of(rows);
  const double tolerance = proof.value("tolerance", 1e-6);
  if (s.contains("cases")) {
    text += table_of_cases(s.at("cases"));
    for (const auto& c : s.at("cases"))
      if (const std::string table = supports_of(c, tolerance); !table.empty())
        text += fmt::format("\n  load case {}\n", c.at("name").get<std::string>()) + table;
  } else if (const std::string table = supports_of(s, tolerance); !table.empty()) {
    text += "\n" + table;
  }
  if (const auto note = s.at("image").value("spacing_note", ""); !note.empty())
    text += fmt::format("\n  Voxel size: {}\n", note);
  text += fmt::format("\n  results  {}\n", s.at("files").at("results").get<std::string>());
  if (s.at("files").contains("picture"))
    text += fmt::format("  picture  {}\n", s.at("files").at("picture").get<std::string>());
  if (!report.empty()) text += fmt::format("  report   {}\n", report);
  return text;
}

}  // namespace osteon::app
