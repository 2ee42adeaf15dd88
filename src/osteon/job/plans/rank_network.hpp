#pragma once
/// @file
/// The network between the ranks of a job: memory within a host, and a measured or modelled network between hosts.
#include <memory>
#include <osteon/machine/links/links.hpp>
#include <osteon/net/networks/network.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Location of the ranks of a job.
struct rank_network {
  net::network where;                 ///< a PU for each rank
  int hosts = 1, ranks_per_host = 1;  ///< ranks_per_host: of the host with the most ranks
  double overhead_s = 0;              ///< processor overhead per message at each end
  double overhead_in_host_s = 0;      ///< processor overhead per message inside a host
  std::string words;                  ///< description for messages
  std::vector<std::string> assumed;   ///< assumptions in addition to the measurements, as sentences
};

/// Network of ranks on hosts. @param host_of host of each rank, from 0 @param ports the link of each host to the other
/// hosts; none: one host
rank_network network_of_hosts(const std::vector<int>& host_of, const machine::link& memory,
                              const std::vector<machine::link>& ports);

/// Network of measured or assumed hosts, with rank r on host r / ranks_per_host. The bandwidth of a host's link is the upper
/// quartile of the bandwidths of its paths to other hosts, as in placement. A quarter of the latency of a message is
/// overhead at each end, and half of the latency is transit time. If the ranks need more hosts than were measured, copies of
/// the median host are assumed.
/// @param ranks_per_host 0: the number of cores of a host, or the smallest number that spreads the ranks over all hosts
/// @throws data_error if no links were measured
rank_network network_of_machine(const machine::description& machine, int ranks, int ranks_per_host);

/// Network in which the PUs of a model are the hosts, with rank r on host r / ranks_per_host. Messages within a host use
/// `memory`.
/// @param ranks_per_host 0: the smallest number with which the ranks fit on the PUs, 512 at most
/// @throws usage_error if the ranks do not fit
rank_network network_of_model(std::shared_ptr<const net::network> model, const machine::link& memory, int ranks,
                              int ranks_per_host);

}  // namespace osteon::job
