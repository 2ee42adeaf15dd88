#include <osteon/physics/failure/failure_curve.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr double offset_strain = 0.002;

// Where the face is and what it bears, under the names of the test's units.
json place_of(double factor, double load, const measure& m) {
  const double amount = factor * m.amount;
  if (m.turns) return {{"angle_deg", amount * 180 / std::numbers::pi}, {"moment_N_mm", load}};
  return {{"strain", amount / m.length_mm},
          {"displacement_mm", amount},
          {"force_N", load},
          {"stress_MPa", load / m.area.area_mm2}};
}

// Until the path turns for the first time.
std::span<const failure_record> first_leg(std::span<const failure_record> curve) {
  std::size_t n = 1;
  while (n < curve.size() && std::abs(curve[n].factor) > std::abs(curve[n - 1].factor)) ++n;
  return curve.first(std::min(n, curve.size()));
}

// Where the curve meets the elastic line that begins at the offset; linear between the records.
json yield_by_offset(std::span<const failure_record> leg, const measure& m, double stiffness) {
  const double offset = offset_strain * m.length_mm;
  const auto above = [&](const failure_record& r) {
    const double amount = r.factor * m.amount;
    return std::abs(r.load) - std::abs(stiffness) * (std::abs(amount) - offset);
  };
  for (std::size_t n = 1; n < leg.size(); ++n) {
    const double before = above(leg[n - 1]), after = above(leg[n]);
    if (after > 0) continue;
    const double part = before / (before - after);
    return place_of(leg[n - 1].factor + part * (leg[n].factor - leg[n - 1].factor),
                    leg[n - 1].load + part * (leg[n].load - leg[n - 1].load), m);
  }
  return nullptr;
}

}  // namespace

json curve_of(std::span<const failure_record> curve, const measure& m) {
  json columns = json::object();
  for (const failure_record& r : curve) {
    const auto add = [&](const char* key, double value) { columns[key].push_back(value); };
    const json place = place_of(r.factor, r.load, m);
    for (const auto& [key, value] : place.items()) add(key.c_str(), value);
    add("work_mJ", r.work_mJ);
    add("stored_mJ", r.stored_mJ);
    add("dissipated_mJ", r.dissipated_mJ);
    add("hardening_mJ", r.hardening_mJ);
    add("yielded_share", r.yielded);
    add("yielded_in_tension", r.in_tension);
    add("yielded_in_compression", r.in_compression);
    add("force_residual", r.residual);
    add("corrections", r.corrections);
    add("iterations", r.iterations);
  }
  return columns;
}

json answers_of_curve(std::span<const failure_record> curve, const measure& m, double first_yield, double stiffness) {
  json answers = json::object();
  const auto leg = first_leg(curve);
  if (std::abs(first_yield) <= std::abs(leg.back().factor))
    answers["first_yield"] = place_of(first_yield, stiffness * first_yield * m.amount, m);
  if (!m.turns)
    if (const json offset = yield_by_offset(leg, m, stiffness); !offset.is_null()) answers["yield_offset"] = offset;
  // Where it stays at the largest force, that is reached at the first of these records, whatever the solver left of each.
  constexpr double plateau = 1e-6;
  const auto most = std::max_element(leg.begin(), leg.end(), [](const auto& a, const auto& b) {
    return (1 + plateau) * std::abs(a.load) < std::abs(b.load);
  });
  answers["ultimate"] = place_of(most->factor, most->load, m);
  answers["ultimate"]["work_mJ"] = most->work_mJ;
  answers["ultimate"]["is_peak"] =
      std::any_of(most, leg.end(), [&](const auto& r) { return std::abs(r.load) < (1 - plateau) * std::abs(most->load); });
  if (leg.size() >= 2 && leg.back().yielded > 0) {
    const auto &last = leg[leg.size() - 1], &before = leg[leg.size() - 2];
    const double slope = (last.load - before.load) / ((last.factor - before.factor) * m.amount);
    answers[m.turns ? "post_yield_stiffness_N_mm_per_deg" : "post_yield_stiffness_N_per_mm"] =
        m.turns ? slope * std::numbers::pi / 180 : slope;
  }
  const failure_record& end = curve.back();
  answers["energy_mJ"] = {
      {"work", end.work_mJ}, {"stored", end.stored_mJ}, {"dissipated", end.dissipated_mJ}, {"hardening", end.hardening_mJ}};
  answers["yielded_share"] = {{"all", end.yielded}, {"tension", end.in_tension}, {"compression", end.in_compression}};
  return answers;
}

}  // namespace osteon::physics
