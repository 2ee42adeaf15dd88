#pragma once
/// @file
/// One certificate for several solutions.
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <span>

namespace osteon::numerics {

/// The certificate of several solutions: the worst value of each number, and the residuals of the solution with the highest
/// final residual; iterations and seconds are summed. @param each at least one @collective local
solve_certificate joint_certificate(std::span<const solve_certificate> each);

/// Same for the solutions that form a tensor. Balances and the energy identity are relative to their largest energy: a
/// solution along which the solid has no resistance has zero energy, and its own value is rounding error.
/// @param energy of each solution, for equal mean gradients, such as the diagonal of the tensor
/// @param straight energy of a solid without pores: errors are relative to it if all energies are below its rounding error;
/// 0: not known @collective local
solve_certificate joint_certificate(std::span<const solve_certificate> each, std::span<const double> energy,
                                    double straight = 0);

}  // namespace osteon::numerics
