#include <osteon/job/elasticity/load_warnings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace osteon::job {

namespace {

constexpr double largest_strain = 0.2;

using problems = std::vector<problem>;

// @param subject of the sentence, with its verb; empty: the value of the key
void warn_of_strain(double value, const std::string& where, const std::string& subject, problems& warnings) {
  const double e = std::abs(value);
  if (!(e > largest_strain)) return;
  warnings.push_back(
      {where,
       fmt::format("{} a strain of {:g} %; linear elasticity holds for small strains, at most some per cent{}",
                   subject.empty() ? fmt::format("{:g} is", value) : subject, 100 * e,
                   subject.empty() ? fmt::format(": strain is a fraction, {:g} % would be {:g}", value, value / 100) : "")});
}

void warn_of_angle(const std::optional<double>& degrees, const std::string& where, problems& warnings) {
  if (!(std::abs(degrees.value_or(0)) > 15)) return;
  warnings.push_back(
      {where,
       fmt::format("{:g} degrees are many: displacements are linear in the angle, which holds for some degrees", *degrees)});
}

void warn_of_load(const load_spec& load, const std::string& at, problems& warnings) {
  if (load.strain) warn_of_strain(*load.strain, at + "strain", "", warnings);
  warn_of_angle(load.angle_deg, at + "angle_deg", warnings);
  if (!load.gravity_m_per_s2) return;
  double g = 0;
  for (const double a : *load.gravity_m_per_s2) g = std::hypot(g, a);
  if (g > 1000)
    warnings.push_back(
        {at + "gravity_m_per_s2", fmt::format("{:g} m/s2 is {:.0f} times the earth's; in m/s2 that is 9.81", g, g / 9.81)});
}

void warn_of_supports(const std::vector<support_spec>& supports, const std::string& prefix, problems& warnings) {
  for (std::size_t n = 0; n < supports.size(); ++n)
    if (const auto& turn = supports[n].rotate_deg)
      for (const double a : *turn) warn_of_angle(a, fmt::format("{}support[{}].rotate_deg", prefix, n + 1), warnings);
}

// Calls of `visit(load, supports, prefix)` for the job and each of its cases.
template <class Visitor>
void visit_cases(const spec& job, Visitor visit) {
  visit(job.load, job.supports, std::string());
  for (std::size_t n = 0; n < job.cases.size(); ++n)
    visit(job.cases[n].load, job.cases[n].supports, fmt::format("case[{}].", n + 1));
}

}  // namespace

void warn_of_loads(const spec& job, problems& warnings) {
  visit_cases(job, [&](const load_spec& load, const std::vector<support_spec>& supports, const std::string& prefix) {
    warn_of_load(load, prefix + "load.", warnings);
    warn_of_supports(supports, prefix, warnings);
  });
}

void warn_of_displacements(const spec& job, const vector3& size_mm, problems& warnings) {
  const double longest = std::max({size_mm.z, size_mm.y, size_mm.x});
  const auto warn = [&](double move, double length, const std::string& where) {
    warn_of_strain(move / length, where, fmt::format("{:g} mm of {:.4g} mm are", move, length), warnings);
  };
  visit_cases(job, [&](const load_spec& load, const std::vector<support_spec>& supports, const std::string& prefix) {
    if (load.displacement_mm)
      warn(*load.displacement_mm, size_mm[load.axis == "z" ? 0 : load.axis == "y" ? 1 : 2], prefix + "load.displacement_mm");
    for (std::size_t n = 0; n < supports.size(); ++n) {
      const std::optional<double> moves[] = {supports[n].move_z_mm, supports[n].move_y_mm, supports[n].move_x_mm};
      for (std::size_t a = 0; a < 3; ++a)
        if (moves[a]) warn(*moves[a], longest, fmt::format("{}support[{}].move_{}_mm", prefix, n + 1, "zyx"[a]));
    }
  });
}

void warn_of_pistoia(const spec& job, problems& warnings) {
  const double strain = job.pistoia.critical_strain, volume = job.pistoia.critical_volume;
  if (strain > 0.05)
    warnings.push_back(
        {"pistoia.critical_strain",
         fmt::format("{:g} is a strain of {:g} %; Pistoia's is 0.007, which is 0.7 %", strain, 100 * strain)});
  if (volume > 0.3)
    warnings.push_back({"pistoia.critical_volume",
                        fmt::format("{:g} is {:g} % of the solid; Pistoia's is 0.02, which is 2 %", volume, 100 * volume)});
}

}  // namespace osteon::job
