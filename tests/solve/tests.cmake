osteon_test(solve/elasticity RANKS 1 2 3 4 7 TIMEOUT 120)
