# The link between clusters: all on the loopback interface, none needs root or MPI.
foreach(name IN ITEMS packet pair rehearsal startup exchange relay)
  osteon_test(bridge_wire/${name} TIMEOUT 30)
endforeach()
add_library(osteon_test_wan STATIC ${CMAKE_SOURCE_DIR}/tests/bridge_wire/wan.cpp)
osteon_warnings(osteon_test_wan)
target_link_libraries(osteon_test_wan PUBLIC osteon_test_support osteon::wire)
osteon_test(bridge_wire/cut TIMEOUT 30 LINK osteon_test_wan)
osteon_test(bridge_wire/slow TIMEOUT 30)

# What `osteon join` starts in tests/job/test_join.py.
add_executable(wire_peer ${CMAKE_SOURCE_DIR}/tests/bridge_wire/peer.cpp)
osteon_warnings(wire_peer)
target_link_libraries(wire_peer PRIVATE osteon::wire)

# Measurements: docs/performance.md.
add_executable(wire_bench EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bridge_wire/wire_bench.cpp)
osteon_warnings(wire_bench)
target_link_libraries(wire_bench PRIVATE osteon_test_wan)
add_executable(wan_box EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bridge_wire/wan_box.cpp)
osteon_warnings(wan_box)
target_compile_features(wan_box PRIVATE cxx_std_20)
