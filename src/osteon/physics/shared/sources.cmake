osteon_physics(shared
  SOURCES
    condition_keys.cpp)
