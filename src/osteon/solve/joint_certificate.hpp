#pragma once
/// @file
/// One certificate for several solutions.
#include <osteon/solve/report.hpp>
#include <span>

namespace osteon::solve {

/// The certificate of several solutions: the worst of each number, the residuals of the one that ended highest; iterations
/// and seconds add up. @param each one at least @collective local
certificate joint_certificate(std::span<const certificate> each);

}  // namespace osteon::solve
