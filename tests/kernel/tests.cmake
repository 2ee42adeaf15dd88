osteon_test(kernel/conduction THREADS 2)
osteon_test(kernel/hex8)
osteon_test(kernel/ray_march)
osteon_test(kernel/symmetric_tensor LINK Eigen3::Eigen)
