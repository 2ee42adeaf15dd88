osteon_test(kernel/hex8)
