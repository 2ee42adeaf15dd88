osteon_test(plan/swap)
