osteon_test(base/digest)
osteon_test(base/xxh64)
osteon_test(base/for_each THREADS 4)
osteon_test(base/npb_random)
