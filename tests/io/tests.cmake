osteon_test(io/result_file RANKS 1 2 3 4 5 7 TIMEOUT 120)
osteon_test(io/model_file RANKS 1 2 3 7 TIMEOUT 120)
osteon_test(io/npy)
