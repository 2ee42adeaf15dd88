# osteon_module(NAME SOURCES a.cpp ... USES base plan ... LINK lib ... LINK_PUBLIC lib ... PRECOMPILE header ... [OPTIMISE -O1] [UNITY])
#
# OPTIMISE is the level of a module without performance-critical loops, for a shorter first build (docs/developers/overview.md). The
# wheel and builds over an existing build have their own levels.
# One folder = one namespace = one target. USES lists the lower modules that it may include;
# tools/layers.py compares this list with the includes.
#
# osteon_study(NAME ...): the same for studies/NAME, target osteon::studies_NAME. It is not installed.
function(osteon_study name)
  osteon_module(studies_${name} STUDY ${ARGN})
endfunction()

# These modules do not depend on MPI. With OSTEON_MODULES_FROM, a build with another MPI links the modules of an existing build.
set(osteon_modules_without_mpi base plan voxel kernel compositing net)

function(osteon_module name)
  cmake_parse_arguments(arg "UNITY;STUDY" "OPTIMISE" "SOURCES;USES;LINK;LINK_PUBLIC;PRECOMPILE" ${ARGN})
  set(target osteon_${name})
  set(is_elsewhere NO)
  if(OSTEON_MODULES_FROM AND name IN_LIST osteon_modules_without_mpi)
    set(is_elsewhere YES)
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${OSTEON_MODULES_FROM}/src/osteon/${name}/lib${target}.a)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_LINK})
  elseif(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${arg_LINK})
    osteon_warnings(${target})
    # Position-independent code (osteon_python_module.cmake) is as fast as other code if its functions cannot be replaced from
    # outside.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
    set(level)
    if(NOT OSTEON_HWCAPS AND NOT OSTEON_MODULES_FROM)
      set(level ${arg_OPTIMISE})
    elseif(OSTEON_HWCAPS AND name IN_LIST osteon_small_modules)
      set(level -Os)
    elseif(OSTEON_HWCAPS AND name IN_LIST osteon_engine_modules AND NOT name STREQUAL "kernel")
      set(level -O2)  # performance-critical code uses one of the levels above (osteon_at_levels)
    endif()
    target_compile_options(${target} PRIVATE ${level})
    if(NOT OSTEON_HWCAPS)  # a library for each processor level must export its functions
      set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    endif()
    list(LENGTH arg_SOURCES files)
    set(fewest 8)
    if(arg_UNITY AND OSTEON_UNITY AND NOT arg_PRECOMPILE)
      set(fewest ${OSTEON_UNITY_BATCH})  # a single batch
    endif()
    if(files GREATER fewest AND NOT name STREQUAL "kernel")  # kernels include little, and some have their own flags
      osteon_precompile(${target} "${level}" ${arg_PRECOMPILE})
    endif()
    if(arg_UNITY)
      osteon_unity_build(${target})
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(osteon::${name} ALIAS ${target})
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${osteon_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} OpenMP::OpenMP_CXX ${arg_LINK_PUBLIC})
  foreach(module IN LISTS arg_USES)
    target_link_libraries(${target} ${scope} osteon::${module})
  endforeach()
  if(is_elsewhere)
    return()
  endif()
  if(arg_STUDY)
    target_include_directories(${target} ${scope} ${osteon_SOURCE_DIR})
    return()
  endif()
  if(OSTEON_HWCAPS AND name IN_LIST osteon_engine_modules)
    # EVAL, because the arguments of a deferred call are evaluated when it is executed.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL osteon_at_levels ${target})")
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT osteon ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  if(scope STREQUAL PUBLIC)
    osteon_report_if_missing(${target})
  endif()
endfunction()

function(osteon_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
  if(OSTEON_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # avx512fintrin.h of gcc 12.0 to 12.2 writes `__m512i __Y = __Y;` for a register whose lanes are all overwritten afterwards.
  # C++'s -Wall includes -Winit-self. For a processor with AVX-512, gcc therefore warns about an uninitialized `__Y` in code that
  # inlines such an intrinsic, also in xxhash and Eigen (gcc bug 105593). Without -Winit-self only `int x = x;` is not reported.
  # A pragma would have no effect in precompiled headers.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
     AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12.3)
    target_compile_options(${target} PRIVATE -Wno-init-self)
  endif()
  if(OSTEON_ARCH)
    target_compile_options(${target} PRIVATE -march=${OSTEON_ARCH})
  endif()
endfunction()

# osteon_report_if_missing(TARGET ...): `cmake --install` installs built targets; osteon_report_missing lists these targets if
# they are missing.
function(osteon_report_if_missing)
  set_property(GLOBAL APPEND PROPERTY osteon_optional_targets ${ARGN})
endfunction()

# osteon_report_missing(): called once, after all targets.
function(osteon_report_missing)
  get_property(targets GLOBAL PROPERTY osteon_optional_targets)
  set(code "set(osteon_not_built)\n")
  foreach(target IN LISTS targets)
    string(APPEND code "if(NOT EXISTS \"$<TARGET_FILE:${target}>\")\n  list(APPEND osteon_not_built ${target})\nendif()\n")
  endforeach()
  string(APPEND code "if(osteon_not_built)\n  list(JOIN osteon_not_built \" \" osteon_not_built)\n"
    "  message(STATUS \"Not installed, because not built: \${osteon_not_built}. Build them with cmake --build and install again.\")\n"
    "endif()\n")
  install(CODE "${code}")
endfunction()

# osteon_precompile(TARGET LEVEL header ...): precompile these headers and the most common headers. This halves the time of a first build.
# Not used with a compiler cache, because a change of one header would change all files. That build also detects missing includes.
#
# Targets of the same LEVEL of optimisation share a precompiled header: osteon_precompiled_base; _mpi with <mpi.h>; _json with <mpi.h>,
# <filesystem> and <nlohmann/json.hpp>. Any other list is compiled for its target only.
set(osteon_precompiled_headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <string> <vector>
  <fmt/format.h>)
function(osteon_precompile target level)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  if(NOT ARGN)
    set(shared osteon_precompiled_base${level})
  elseif(ARGN STREQUAL "<mpi.h>")
    set(shared osteon_precompiled_mpi${level})
  elseif(ARGN STREQUAL "<mpi.h>;<filesystem>;<nlohmann/json.hpp>")
    set(shared osteon_precompiled_json${level})
  else()
    target_precompile_headers(${target} PRIVATE ${osteon_precompiled_headers} ${ARGN})
    return()
  endif()
  if(NOT TARGET ${shared})
    osteon_precompiled(${shared} "${level}" ${ARGN})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()

# osteon_precompiled(NAME OPTIONS header ...): target NAME with a precompiled header. The targets that use it must have
# the same options for visibility and position independence, because the compiler rejects the header otherwise. They must also have the
# same optimisation level, because the compiler uses the level of the header for inline functions.
function(osteon_precompiled name options)
  file(CONFIGURE OUTPUT ${osteon_BINARY_DIR}/${name}.cpp CONTENT "// The precompiled header of several modules.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${osteon_BINARY_DIR}/${name}.cpp)
  osteon_warnings(${name})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition> ${options})
  target_link_libraries(${name} PRIVATE OpenMP::OpenMP_CXX fmt::fmt)
  if("<mpi.h>" IN_LIST ARGN)
    target_link_libraries(${name} PRIVATE MPI::MPI_CXX nlohmann_json::nlohmann_json)
    target_compile_definitions(${name} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  endif()
  if(NOT OSTEON_HWCAPS)
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  set(more)
  if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O0" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    # GCC 12 defines __OPTIMIZE__ even at -O0 if the intrinsics are included after a precompiled header without them. A prefetch
    # of Eigen then does not compile.
    set(more <immintrin.h>)
  endif()
  target_precompile_headers(${name} PRIVATE ${osteon_precompiled_headers} ${ARGN} ${more})
endfunction()

# osteon_unity_build(TARGET): with OSTEON_UNITY, a unity build in batches of OSTEON_UNITY_BATCH files. This reduces the compile time to a
# third if headers dominate. Names in anonymous namespaces must be unique in a batch; equal names are an error of the unity build. Not used
# with a compiler cache, because a change of one file would change its batch.
function(osteon_unity_build target)
  if(OSTEON_UNITY AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${OSTEON_UNITY_BATCH})
    # The compiler treats a batch as one file. It would therefore warn about names hidden by other files and anonymous namespaces in headers.
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
