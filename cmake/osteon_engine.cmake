# One program for many processors (OSTEON_HWCAPS: levels of the x86-64 psABI, such as "x86-64-v3;x86-64-v4").
#
# The performance-critical modules become a shared library, libosteon_engine.so, once for OSTEON_ARCH and once for each level, in
# lib/osteon/glibc-hwcaps/LEVEL. The dynamic loader of glibc 2.33 and newer selects the best one for the processor.
# The rest is compiled once, for OSTEON_ARCH: libosteon_job.so contains the common parts of the program and of Python's module.
set(osteon_engine_modules kernel numerics physics_solvers render)
set(osteon_small_modules plan net io machine placement job physics)  # not performance-critical: optimised for size in a wheel
set(osteon_job_modules base plan voxel compositing comm net grid io machine placement job physics)

if(OSTEON_HWCAPS)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  # Exported functions are still inlined within the library. Code compiled for one level must not call code compiled for another
  # level. Inline functions are therefore hidden, so that each library has its own copy.
  add_compile_options(-fno-semantic-interposition -fvisibility-inlines-hidden)
  # Unused functions are removed, and identical functions are merged if the linker supports it, to reduce the size of the program.
  add_compile_options(-ffunction-sections -fdata-sections)
  include(CheckLinkerFlag)
  check_linker_flag(CXX "-fuse-ld=gold;-Wl,--icf=safe" OSTEON_LINKER_FOLDS)
  set(osteon_size_options -Wl,--gc-sections)
  if(OSTEON_LINKER_FOLDS)
    list(APPEND osteon_size_options -fuse-ld=gold -Wl,--icf=safe)
  endif()
  # Eigen aligns memory according to the level. Without this definition, one library could not free the memory of the other.
  add_compile_definitions(EIGEN_MAX_ALIGN_BYTES=64)
endif()

# osteon_at_levels(TARGET): compiles its sources again for each level, as object libraries TARGET_LEVEL. Called at the end of the
# module's folder, when the target has all its properties.
function(osteon_at_levels target)
  foreach(level IN LISTS OSTEON_HWCAPS)
    get_target_property(sources ${target} SOURCES)
    add_library(${target}_${level} OBJECT EXCLUDE_FROM_ALL ${sources})
    foreach(property IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES LINK_LIBRARIES
        PRECOMPILE_HEADERS UNITY_BUILD UNITY_BUILD_BATCH_SIZE)
      get_target_property(value ${target} ${property})
      if(NOT value MATCHES "-NOTFOUND$")
        set_target_properties(${target}_${level} PROPERTIES ${property} "${value}")
      endif()
    endforeach()
    target_compile_options(${target}_${level} PRIVATE -O3 -march=${level})  # the last options take effect
    get_target_property(shared ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    if(shared)
      if(NOT TARGET ${shared}_${level})
        osteon_precompiled(${shared}_${level} "-O3;-march=${level}" <mpi.h>)
      endif()
      target_precompile_headers(${target}_${level} REUSE_FROM ${shared}_${level})
    endif()
  endforeach()
endfunction()

# osteon_add_engine(): the shared libraries that a program links instead of the static modules: osteon_engine and
# osteon_job_library. Call it below the modules.
#
# The libraries depend on each other. The engine is linked first, with undefined symbols that osteon_job_library defines at load
# time. The linker of a program reports missing symbols.
function(osteon_add_engine)
  foreach(level IN ITEMS "" ${OSTEON_HWCAPS})
    set(suffix)
    set(folder ${CMAKE_INSTALL_LIBDIR}/osteon)
    if(level)
      set(suffix _${level})
      set(folder ${CMAKE_INSTALL_LIBDIR}/osteon/glibc-hwcaps/${level})
    endif()
    set(objects)
    foreach(module IN LISTS osteon_engine_modules)
      list(APPEND objects $<TARGET_OBJECTS:osteon_${module}${suffix}>)
    endforeach()
    add_library(osteon_engine${suffix} SHARED ${objects})
    set_target_properties(osteon_engine${suffix} PROPERTIES OUTPUT_NAME osteon_engine LINKER_LANGUAGE CXX
      LIBRARY_OUTPUT_DIRECTORY ${osteon_BINARY_DIR}/${folder} INSTALL_RPATH "$ORIGIN:$ORIGIN/../..")
    target_link_options(osteon_engine${suffix} PRIVATE -Wl,-Bsymbolic-functions ${osteon_size_options})
    target_link_libraries(osteon_engine${suffix} PRIVATE MPI::MPI_CXX OpenMP::OpenMP_CXX fmt::fmt)
    install(TARGETS osteon_engine${suffix} LIBRARY DESTINATION ${folder} COMPONENT program)
  endforeach()

  set(objects $<TARGET_OBJECTS:osteon_common>)
  foreach(module IN LISTS osteon_job_modules)
    list(APPEND objects $<TARGET_OBJECTS:osteon_${module}>)
  endforeach()
  add_library(osteon_job_library SHARED ${objects})
  set_target_properties(osteon_job_library PROPERTIES OUTPUT_NAME osteon_job LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${osteon_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/osteon INSTALL_RPATH "$ORIGIN")
  # Symbols of the static libraries below it, for example HDF5 and netCDF, are hidden, and unused ones are removed.
  target_link_options(osteon_job_library PRIVATE -Wl,-Bsymbolic-functions -Wl,--no-undefined -Wl,--exclude-libs,ALL
    ${osteon_size_options})
  target_link_libraries(osteon_job_library PRIVATE osteon_engine)  # first, so that its symbols do not come from the modules
  foreach(module IN LISTS osteon_job_modules)
    target_link_libraries(osteon_job_library PRIVATE osteon::${module})  # for their link dependencies
  endforeach()
  install(TARGETS osteon_job_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/osteon COMPONENT program)
endfunction()

# osteon_link_engine(TARGET): TARGET, which links modules, uses the shared libraries instead.
function(osteon_link_engine target)
  target_link_libraries(${target} PRIVATE osteon_job_library osteon_engine)
  foreach(level IN LISTS OSTEON_HWCAPS)
    add_dependencies(${target} osteon_engine_${level})
  endforeach()
endfunction()
