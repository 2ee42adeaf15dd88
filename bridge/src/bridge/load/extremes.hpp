#pragma once
/// @file
/// MPI_MAX and MPI_MIN of integers. Some MPIs compare integers with the wrong sign. MPICH 4.0 treats every unsigned type as
/// signed. Open MPI 4.1 treats MPI_UNSIGNED_LONG as signed and MPI_OFFSET as unsigned.
#include <bridge/front/front.hpp>

namespace osteon::bridge {

/// Wrap the vendor's reducing collectives. At the first use of MPI_MAX or MPI_MIN on an integer type, the result of the
/// vendor is compared with values computed by the bridge. If the values differ, an operation of the bridge replaces the
/// operation of the vendor. Accumulation in windows is not corrected, because the standard does not permit user-defined
/// operations for accumulation.
void correct_extremes(slots& vendor) noexcept;

}  // namespace osteon::bridge
