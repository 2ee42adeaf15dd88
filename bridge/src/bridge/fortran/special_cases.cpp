/// @file
/// Fortran functions that need more than converted arguments, and constants that are identified by their addresses.
#include <bridge/fortran/convert.hpp>

namespace {
/// Programs with mpi_f08 may omit the error argument.
void give(int* ierror, int error) {
  if (ierror) *ierror = error;
}
}  // namespace

extern "C" {
// The alignment equals the alignment of COMMON blocks in Fortran compilers.
alignas(32) OSTEON_EXPORT int osteon_mpi_bottom_, osteon_mpi_in_place_;
alignas(32) OSTEON_EXPORT int osteon_mpi_unweighted_[1], osteon_mpi_weights_empty_[1], osteon_mpi_errcodes_ignore_[1];
alignas(32) OSTEON_EXPORT MPI_Status osteon_mpi_status_ignore_, osteon_mpi_statuses_ignore_;

OSTEON_EXPORT void mpi_init_(int* ierror) { give(ierror, MPI_Init(nullptr, nullptr)); }

OSTEON_EXPORT void mpi_init_thread_(int* required, int* provided, int* ierror) {
  give(ierror, MPI_Init_thread(nullptr, nullptr, *required, provided));
}

OSTEON_EXPORT void mpi_get_address_(void* location, MPI_Aint* address_of, int* ierror) {
  give(ierror, MPI_Get_address(osteon::bridge::fortran::address(location), address_of));
}

/// In C, a predefined attribute is a pointer to an integer. In Fortran, the attribute is the integer.
OSTEON_EXPORT void mpi_comm_get_attr_(int* comm, int* key, MPI_Aint* value, int* flag, int* ierror) {
  void* found = nullptr;
  const int error = MPI_Comm_get_attr(MPI_Comm_fromint(*comm), *key, &found, flag);
  give(ierror, error);
  if (error != MPI_SUCCESS || !*flag) return;
  const bool predefined = *key >= MPI_TAG_UB && *key <= MPI_UNIVERSE_SIZE;
  *value = predefined ? *static_cast<int*>(found) : reinterpret_cast<MPI_Aint>(found);
}
}
