# Programs compiled once with osteon-mpicc, run over every installed MPI.
set(bridge ${osteon_bridge_BINARY_DIR})
set(programs ${CMAKE_CURRENT_BINARY_DIR})
set(bridge_vendors)
if(OSTEON_BRIDGE_OMPI4)
  list(APPEND bridge_vendors ompi4)
endif()
if(OSTEON_BRIDGE_MPICH4)
  list(APPEND bridge_vendors mpich4)
endif()

function(bridge_program name)
  set(program ${programs}/${name})
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_COMMAND} -E env OSTEON_CC=${bridge_c_compiler} ${bridge}/bin/osteon-mpicc -O1 -g -Wall -Wextra
      ${CMAKE_CURRENT_SOURCE_DIR}/programs/${name}.c -o ${program}
    DEPENDS programs/${name}.c programs/check.h osteon_bridge VERBATIM)
  add_custom_target(bridge_program_${name} ALL DEPENDS ${program})
endfunction()

function(bridge_test name)
  foreach(vendor IN LISTS bridge_vendors)
    foreach(ranks IN LISTS ARGN)
      set(test "bridge/${name}[${vendor},np=${ranks}]")
      add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/over.sh ${vendor} ${ranks}
        ${programs}/${name})
      set_tests_properties(${test} PROPERTIES TIMEOUT 60 PROCESSORS 2 LABELS bridge PASS_REGULAR_EXPRESSION "${name}: ok, ${ranks} ranks")
    endforeach()
  endforeach()
endfunction()

find_program(bridge_c_compiler NAMES gcc cc REQUIRED)
foreach(name IN ITEMS point_to_point collectives extremes fallback neighbors newer intercommunicators objects any_source spanning external32 reproducible)
  bridge_program(${name})
endforeach()
bridge_test(point_to_point 2 4)
bridge_test(collectives 1 4)
bridge_test(extremes 1 3)
bridge_test(fallback 1 4)
bridge_test(neighbors 1 4)
bridge_test(newer 1 3)
bridge_test(intercommunicators 2 4)
bridge_test(objects 1 2)
# A missing MPI: a message.
add_test(NAME bridge/no_such_mpi COMMAND ${programs}/objects)
set_tests_properties(bridge/no_such_mpi PROPERTIES TIMEOUT 60 LABELS bridge ENVIRONMENT "OSTEON_MPI=mpich:/nonexistent/libmpi.so.12"
  PASS_REGULAR_EXPRESSION "osteon bridge: cannot load the vendor's MPI: /nonexistent/libmpi.so.12: cannot open shared object file")
# The same for Fortran, if there is a compiler: with mpif.h, and with the modules mpi and mpi_f08.
if(OSTEON_FORTRAN)
  foreach(name IN ITEMS fortran module f08)
    set(program ${programs}/${name})
    add_custom_command(OUTPUT ${program}
      COMMAND ${CMAKE_COMMAND} -E env OSTEON_FC=${OSTEON_FORTRAN} ${bridge}/bin/osteon-mpif90 -O1 -g -w
        ${CMAKE_CURRENT_SOURCE_DIR}/programs/${name}.f90 -o ${program}
      DEPENDS programs/${name}.f90 osteon_bridge_fortran VERBATIM)
    add_custom_target(bridge_program_${name} ALL DEPENDS ${program})
    bridge_test(${name} 2)
  endforeach()
else()
  message(STATUS "bridge: no gfortran, so Fortran over the bridge is not tested")
endif()

# One job over two clusters on this machine: a program, and the clusters as vendor:ranks.
add_executable(bridge_serve serve.cpp)
bridge_warnings(bridge_serve)
target_link_libraries(bridge_serve PRIVATE osteon_bridge::wire)

# bridge_joined_test(name clusters [SETTINGS VARIABLE=value ...] [ARGS word ...])
function(bridge_joined_test name clusters)
  cmake_parse_arguments(arg "" "" "SETTINGS;ARGS" ${ARGN})
  set(test "bridge/${name}[${clusters}${arg_SETTINGS}]")
  string(REPLACE "OSTEON_BRIDGE_" " " test "${test}")
  add_test(NAME "${test}" COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/joined.sh
    $<TARGET_FILE:bridge_serve> ${clusters} ${programs}/${name} ${arg_ARGS})
  set_tests_properties("${test}" PROPERTIES TIMEOUT 120 PROCESSORS 2 LABELS bridge
    PASS_REGULAR_EXPRESSION "${name}: ok" ENVIRONMENT "${arg_SETTINGS}")
endfunction()

if(OSTEON_BRIDGE_OMPI4 AND OSTEON_BRIDGE_MPICH4)
  foreach(clusters IN ITEMS "ompi4:1 mpich4:1" "ompi4:2 mpich4:2")
    bridge_joined_test(point_to_point ${clusters})
    bridge_joined_test(collectives ${clusters})
    bridge_joined_test(extremes ${clusters})
    bridge_joined_test(fallback ${clusters})
    bridge_joined_test(intercommunicators ${clusters})
    bridge_joined_test(newer ${clusters})
    bridge_joined_test(neighbors ${clusters} ARGS all)
    bridge_joined_test(spanning ${clusters})
  endforeach()
  # Other MPIs, such as Intel's, if the user lists one.
  add_test(NAME bridge/elsewhere COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/elsewhere.sh
    $<TARGET_FILE:bridge_serve> ${programs})
  set_tests_properties(bridge/elsewhere PROPERTIES TIMEOUT 120 PROCESSORS 2 LABELS bridge SKIP_RETURN_CODE 77)
  bridge_joined_test(any_source "ompi4:2 mpich4:2" ARGS 2000)
  bridge_joined_test(collectives "ompi4:1 mpich4:2 ompi4:1")
  bridge_joined_test(neighbors "ompi4:1 mpich4:2 ompi4:1" ARGS all)
  bridge_joined_test(intercommunicators "ompi4:1 mpich4:2 ompi4:1")
  if(OSTEON_FORTRAN)
    bridge_joined_test(fortran "ompi4:1 mpich4:1")
  endif()
  # Clusters whose machines differ, as far as one machine can show it.
  foreach(name IN ITEMS external32 collectives)
    bridge_joined_test(${name} "ompi4:2 mpich4:1" SETTINGS OSTEON_BRIDGE_DATA=external32)
  endforeach()
  bridge_joined_test(reproducible "ompi4:1 mpich4:2 ompi4:1")
  bridge_joined_test(reproducible "ompi4:2 mpich4:1" SETTINGS OSTEON_BRIDGE_REDUCTIONS=ranks)
  # One program compiled in two ways: MPI_Init reports the cluster with different rounding.
  set(program ${programs}/point_to_point)
  add_custom_command(OUTPUT ${program}.0 ${program}.1
    COMMAND ${CMAKE_COMMAND} -E create_symlink ${program} ${program}.0
    COMMAND ${CMAKE_COMMAND} -E env OSTEON_CC=${bridge_c_compiler} ${bridge}/bin/osteon-mpicc -O1 -ffast-math
      ${CMAKE_CURRENT_SOURCE_DIR}/programs/point_to_point.c -o ${program}.1
    DEPENDS ${program} VERBATIM)
  add_custom_target(bridge_program_by_cluster ALL DEPENDS ${program}.1)
  add_test(NAME "bridge/arithmetic[ompi4:1 mpich4:1]" COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/joined.sh
    $<TARGET_FILE:bridge_serve> "ompi4:1 mpich4:1" ${CMAKE_CURRENT_SOURCE_DIR}/by_cluster.sh ${program})
  set_tests_properties("bridge/arithmetic[ompi4:1 mpich4:1]" PROPERTIES TIMEOUT 60 PROCESSORS 2 LABELS bridge
    PASS_REGULAR_EXPRESSION "cluster1: sums kept in longer registers .x87. or reordered")
  # Figures 10 to 13 of [Okazaki]: the kernels' answers are equal for every transport. `./run check long` runs it.
  add_test(NAME bridge/figures COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/../bench/figures.sh ${CMAKE_BINARY_DIR} 2)
  set_tests_properties(bridge/figures PROPERTIES TIMEOUT 300 PROCESSORS 2 LABELS "bridge;long"
    PASS_REGULAR_EXPRESSION "Figure 13.*FT \\|" ENVIRONMENT OSTEON_FIGURES_SECONDS=0.01)
  # GridMPI's mode ([Okazaki]), in which the vendors transport bytes.
  bridge_joined_test(point_to_point "ompi4:2 mpich4:2" SETTINGS OSTEON_BRIDGE_MODE=bytes)
  foreach(name IN ITEMS fallback intercommunicators)
    bridge_joined_test(${name} "ompi4:1 mpich4:1" SETTINGS OSTEON_BRIDGE_MODE=bytes)
  endforeach()
  foreach(clusters IN ITEMS "ompi4:2" "mpich4:2" "ompi4:1 mpich4:1")
    bridge_joined_test(point_to_point ${clusters} SETTINGS OSTEON_BRIDGE_MODE=bytes OSTEON_BRIDGE_PROGRESS=threads)
  endforeach()
endif()
