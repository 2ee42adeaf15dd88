osteon_test(io/png)
osteon_test(io/result_file RANKS 1 2 3 4 5 7 TIMEOUT 120)
osteon_test(io/model_file RANKS 1 2 3 7 TIMEOUT 120)
osteon_test(io/npy)

add_executable(osteon_write_sample ${CMAKE_SOURCE_DIR}/tests/io/write_sample.cpp)
osteon_warnings(osteon_write_sample)
target_link_libraries(osteon_write_sample PRIVATE osteon_test_support osteon::io)
