#pragma once
/// @file
/// One certificate for several solutions.
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <span>

namespace osteon::numerics {

/// The certificate of several solutions: the worst of each number, the residuals of the one that ended highest; iterations
/// and seconds add up. @param each one at least @collective local
solve_certificate joint_certificate(std::span<const solve_certificate> each);

/// The same of the solutions that a tensor is made of. Balances and the energy identity are relative to the largest energy
/// of them: one along which the solid resists nothing has none, and what is left of its own is rounding.
/// @param energy of each solution, of equal mean gradients, such as the diagonal of the tensor
/// @param straight energy that a solid without pores would have: errors are relative to it where none has more than the
/// rounding of it; 0: not known @collective local
solve_certificate joint_certificate(std::span<const solve_certificate> each, std::span<const double> energy,
                                    double straight = 0);

}  // namespace osteon::numerics
