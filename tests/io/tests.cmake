osteon_test(io/png RANKS 1 3 LINK PNG::PNG)
osteon_test(io/result_file RANKS 1 2 3 4 5 7 TIMEOUT 120)
osteon_test(io/model_file RANKS 1 2 3 7 TIMEOUT 120)
osteon_test(io/npy)
osteon_test(io/plane_exchange RANKS 1 2 3 4 5 7 TIMEOUT 60)
osteon_test(io/verify RANKS 1 2 3 4 5 7 TIMEOUT 120)
osteon_test(io/large_file RANKS 1 5 TIMEOUT 120)

add_executable(osteon_write_sample ${CMAKE_SOURCE_DIR}/tests/io/write_sample.cpp)
osteon_warnings(osteon_write_sample)
target_link_libraries(osteon_write_sample PRIVATE osteon_test_support osteon::io)
osteon_test(io/checkpoint_file RANKS 1 2 3 5 TIMEOUT 120)

add_executable(osteon_damaged_files ${CMAKE_SOURCE_DIR}/tests/io/damaged_files.cpp)
osteon_warnings(osteon_damaged_files)
target_link_libraries(osteon_damaged_files PRIVATE osteon_test_support osteon::io)
add_test(NAME io/damaged_files COMMAND osteon_damaged_files --count 300)
set_tests_properties(io/damaged_files PROPERTIES TIMEOUT 120
  ENVIRONMENT "OMP_NUM_THREADS=1;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")

add_executable(osteon_write_again ${CMAKE_SOURCE_DIR}/tests/io/write_again.cpp)
osteon_warnings(osteon_write_again)
target_link_libraries(osteon_write_again PRIVATE osteon_test_support osteon::io)

osteon_test(io/voxfe_script)
osteon_test(io/voxfe_model RANKS 1 2 3 4 5 7)
osteon_test(io/voxfe_mutations)
