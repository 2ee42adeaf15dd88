#include <osteon/physics/flow/stages/forchheimer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

std::optional<forchheimer_fit> fit_forchheimer(const spec& job, const local_model& part,
                                               const std::vector<through_flow>& flows) {
  const flow_keys& f = job.groups.of<flow_keys>();
  if (!f.inertia || f.expansion_per_K || flows.size() < 2) return std::nullopt;  // heat drives, too
  const double length_m = 1e-3 * length_mm(part.header, load_axis(job)),
               section_mm2 = cross_section_mm2(part.header, load_axis(job));
  double ss = 0, sv = 0, vv = 0, s = 0, v = 0;
  std::vector<std::array<double, 2>> points;  // velocity, resistance
  for (const through_flow& flow : flows) {
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

}  // namespace osteon::physics
