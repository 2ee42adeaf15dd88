#pragma once
/// @file
/// Conditions of openings and sliding walls in a transient flow at any time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/physics/flow/solver/openings/periods.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>
#include <osteon/physics/flow/solver/transient/flow_stepper.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

/// The conditions of a problem at a time. The value of each boundary, and the pressure drop and the flow rate over each
/// period, are multiplied by their factors at this time.
class conditions_in_time {
 public:
  /// The object borrows `problem` and `open`. @param given result of validate_conditions() @collective local
  conditions_in_time(const through_problem& problem, const open_flow_cells& open, std::vector<opening_face> given,
                     const flow_units& units)
      : problem_(problem), open_(open), given_(std::move(given)), units_(units), scaled_(problem) {
    for (const flow_boundary& b : problem.boundaries) vary_ = vary_ || b.factor.varies();
    for (const time_table& t : problem.period_factor) vary_ = vary_ || t.varies();
    // these faces are walls next to the openings
    std::erase_if(given_, [](const opening_face& f) { return f.boundary < 0; });
  }

  bool vary() const { return vary_; }

  flow_stepper::conditions at(double time_s) const {
    std::vector<opening_face> given = given_;
    for (opening_face& f : given)
      f.velocity_mm_per_s *= problem_.boundaries[static_cast<std::size_t>(f.boundary)].factor.at(time_s);
    flow_entries right = right_hand_side(problem_at(time_s), open_, units_, 1);
    add_period_drops(open_, units_, drops_at(time_s), right);
    constexpr double shortly = 1e-6;  // time difference for rates of change, as a fraction of the intervals of a table
    const double later_s = shortly * std::min(longest_step_s(), 1.0), rate = rate_of_period(time_s);
    return {given_velocities(problem_, open_, given, units_, 1), std::move(right), rate,
            (rate_of_period(time_s + later_s) - rate) / later_s};
  }

  /// Pressure drops over the periods. If a flow rate is given instead, the value is 0.
  period_drops drops_at(double time_s) const {
    period_drops drops{};
    for (std::size_t a = 0; a < 3; ++a) drops[a] = problem_.period_factor[a].at(time_s) * problem_.period_drop_Pa[a];
    return drops;
  }
  /// Axis with a given flow rate over the period.
  std::optional<std::size_t> rate_axis() const {
    for (std::size_t a = 0; a < 3; ++a)
      if (problem_.period_rate_mm3_per_s[a]) return a;
    return std::nullopt;
  }
  /// Given flow rate at a time [mm3/s].
  double period_rate_at(double time_s) const {
    const auto a = rate_axis();
    return a ? problem_.period_factor[*a].at(time_s) * *problem_.period_rate_mm3_per_s[*a] : 0;
  }

  /// Problem with the values of the boundaries at a time. The result is valid until the next call.
  const through_problem& problem_at(double time_s) const {
    for (std::size_t n = 0; n < scaled_.boundaries.size(); ++n) {
      const flow_boundary& nominal = problem_.boundaries[n];
      const double factor = nominal.factor.at(time_s);
      scaled_.boundaries[n].value = factor * nominal.value;
      for (int a = 0; a < 3; ++a) scaled_.boundaries[n].slide_mm_per_s[a] = factor * nominal.slide_mm_per_s[a];
    }
    return scaled_;
  }

  /// Largest given velocity divided by the edge of a voxel [1/s].
  double rate_at(double time_s) const {
    double highest = 0;
    for (const opening_face& f : given_)
      highest = std::max(highest, std::abs(f.velocity_mm_per_s *
                                           problem_.boundaries[static_cast<std::size_t>(f.boundary)].factor.at(time_s)) /
                                      problem_.spacing_mm[f.side / 2]);
    return highest;
  }

  /// Upper limit of adaptive steps. The limit is a fraction of each period or table. Steps then resolve changes of the
  /// conditions.
  double longest_step_s() const {
    constexpr double parts = 40;
    double most = std::numeric_limits<double>::infinity();
    std::vector<const time_table*> tables;
    for (const flow_boundary& b : problem_.boundaries) tables.push_back(&b.factor);
    for (const time_table& t : problem_.period_factor) tables.push_back(&t);
    for (const time_table* table : tables) {
      const time_table& t = *table;
      const double span = t.period_s > 0 ? t.period_s : t.points.size() > 1 ? t.points.back()[0] - t.points.front()[0] : 0;
      if (span > 0) most = std::min(most, span / parts);
    }
    return most;
  }

 private:
  // Sum of the velocities through the voxels at the face of the period, for the given flow rate. The unit is that of the
  // solver.
  double rate_of_period(double time_s) const {
    const auto a = rate_axis();
    if (!a) return 0;
    const vector3 h = problem_.spacing_mm;
    return period_rate_at(time_s) / (h.z * h.y * h.x / h[static_cast<int>(*a)] * units_.velocity_mm_per_s);
  }

  const through_problem& problem_;
  const open_flow_cells& open_;
  std::vector<opening_face> given_;
  flow_units units_;
  mutable through_problem scaled_;
  bool vary_ = false;
};

}  // namespace osteon::physics
