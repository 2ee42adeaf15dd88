osteon_test(machine/topology)
osteon_test(machine/machine_file)
osteon_test(machine/binding)
