osteon_test(placement/graph)
osteon_test(placement/swap_search)
osteon_test(placement/graph_file)
osteon_test(placement/grouping TIMEOUT 120 VARIATIONS)
osteon_test(placement/host_mapping TIMEOUT 120 VARIATIONS LINK osteon::net)
osteon_test(placement/core_mapping)
osteon_test(placement/launch_files)
osteon_test(placement/place TIMEOUT 120)
osteon_test(placement/reorder RANKS 1 4)
target_compile_definitions(test_placement PRIVATE
  UNSTRUCTURED_GRAPH="${CMAKE_CURRENT_SOURCE_DIR}/placement/data/unstructured512.graph")

# Run by tests/app/test_place.py with and without the library that counts.
add_executable(trace_program ${osteon_SOURCE_DIR}/tests/placement/trace_program.cpp)
osteon_warnings(trace_program)
target_compile_definitions(trace_program PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(trace_program PRIVATE MPI::MPI_CXX)
