osteon_test(bench/integer_sort RANKS 1 2 3 4)
