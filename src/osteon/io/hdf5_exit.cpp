#include <osteon/io/hdf5_exit.hpp>

#include <hdf5.h>

namespace osteon::io {

void leave_hdf5_at_exit() {
  H5dont_atexit();
  H5open();  // begun after MPI it would ask MPI_Finalize to clean up
}

}  // namespace osteon::io
