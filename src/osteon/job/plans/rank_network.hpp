#pragma once
/// @file
/// The network between the ranks of a job: the memory of a host inside, and a measured or a modelled network between hosts.
#include <memory>
#include <osteon/machine/links/links.hpp>
#include <osteon/net/networks/network.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Where the ranks of a job are.
struct rank_network {
  net::network where;                 ///< a PU for each rank
  int hosts = 1, ranks_per_host = 1;  ///< of the host that has most
  double overhead_s = 0;              ///< of the processor at each end, per message
  std::string words;                  ///< for a person
  std::vector<std::string> assumed;   ///< beside what was measured, in sentences
};

/// Ranks on hosts. @param host_of of each rank, from 0 @param ports the link of each host to the others; none: one host
rank_network network_of_hosts(const std::vector<int>& host_of, const machine::link& memory,
                              const std::vector<machine::link>& ports);

/// Hosts as they were measured or assumed, rank r on host r / ranks_per_host. A host's own link is as fast as the upper
/// quartile of its paths to others, as in placement; a message's latency is a quarter work of each end, and half on the way.
/// Where there are fewer hosts than the ranks need, more like the median one are assumed.
/// @param ranks_per_host 0: the cores of a host, or as few as spread the ranks over all hosts
/// @throws data_error if no links were measured
rank_network network_of_machine(const machine::description& machine, int ranks, int ranks_per_host);

/// Hosts are the PUs of a modelled network, rank r on host r / ranks_per_host; inside them is `memory`.
/// @param ranks_per_host 0: so many that the ranks just fill the PUs, 512 at most
/// @throws usage_error if the ranks do not fit
rank_network network_of_model(std::shared_ptr<const net::network> model, const machine::link& memory, int ranks,
                              int ranks_per_host);

}  // namespace osteon::job
