#pragma once
/// @file
/// The network between the ranks of a job. Ranks of a host communicate through memory. The network between hosts is measured
/// or modelled.
#include <memory>
#include <osteon/machine/links/links.hpp>
#include <osteon/net/networks/network.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Location of the ranks of a job.
struct rank_network {
  net::network where;                 ///< network with a PU for each rank
  int hosts = 1, ranks_per_host = 1;  ///< ranks_per_host: number of ranks on the host with the most ranks
  double overhead_s = 0;              ///< processor overhead per message at each end
  double overhead_in_host_s = 0;      ///< processor overhead per message inside a host
  std::string words;                  ///< description of the network for messages
  std::vector<std::string> assumed;   ///< assumptions in addition to the measurements, as sentences
};

/// Network of ranks on hosts. @param host_of host of each rank, from 0 @param ports link of each host to the other hosts;
/// empty: one host
rank_network network_of_hosts(const std::vector<int>& host_of, const machine::link& memory,
                              const std::vector<machine::link>& ports);

/// Network of measured or assumed hosts. Rank r is on host r / ranks_per_host. The bandwidth of a host's link is the upper
/// quartile of the bandwidths of the host's paths to other hosts, as in placement. At each end of a message, a quarter of
/// its latency is overhead. Half of the latency is transit time. If the ranks need more hosts than the measured hosts,
/// copies of the median host are assumed.
/// @param ranks_per_host 0: the number of cores of a host, or the smallest number that distributes the ranks over all hosts
/// @throws data_error without measurements of links
rank_network network_of_machine(const machine::description& machine, int ranks, int ranks_per_host);

/// Network in which the PUs of a model are the hosts. Rank r is on host r / ranks_per_host. Messages inside a host use
/// `memory`.
/// @param ranks_per_host 0: the smallest number for which the PUs suffice, at most 512
/// @throws usage_error if the PUs do not suffice for the ranks
rank_network network_of_model(std::shared_ptr<const net::network> model, const machine::link& memory, int ranks,
                              int ranks_per_host);

}  // namespace osteon::job
