osteon_physics(thermo_elasticity
  SOURCES
    entry.cpp
    flow_stress.cpp
    run_thermo_elasticity.cpp
    thermal_stress.cpp)
