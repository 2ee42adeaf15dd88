osteon_test(numerics/anderson_acceleration RANKS 1 2 3)
osteon_test(numerics/coarse_direct)
osteon_test(numerics/gcr RANKS 1 2 3)
