osteon_test(io/png)
