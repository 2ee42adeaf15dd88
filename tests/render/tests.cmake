osteon_test(render/picture RANKS 1 2 3 4 5 7 TIMEOUT 120)
osteon_test(render/choose_compositor RANKS 1 2 4 5)
osteon_test(render/annotate)
osteon_test(render/streamlines RANKS 1 2 3 5 7 TIMEOUT 120)
