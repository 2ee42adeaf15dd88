osteon_test(comm/together RANKS 1 2 4)
