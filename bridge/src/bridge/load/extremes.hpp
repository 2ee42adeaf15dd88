#pragma once
/// @file
/// MPI_MAX and MPI_MIN of integers. Some MPI libraries compare integers with the wrong sign. MPICH 4.0 treats every unsigned
/// type as signed. Open MPI 4.1 treats MPI_UNSIGNED_LONG as signed and MPI_OFFSET as unsigned.
#include <bridge/front/front.hpp>

namespace osteon::bridge {

/// Wrap those collectives of the vendor that reduce values. On the first use of MPI_MAX or MPI_MIN with an integer type, the
/// result of the vendor is compared with values that the bridge computes. If the values differ, an operation of the bridge
/// replaces the operation of the vendor. Accumulation in windows is not corrected. For accumulation, the standard does not
/// permit user-defined operations.
void correct_extremes(slots& vendor) noexcept;

}  // namespace osteon::bridge
