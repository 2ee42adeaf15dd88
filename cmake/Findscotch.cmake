# Scotch: its partitions are an additional initial guess for the placement search. Target: scotch::scotch. Optional.
find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
find_library(SCOTCH_LIBRARY scotch)
find_library(SCOTCH_ERROR_LIBRARY scotcherr)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(scotch REQUIRED_VARS SCOTCH_LIBRARY SCOTCH_ERROR_LIBRARY SCOTCH_INCLUDE_DIR)
if(scotch_FOUND AND NOT TARGET scotch::scotch)
  add_library(scotch::scotch UNKNOWN IMPORTED)
  set_target_properties(scotch::scotch PROPERTIES IMPORTED_LOCATION "${SCOTCH_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SCOTCH_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${SCOTCH_ERROR_LIBRARY}")
endif()
