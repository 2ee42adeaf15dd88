#pragma once
/// @file
/// What is read off a curve of force and displacement.
#include <nlohmann/json.hpp>
#include <osteon/physics/elasticity/loads/standard_tests.hpp>
#include <osteon/physics/failure/solver/failure.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <span>

namespace osteon::physics {

/// The curve by columns, from the unloaded state, as `curve` of summary.json and as curve.csv.
nlohmann::ordered_json curve_of(std::span<const failure_record> curve, const measure& m);

/// First yield, yield by a 0.2 % offset, ultimate load, stiffness after the yield, energies at the end.
/// @param first_yield factor @param stiffness elastic, load over the amount [N/mm or N mm/rad]
nlohmann::ordered_json answers_of_curve(std::span<const failure_record> curve, const measure& m, double first_yield,
                                        double stiffness);

}  // namespace osteon::physics
