osteon_test(placement/graph)
osteon_test(placement/swap_search)
osteon_test(placement/grouping TIMEOUT 120)
osteon_test(placement/host_mapping TIMEOUT 120 LINK osteon::net)
osteon_test(placement/core_mapping)
osteon_test(placement/place TIMEOUT 120)
osteon_test(placement/reorder RANKS 1 4)
target_compile_definitions(test_placement_grouping PRIVATE
  UNSTRUCTURED_GRAPH="${CMAKE_CURRENT_SOURCE_DIR}/placement/data/unstructured512.graph")
