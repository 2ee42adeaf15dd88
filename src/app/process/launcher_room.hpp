#pragma once
/// @file
/// The room that a launcher needs for its temporary files.

namespace osteon::app {

/// Check that the folder for temporary files has room for the files by which mpirun and its ranks exchange addresses. Open
/// MPI 4 fails in MPI_Init of one rank where it is full, and its mpirun then never ends.
/// @throws machine_error
void require_room_for_launcher(int ranks);

}  // namespace osteon::app
