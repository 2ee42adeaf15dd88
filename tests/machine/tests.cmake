osteon_test(machine/topology)
osteon_test(machine/machine_file)
osteon_test(machine/binding)
osteon_test(machine/bind_ranks RANKS 1 2 3 THREADS 2)
