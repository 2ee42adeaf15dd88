osteon_test(numerics/coarse_direct)
osteon_test(numerics/gcr RANKS 1 2 3)
