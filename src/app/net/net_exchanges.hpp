#pragma once
/// @file
/// What exchanges cost on a network, and the tables of [Itakura].
#include <app/net/net_ends.hpp>
#include <app/net/net_input.hpp>

namespace osteon::app {

struct exchange_cost_options {
  net_input_options input;  ///< its `plan` is taken from `plans`, one after the other
  net_ends_options ends;
  std::vector<std::string> plans;
};

/// `--network --plan --bytes --sizes --placement` and the ends of messages.
void add_exchange_cost(command c, exchange_cost_options& target);

/// Print what each plan costs, by formulas. @return the exit code
int net_cost_of_exchanges(const exchange_cost_options& options, const std::string& json);

}  // namespace osteon::app
