osteon_test(bench/poisson RANKS 1 2 3 8 THREADS 2)
osteon_test(bench/io_workload RANKS 1 2 3)
