osteon_test(bench/ft RANKS 1 2 3 4)
