#pragma once
/// @file
/// Facts that the processes of a joined job exchange at the start of the job, and consequences of different facts.
#include <bridge/wire/choices.hpp>
#include <bridge/wire/link.hpp>
#include <string>

namespace osteon::bridge {

struct agreement {
  int tag_limit = 32767;  ///< smallest limit of tags over all processes
  /// True: data between clusters are sent as external32, because the processes have different representations in memory.
  bool external32 = false;
  std::string warning;  ///< warning for the user; empty: no warning
};

/// Facts of this process.
std::string own_facts(int tag_limit, const wire::choices& c);
/// Consequences of the facts of all processes. The result is equal in all processes.
/// @throws usage_error if sizes or modes differ, or if the arithmetic differs and OSTEON_BRIDGE_ARITHMETIC = require
agreement agree_on(const wire::world_info& info, const wire::choices& c);

/// Text that describes the floating-point properties of the program's code.
std::string own_arithmetic();

}  // namespace osteon::bridge
