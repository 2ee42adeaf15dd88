#pragma once
/// @file
/// What the user chose for a joined job: the variables OSTEON_BRIDGE_... (docs/bridge.md).
#include <cstddef>

namespace osteon::bridge {

struct choices {
  bool bytes = false;              ///< OSTEON_BRIDGE_MODE = bytes: the vendor only carries bytes (carrier.hpp)
  bool threads = false;            ///< OSTEON_BRIDGE_PROGRESS = threads, for that
  std::size_t short_bytes = 4064;  ///< OSTEON_BRIDGE_SHORT, for that: with the header a packet of 4 KiB
  bool external32 = false;         ///< OSTEON_BRIDGE_DATA = external32
  bool order_of_ranks = false;     ///< OSTEON_BRIDGE_REDUCTIONS = ranks
  enum class arithmetic { warn, require, ignore };
  arithmetic on_difference = arithmetic::warn;  ///< OSTEON_BRIDGE_ARITHMETIC
};

/// @throws usage_error naming the variable, its value and what is allowed
choices choices_from_environment();

}  // namespace osteon::bridge
