#pragma once
/// @file
/// Forchheimer's law of several flows.
#include <optional>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Drop of pressure over velocity and length against velocity, by least squares of relative distances:
/// drop / (length velocity) = viscosity / K + beta density velocity.
struct forchheimer_fit {
  double permeability_m2 = 0, beta_per_m = 0, error = 0;
};

/// Of the flows of flow.multiples; nothing of creeping flow, of fewer than two, or where heat drives, too.
std::optional<forchheimer_fit> fit_forchheimer(const spec& job, const local_model& part,
                                               const std::vector<through_flow>& flows);

}  // namespace osteon::physics
