# Finds the netCDF-4 C library that was built with parallel HDF5.
#
# Debian installs this library in addition to the serial one. Its pkg-config file does not list the folder of its headers.
find_path(netcdf_mpi_INCLUDE_DIR netcdf_par.h
  PATH_SUFFIXES netcdf/mpi/include
  HINTS /usr/lib/${CMAKE_CXX_LIBRARY_ARCHITECTURE} ENV NETCDF_DIR PATH_SUFFIXES netcdf/mpi/include include)
find_library(netcdf_mpi_LIBRARY NAMES netcdf_mpi netcdf HINTS ENV NETCDF_DIR PATH_SUFFIXES lib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(netcdf_mpi REQUIRED_VARS netcdf_mpi_LIBRARY netcdf_mpi_INCLUDE_DIR)
if(netcdf_mpi_FOUND AND NOT TARGET netcdf_mpi::netcdf_mpi)
  add_library(netcdf_mpi::netcdf_mpi UNKNOWN IMPORTED)
  set_target_properties(netcdf_mpi::netcdf_mpi PROPERTIES
    IMPORTED_LOCATION ${netcdf_mpi_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${netcdf_mpi_INCLUDE_DIR})
endif()
