osteon_test(bench/ft RANKS 1 2 3 4)
osteon_test(bench/predict)
osteon_test(bench/integer_sort RANKS 1 2 3 4)
osteon_test(bench/io_workload RANKS 1 2 3)
