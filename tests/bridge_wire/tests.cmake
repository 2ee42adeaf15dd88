# The link between clusters: all on the loopback interface, none needs root or MPI.
foreach(name IN ITEMS exchange relay)
  osteon_test(bridge_wire/${name} TIMEOUT 30)
endforeach()
