#pragma once
/// @file
/// A joint certificate of several solutions.
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <span>

namespace osteon::numerics {

/// Certificate of several solutions. Each error is the largest error of all solutions. The residual history is taken from
/// the solution with the highest final residual. Iterations and times are summed.
/// @param each at least one @collective local
solve_certificate joint_certificate(std::span<const solve_certificate> each);

/// Certificate of the solutions that form a tensor. Imbalances and the error of the energy identity are relative to the
/// largest energy of all solutions. If the solid has no stiffness in one direction, the energy of the solution for this
/// direction is zero except for rounding and cannot serve as reference.
/// @param energy energy of each solution for equal mean gradients, such as the diagonal of the tensor
/// @param straight energy of a solid without pores, or 0 if unknown; errors are relative to this energy if all energies are
/// below its rounding error @collective local
solve_certificate joint_certificate(std::span<const solve_certificate> each, std::span<const double> energy,
                                    double straight = 0);

}  // namespace osteon::numerics
