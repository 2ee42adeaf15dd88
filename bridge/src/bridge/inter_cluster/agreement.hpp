#pragma once
/// @file
/// Facts that the processes of a joined job exchange at the start of the job, and consequences of different facts.
#include <bridge/wire/choices.hpp>
#include <bridge/wire/link.hpp>
#include <string>

namespace osteon::bridge {

struct agreement {
  int tag_limit = 32767;  ///< smallest tag limit of all processes
  /// True: data between clusters are sent as external32, because representations in memory differ between processes.
  bool external32 = false;
  std::string warning;  ///< warning for the user; empty if there is none
};

/// Facts of this process.
std::string own_facts(int tag_limit, const wire::choices& c);
/// Consequences of the facts of all processes. The result is equal in every process.
/// @throws usage_error if sizes or modes differ, or if arithmetic differs and OSTEON_BRIDGE_ARITHMETIC = require
agreement agree_on(const wire::world_info& info, const wire::choices& c);

/// Text with the floating-point properties of the code of the program.
std::string own_arithmetic();

}  // namespace osteon::bridge
