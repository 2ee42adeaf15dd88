osteon_test(grid/block RANKS 1 3)
osteon_test(grid/ghost_planes RANKS 1 2 3 7)
osteon_test(grid/shared_nodes RANKS 1 2 3 4 7)
