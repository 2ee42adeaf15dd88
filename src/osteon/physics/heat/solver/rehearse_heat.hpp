#pragma once
/// @file
/// The messages of a solve without solving: those of its set-up happen, those of its iteration are counted. On virtual ranks
/// (comm/virtual_ranks.hpp) the counts are the plans of a job on any number of ranks; tests compare them with those of runs.
#include <osteon/numerics/operators/heat_problem.hpp>
#include <osteon/numerics/solve_part.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Of solve_heat for a steady problem without periodic faces.
/// @throws data_error as find_heated_parts @collective on problem.where.comm
void rehearse_heat(const heat_problem& problem, const part_listener& begins);

}  // namespace osteon::physics
