#pragma once
/// @file
/// The messages of a solve without solving: those of its set-up happen, those of its iteration are counted. On virtual ranks
/// (comm/virtual_ranks.hpp) the counts are the plans of a job on any number of ranks; tests compare them with those of runs.
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/numerics/solve_part.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Of elasticity_solver, periodic faces included. What searches for parts without support is not in it, nor what finds the
/// nodes of a load.
/// @throws data_error as the solver's set-up @collective on problem.where.comm
void rehearse_elasticity(const elasticity_problem& problem, const part_listener& begins);

}  // namespace osteon::physics
