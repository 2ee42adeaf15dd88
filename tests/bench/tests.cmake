osteon_test(bench/io_workload RANKS 1 2 3)
