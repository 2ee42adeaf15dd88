#pragma once
/// @file
/// What the processes of a joined job tell each other at its start, and what follows when it differs.
#include <bridge/wire/link.hpp>
#include <string>

#include <bridge/wire/choices.hpp>

namespace osteon::bridge {

struct agreement {
  int tag_limit = 32767;    ///< the smallest of all
  bool external32 = false;  ///< data between clusters travel in one representation, because not all lie alike in memory
  std::string warning;      ///< what the user should know; empty: nothing
};

/// What this process tells.
std::string own_facts(int tag_limit, const wire::choices& c);
/// What follows from what all have told; the same in every process.
/// @throws usage_error if sizes or modes differ, or arithmetic does and OSTEON_BRIDGE_ARITHMETIC = require
agreement agree_on(const wire::world_info& info, const wire::choices& c);

/// How the program's own code computes, in words.
std::string own_arithmetic();

}  // namespace osteon::bridge
