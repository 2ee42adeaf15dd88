osteon_test(job/spec)
osteon_test(job/external)
