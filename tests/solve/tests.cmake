osteon_test(solve/post RANKS 1 2 3 4 7)
