osteon_test(comm/composite_fragments RANKS 1 3 4)
osteon_test(comm/compositor RANKS 1 2 3 4 5 7)
osteon_test(comm/together RANKS 1 2 4)
osteon_test(comm/execute RANKS 1 2 3 4 5 7 8)
