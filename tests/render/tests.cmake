osteon_test(render/picture RANKS 1 2 3 4 5 7 TIMEOUT 120)
