#pragma once
/// @file
/// User settings of the layer above the wire. The settings are the variables OSTEON_BRIDGE_... (bridge/docs/bridge.md).
/// `osteon join` reads and checks these variables before the start. Each process reads the variables, too.
#include <bridge/wire/settings.hpp>
#include <cstddef>
#include <optional>

namespace osteon::bridge::wire {

struct choices {
  bool bytes = false;    ///< OSTEON_BRIDGE_MODE = bytes: the vendor only transports bytes (carrier.hpp)
  bool threads = false;  ///< OSTEON_BRIDGE_PROGRESS = threads; for the mode `bytes`
  /// OSTEON_BRIDGE_SHORT, for the mode `bytes`. With the header, the default is a packet of 4 KiB.
  std::size_t short_bytes = 4064;
  bool external32 = false;      ///< OSTEON_BRIDGE_DATA = external32
  bool order_of_ranks = false;  ///< OSTEON_BRIDGE_REDUCTIONS = ranks
  enum class arithmetic { warn, require, ignore };
  arithmetic on_difference = arithmetic::warn;  ///< OSTEON_BRIDGE_ARITHMETIC
  std::optional<bool> yields;                   ///< OSTEON_BRIDGE_YIELD
};

/// Read and check the settings. @param faults receives all faults with key, value and allowed values
choices read_choices(const given_values& given, std::vector<problem>& faults);

/// The names that `[bridge]` accepts.
const std::vector<std::string>& choices_of_file();

/// @throws usage_error that lists each invalid variable, its value and the allowed values
choices choices_from_environment();

}  // namespace osteon::bridge::wire
