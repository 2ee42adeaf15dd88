osteon_test(numerics/coarse_direct)
