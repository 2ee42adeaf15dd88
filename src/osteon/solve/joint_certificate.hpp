#pragma once
/// @file
/// One certificate for several solutions.
#include <osteon/solve/certificate.hpp>
#include <osteon/solve/solver_options.hpp>
#include <span>

namespace osteon::solve {

/// The certificate of several solutions: the worst of each number, the residuals of the one that ended highest; iterations
/// and seconds add up. @param each one at least @collective local
solve_certificate joint_certificate(std::span<const solve_certificate> each);

}  // namespace osteon::solve
