# Finds the parallel HDF5 library of Debian's parallel netCDF: target hdf5_mpi::hdf5_mpi.
find_path(hdf5_mpi_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/openmpi hdf5/mpich HINTS ENV HDF5_DIR PATH_SUFFIXES include)
find_library(hdf5_mpi_LIBRARY NAMES hdf5_openmpi hdf5 HINTS ENV HDF5_DIR
  PATHS /usr/lib/${CMAKE_CXX_LIBRARY_ARCHITECTURE}/hdf5/openmpi PATH_SUFFIXES lib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(hdf5_mpi REQUIRED_VARS hdf5_mpi_LIBRARY hdf5_mpi_INCLUDE_DIR)
if(hdf5_mpi_FOUND AND NOT TARGET hdf5_mpi::hdf5_mpi)
  add_library(hdf5_mpi::hdf5_mpi UNKNOWN IMPORTED)
  set_target_properties(hdf5_mpi::hdf5_mpi PROPERTIES
    IMPORTED_LOCATION "${hdf5_mpi_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${hdf5_mpi_INCLUDE_DIR}")
endif()
