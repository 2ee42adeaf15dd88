osteon_test(kernel/conduction THREADS 2)
