#pragma once
/// @file
/// HDF5 at the end of the program.

namespace osteon::io {

/// Keep HDF5 from cleaning up at exit and in MPI_Finalize: call it first in a program, before MPI begins.
///
/// Every file is closed where its writing ends. A file still open at exit is one whose write failed, and HDF5 crashes when
/// its exit handler tries to write it again (SIGSEGV on a full disk).
void leave_hdf5_at_exit();

}  // namespace osteon::io
