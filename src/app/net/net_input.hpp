#pragma once
/// @file
/// Input of the network commands: network, exchange and placement of ranks.
#include <app/command_line.hpp>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <string>
#include <vector>

namespace osteon::app {

struct net_input_options {
  std::string network, plan, placement, bytes = "1024", sizes, pixels = "512x512";
  int ranks = 0, bytes_per_pixel = 4;
};

struct net_input {
  net::network where;
  plan::plan exchange;
  std::vector<int> places;  ///< PU of each rank; empty: rank r is on PU r
};

/// All-to-all parcels on a network, independent of the schedule.
struct net_parcels {
  net::network where;
  std::vector<int> places;  ///< PU of each rank, as in net_input
  int ranks = 0;
  plan::parcel_sizes sizes;
};

/// Add `--network` as a required option.
void add_network(command c, std::string& target);

/// Add `--network -n --placement --bytes --sizes`.
void add_net_parcels(command c, net_input_options& target);

/// Add `--network --plan -n --placement --bytes --sizes --pixels --bytes-per-pixel`.
void add_net_input(command c, net_input_options& target);

/// Create a network from its text or a JSON file.
net::network find_network(const std::string& text);

/// @throws the errors of the readers of network, exchange and placement
net_input read_net_input(const net_input_options& options);
net_parcels read_net_parcels(const net_input_options& options);

/// Parse "12345", "64kB" or "1MiB" as bytes. @throws usage_error naming `option`
std::int64_t parse_bytes(const std::string& text, const std::string& option);

}  // namespace osteon::app
