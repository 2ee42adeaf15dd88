# Installation: the program with its Python package and the examples, and every module as a library for other programs.
include(CMakePackageConfigHelpers)
set(osteon_package ${CMAKE_INSTALL_LIBDIR}/cmake/osteon)
install(EXPORT osteon NAMESPACE osteon:: FILE osteon-targets.cmake DESTINATION ${osteon_package})
install(DIRECTORY src/osteon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
# Programs that include a header by its former path compile for one more release, with a message.
set(osteon_moved ${osteon_BINARY_DIR}/moved_headers)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${osteon_SOURCE_DIR}/cmake/moved_headers.txt)
file(STRINGS cmake/moved_headers.txt moves REGEX "^[^#]")
foreach(move IN LISTS moves)
  string(REPLACE " " ";" move ${move})
  list(GET move 0 before)
  list(GET move 1 now)
  string(REGEX REPLACE "/.*" "" module ${before})  # its namespace before: solve or job
  file(CONFIGURE OUTPUT ${osteon_moved}/${before} CONTENT "#pragma once
#pragma message(\"<osteon/${before}> is deprecated: include <osteon/${now}>\")
#include <osteon/${now}>
namespace osteon::numerics {}
namespace osteon::physics {}
namespace osteon::${module} {
using namespace numerics;
using namespace physics;
}
")
endforeach()
install(DIRECTORY ${osteon_moved}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/osteon)
configure_package_config_file(cmake/osteon-config.cmake.in ${osteon_BINARY_DIR}/osteon-config.cmake
  INSTALL_DESTINATION ${osteon_package})
write_basic_package_version_file(${osteon_BINARY_DIR}/osteon-config-version.cmake COMPATIBILITY SameMinorVersion)
file(GLOB osteon_find_modules cmake/Find*.cmake)
install(FILES ${osteon_BINARY_DIR}/osteon-config.cmake ${osteon_BINARY_DIR}/osteon-config-version.cmake
  ${osteon_find_modules} DESTINATION ${osteon_package})
if(OSTEON_MPI)
  # The component `program` computes jobs, without headers and libraries for other programs.
  install(TARGETS osteon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program OPTIONAL)
  install(TARGETS osteon_exchange LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  install(TARGETS osteon_trace LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/osteon COMPONENT program OPTIONAL)
  osteon_report_if_missing(osteon osteon_exchange osteon_trace)
  if(TARGET osteon_native)
    # Installed as a file, because it is linked to system libraries only.
    install(FILES $<TARGET_FILE:osteon_native> DESTINATION ${CMAKE_INSTALL_DATADIR}/osteon/python/osteon COMPONENT program OPTIONAL)
    osteon_report_if_missing(osteon_native)
  endif()
  install(DIRECTORY python/osteon DESTINATION ${CMAKE_INSTALL_DATADIR}/osteon/python COMPONENT program
    PATTERN "__pycache__" EXCLUDE)
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/osteon COMPONENT program PATTERN "*.out" EXCLUDE)
  # If osteon_pages was built.
  set(pages ${osteon_BINARY_DIR}/pages)
  install(FILES ${pages}/osteon.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program OPTIONAL)
  install(FILES ${pages}/bash RENAME osteon DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program OPTIONAL)
  install(FILES ${pages}/zsh RENAME _osteon DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program OPTIONAL)
  install(FILES ${pages}/fish RENAME osteon.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT program OPTIONAL)
endif()
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/osteon)
osteon_report_missing()
