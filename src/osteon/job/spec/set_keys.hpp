#pragma once
/// @file
/// Keys of a job file that the command line sets.
#include <toml++/toml.h>

#include <osteon/base/error.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

/// Replace or add keys of a job file that is parsed. The reader then checks them as those of the file; they have no line.
/// @param changes `KEY=VALUE` each: the key dotted, as messages show it (`material[1].poisson_ratio`), the value as TOML
/// writes it; a word that is no value of TOML is a text
/// @param problems receives changes that cannot be made
void set_keys(toml::table& table, std::span<const std::string> changes, std::vector<problem>& problems);

}  // namespace osteon::job
