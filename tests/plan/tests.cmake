osteon_test(plan/swap)
osteon_test(plan/composite)
osteon_test(plan/composite_method)
osteon_test(plan/verify)
