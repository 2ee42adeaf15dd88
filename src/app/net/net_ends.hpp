#pragma once
/// @file
/// Options for the overheads of sender and receiver.
#include <app/command_line.hpp>
#include <osteon/net/costs/simulate.hpp>
#include <string>

namespace osteon::app {

struct net_ends_options {
  std::string startup, receive = "0s", arrival = "0s", match = "0s", barrier = "0s", combine;
};

/// Add `--startup --receive-overhead --arrival-overhead --match-time --barrier-time --combine-rate`.
void add_net_ends(command c, net_ends_options& target);

/// @throws usage_error that lists all invalid values
net::simulate_options read_net_ends(const net_ends_options& options);

}  // namespace osteon::app
