osteon_test(base/digest)
osteon_test(base/for_each THREADS 4)
