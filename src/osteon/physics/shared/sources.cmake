osteon_physics(shared
  SOURCES
    condition_keys.cpp
    show_scalar.cpp)
