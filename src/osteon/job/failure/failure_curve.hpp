#pragma once
/// @file
/// What is read off a curve of force and displacement.
#include <nlohmann/json.hpp>
#include <osteon/job/elasticity/standard_tests.hpp>
#include <osteon/solve/failure/failure.hpp>
#include <span>

namespace osteon::job {

/// The curve by columns, from the unloaded state, as `curve` of summary.json and as curve.csv.
nlohmann::ordered_json curve_of(std::span<const solve::failure_record> curve, const measure& m);

/// First yield, yield by a 0.2 % offset, ultimate load, stiffness after the yield, energies at the end.
/// @param first_yield factor @param stiffness elastic, load over the amount [N/mm or N mm/rad]
nlohmann::ordered_json answers_of_curve(std::span<const solve::failure_record> curve, const measure& m, double first_yield,
                                        double stiffness);

}  // namespace osteon::job
