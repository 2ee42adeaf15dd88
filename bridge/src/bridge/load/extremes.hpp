#pragma once
/// @file
/// MPI_MAX and MPI_MIN of integers, which MPIs compare with the wrong sign: MPICH 4.0 takes every unsigned type for a signed
/// one, Open MPI 4.1 takes MPI_UNSIGNED_LONG for signed and MPI_OFFSET for unsigned.
#include <bridge/front/front.hpp>

namespace osteon::bridge {

/// Put detours into a vendor's collectives that reduce. The first use of MPI_MAX or MPI_MIN on an integer type compares the
/// vendor's result with values computed here; where they differ, an operation of the bridge takes the vendor's place.
/// Accumulation in windows is not corrected: the standard permits no operation of a program there.
void correct_extremes(slots& vendor) noexcept;

}  // namespace osteon::bridge
