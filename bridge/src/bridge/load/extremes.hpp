#pragma once
/// @file
/// MPI_MAX and MPI_MIN of integers, which some MPIs compare with the wrong sign: MPICH 4.0 treats every unsigned type as
/// signed, Open MPI 4.1 treats MPI_UNSIGNED_LONG as signed and MPI_OFFSET as unsigned.
#include <bridge/front/front.hpp>

namespace osteon::bridge {

/// Wrap the vendor's reducing collectives. The first use of MPI_MAX or MPI_MIN on an integer type compares the vendor's
/// result with values computed here; if they differ, an operation of the bridge replaces the vendor's.
/// Accumulation in windows is not corrected: the standard permits no user-defined operation there.
void correct_extremes(slots& vendor) noexcept;

}  // namespace osteon::bridge
