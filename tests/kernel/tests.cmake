osteon_test(kernel/ray_march)
