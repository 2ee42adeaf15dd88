osteon_test(solve/elasticity RANKS 1 2 3 4 7 TIMEOUT 120)
osteon_test(solve/elastic_load RANKS 1 2 3 7 TIMEOUT 120)
osteon_test(solve/heat RANKS 1 2 3 4 7 TIMEOUT 120)
osteon_test(solve/post RANKS 1 2 3 4 7)
