osteon_test(io/png RANKS 1 3 LINK PNG::PNG)
osteon_test(io/result_file RANKS 1 3 7 LONG 2 4 5 TIMEOUT 120)
osteon_test(io/model_file RANKS 1 3 7 LONG 2 TIMEOUT 120)
osteon_test(io/npy)
osteon_test(io/zarr LINK ZLIB::ZLIB)
osteon_test(io/plane_exchange RANKS 1 3 7 LONG 2 4 5 TIMEOUT 60)
osteon_test(io/verify RANKS 1 3 7 LONG 2 4 5 TIMEOUT 120)
osteon_test(io/large_file RANKS 5 LONG 1 TIMEOUT 120)

osteon_test_helper(osteon_write_sample io/write_sample.cpp osteon::io)
osteon_test(io/checkpoint_file RANKS 1 2 3 5 TIMEOUT 120)

osteon_test_helper(osteon_damaged_files io/damaged_files.cpp osteon::io)
add_test(NAME io/damaged_files COMMAND osteon_damaged_files --count 300)
set_tests_properties(io/damaged_files PROPERTIES TIMEOUT 120
  ENVIRONMENT "OMP_NUM_THREADS=1;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")

osteon_test_helper(osteon_write_again io/write_again.cpp osteon::io)

osteon_test(io/voxfe_script)
osteon_test(io/n88_model RANKS 1 3 5)
osteon_test(io/voxfe_model RANKS 1 3 5 LONG 2 4 7)
osteon_test(io/voxfe_mutations)
