#pragma once
/// @file
/// What HDF5 does when the program ends.

namespace osteon::io {

/// Keep HDF5 from cleaning up at exit and in MPI_Finalize: call it first in a program, before MPI begins.
///
/// Every file is closed where its writing ends. What is still open then failed to be written, and HDF5 crashes when it
/// tries that again (SIGSEGV in its exit handler on a full disk).
void leave_hdf5_at_exit();

}  // namespace osteon::io
