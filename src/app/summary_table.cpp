#include <app/summary_table.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace osteon::app {

namespace {

struct row {
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

void add_thermo_elasticity(std::vector<row>& rows, const nlohmann::ordered_json& s) {
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

}  // namespace

std::string summary_table(const nlohmann::ordered_json& s, const std::string& report) {
  std::vector<row> rows{{"elements", grouped(s.at("elements")), ""}, {"degrees of freedom", grouped(s.at("dofs")), ""}};
  if (s.at("physics") == "elasticity") {
    const int axis = s.at("load").at("axis") == "z" ? 0 : s.at("load").at("axis") == "y" ? 1 : 2;
    rows.push_back({"reaction force", number(s.at("reaction_N").at(axis)), "N"});
    rows.push_back({"stiffness", number(s.at("stiffness_N_per_mm")), "N/mm"});
    rows.push_back({"apparent modulus", number(s.at("apparent_modulus_MPa")), "MPa"});
    rows.push_back({"strain energy density, mean", number(s.at("sed_MPa").at("mean")), "MPa"});
    rows.push_back({"strain energy density, 98 %", number(s.at("sed_MPa").at("p98")), "MPa"});
    rows.push_back({"effective strain, 98 %", number(s.at("effective_strain").at("p98")), ""});
    rows.push_back({"failure load (Pistoia)", number(s.at("pistoia").at("failure_load_N")), "N"});
  } else if (s.at("physics") == "thermo_elasticity") {
    add_thermo_elasticity(rows, s);
  } else {
    rows.push_back({"heat flow", number(s.at("flux_W")), "W"});
    rows.push_back({"effective conductivity", number(s.at("effective_conductivity_W_per_mK")), "W/(m K)"});
    rows.push_back({"tortuosity", number(s.at("tortuosity")), ""});
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
  for (const row& r : rows) text += fmt::format("  {:<30} {:>14}  {}\n", r.name, r.value, r.unit);
  if (const auto note = s.at("image").value("spacing_note", ""); !note.empty())
    text += fmt::format("\n  Voxel size: {}\n", note);
  text += fmt::format("\n  results  {}\n", s.at("files").at("results").get<std::string>());
  if (s.at("files").contains("picture"))
    text += fmt::format("  picture  {}\n", s.at("files").at("picture").get<std::string>());
  if (!report.empty()) text += fmt::format("  report   {}\n", report);
  return text;
}

}  // namespace osteon::app
