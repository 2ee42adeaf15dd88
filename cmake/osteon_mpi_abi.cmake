# Build osteon itself against a standard MPI ABI (OSTEON_MPI_ABI: a folder with include/mpi.h and lib/libmpi_abi.so.1),
# so that it runs with any MPI library through the bridge, and with several MPI libraries at once.
#
# The parallel netCDF and HDF5 are built for one MPI library and cannot be used with another. osteon calls only their serial
# functions, so that the serial libraries replace them. The headers are equal; the parallel headers are used if no others are installed.
add_library(MPI::MPI_CXX SHARED IMPORTED)
set_target_properties(MPI::MPI_CXX PROPERTIES IMPORTED_LOCATION ${OSTEON_MPI_ABI}/lib/libmpi_abi.so.1
  INTERFACE_INCLUDE_DIRECTORIES ${OSTEON_MPI_ABI}/include)

find_path(netcdf_INCLUDE_DIR netcdf.h PATH_SUFFIXES netcdf/mpi/include
  PATHS /usr/lib/${CMAKE_CXX_LIBRARY_ARCHITECTURE} REQUIRED)
find_library(netcdf_LIBRARY NAMES netcdf libnetcdf.so.19 REQUIRED)  # libnetcdf.so.19 is a dependency of netcdf-bin
find_path(hdf5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial hdf5/openmpi REQUIRED)
find_library(hdf5_LIBRARY NAMES hdf5_serial hdf5 libhdf5_serial.so.103 REQUIRED)
foreach(library IN ITEMS netcdf hdf5)
  add_library(${library}_mpi::${library}_mpi UNKNOWN IMPORTED)
  set_target_properties(${library}_mpi::${library}_mpi PROPERTIES IMPORTED_LOCATION ${${library}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${${library}_INCLUDE_DIR})
endforeach()
# Static libraries do not list their dependencies. packaging/wheel/libraries.sh defines these dependencies.
if(netcdf_LIBRARY MATCHES "\\.a$")
  find_package(ZLIB REQUIRED)
  find_library(hdf5_hl_LIBRARY NAMES hdf5_hl REQUIRED)
  add_library(hdf5_hl STATIC IMPORTED)  # a target, because it must precede HDF5
  set_target_properties(hdf5_hl PROPERTIES IMPORTED_LOCATION ${hdf5_hl_LIBRARY} INTERFACE_LINK_LIBRARIES hdf5_mpi::hdf5_mpi)
  set_target_properties(netcdf_mpi::netcdf_mpi PROPERTIES INTERFACE_LINK_LIBRARIES "hdf5_hl;hdf5_mpi::hdf5_mpi;m")
  set_target_properties(hdf5_mpi::hdf5_mpi PROPERTIES INTERFACE_LINK_LIBRARIES "ZLIB::ZLIB;${CMAKE_DL_LIBS};m")
endif()
