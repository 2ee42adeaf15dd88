osteon_test(morphometry/distance_map RANKS 1 2 3 7)
osteon_test(morphometry/lattice_counts RANKS 1 3)
osteon_test(morphometry/local_thickness RANKS 1 2 5)
osteon_test(morphometry/throats RANKS 1 3 5)
