osteon_test(bench/poisson RANKS 1 2 3 8 THREADS 2)
