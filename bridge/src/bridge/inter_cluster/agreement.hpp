#pragma once
/// @file
/// Facts that the processes of a joined job exchange at its start, and the consequences when they differ.
#include <bridge/wire/choices.hpp>
#include <bridge/wire/link.hpp>
#include <string>

namespace osteon::bridge {

struct agreement {
  int tag_limit = 32767;    ///< the smallest of all
  bool external32 = false;  ///< data between clusters are sent as external32, because representations in memory differ
  std::string warning;      ///< warning for the user; empty if there is none
};

/// Facts of this process.
std::string own_facts(int tag_limit, const wire::choices& c);
/// Consequences of all processes' facts; equal in every process.
/// @throws usage_error if sizes or modes differ, or arithmetic does and OSTEON_BRIDGE_ARITHMETIC = require
agreement agree_on(const wire::world_info& info, const wire::choices& c);

/// Floating-point properties of the program's code, in words.
std::string own_arithmetic();

}  // namespace osteon::bridge
