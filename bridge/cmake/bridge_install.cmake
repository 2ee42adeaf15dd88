# Installation. The MPI library has a folder of its own with its header, its adapters and its compiler wrappers, so that
# it never replaces the MPI of the system: PREFIX/lib/osteon-bridge/{include,lib,bin}.
set(home ${CMAKE_INSTALL_LIBDIR}/osteon-bridge)
if(OSTEON_BRIDGE)
  install(TARGETS osteon_bridge osteon_bridge_fortran LIBRARY DESTINATION ${home}/lib OPTIONAL)
  install(DIRECTORY ${osteon_bridge_BINARY_DIR}/include/ DESTINATION ${home}/include)
  install(DIRECTORY ${osteon_bridge_BINARY_DIR}/lib/ DESTINATION ${home}/lib FILES_MATCHING PATTERN "osteon_mpi_*.so")
  install(DIRECTORY ${osteon_bridge_BINARY_DIR}/bin/ DESTINATION ${home}/bin USE_SOURCE_PERMISSIONS
    FILES_MATCHING PATTERN "osteon-mpi*")
endif()
if(OSTEON_BRIDGE_COMMANDS)
  install(TARGETS osteon_bridge_wire osteon_bridge_launch osteon_bridge_command EXPORT osteon_bridge
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  install(TARGETS osteon_bridge_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
  install(FILES src/bridge/error.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bridge)
  install(FILES src/bridge/command/join.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bridge/command)
  install(EXPORT osteon_bridge NAMESPACE osteon_bridge:: FILE osteon_bridge-targets.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/osteon_bridge)
  configure_package_config_file(cmake/osteon_bridge-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/osteon_bridge-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/osteon_bridge PATH_VARS home)
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/osteon_bridge-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/osteon_bridge-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/osteon_bridge-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/osteon_bridge)
endif()
