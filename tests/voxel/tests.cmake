osteon_test(voxel/run_set)
