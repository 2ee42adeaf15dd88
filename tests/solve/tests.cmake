osteon_test(solve/post RANKS 1 2 3 4 7)
osteon_test(solve/heat RANKS 1 2 3 4 7 THREADS 1 TIMEOUT 120)
