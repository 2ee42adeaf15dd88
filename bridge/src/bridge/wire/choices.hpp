#pragma once
/// @file
/// The user's settings of the part above the wire: the variables OSTEON_BRIDGE_... (bridge/docs/bridge.md). They are here
/// because both `osteon join`, which checks them before it starts anything, and each process read them.
#include <bridge/wire/settings.hpp>
#include <cstddef>
#include <optional>

namespace osteon::bridge::wire {

struct choices {
  bool bytes = false;              ///< OSTEON_BRIDGE_MODE = bytes: the vendor only carries bytes (carrier.hpp)
  bool threads = false;            ///< OSTEON_BRIDGE_PROGRESS = threads, for that
  std::size_t short_bytes = 4064;  ///< OSTEON_BRIDGE_SHORT, for that: with the header a packet of 4 KiB
  bool external32 = false;         ///< OSTEON_BRIDGE_DATA = external32
  bool order_of_ranks = false;     ///< OSTEON_BRIDGE_REDUCTIONS = ranks
  enum class arithmetic { warn, require, ignore };
  arithmetic on_difference = arithmetic::warn;  ///< OSTEON_BRIDGE_ARITHMETIC
  std::optional<bool> yields;                   ///< OSTEON_BRIDGE_YIELD
};

/// Read and check them. @param faults gets everything that is wrong: key, value, what is allowed
choices read_choices(const given_values& given, std::vector<problem>& faults);

/// The names that `[bridge]` may give.
const std::vector<std::string>& choices_of_file();

/// @throws usage_error naming each variable that is wrong, its value and what is allowed
choices choices_from_environment();

}  // namespace osteon::bridge::wire
