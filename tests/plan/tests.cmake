osteon_test(plan/swap)
osteon_test(plan/composite)
