#pragma once
/// @file
/// The weak scaling of [Ito] as a series. For each number of cores, mode and order, the model of a machine predicts the
/// bytes and the time of an exchange of faces. No program is started.
#include <array>
#include <optional>
#include <osteon/machine/links/links.hpp>
#include <string>
#include <studies/subdomain_mapping/ranks/cartesian.hpp>
#include <vector>

namespace osteon::studies {

/// A machine of equal hosts. The number of hosts grows with the number of cores.
struct growing_machine {
  machine::host_tree host;
  std::array<std::optional<machine::link>, machine::paths_inside> inside;  ///< links inside a host, indexed by path
  machine::link between;  ///< link between two hosts for one message at a time
  std::string network;    ///< text for net::network_by_text; the first PUs of the network are the hosts
};

/// The cluster of [Ito]. The model has 2 x 4 cores per host, the rates measured inside a host (table 5), 2 GB/s per host,
/// and a fat tree. [Ito] does not specify the number of hosts per leaf switch. The model has 8 hosts per leaf switch and an
/// oversubscription of 4:1, which approximates the bisection bandwidth.
/// @cite [Ito], tables 2 and 5
growing_machine paper_machine();

/// Use of the cores of a host.
struct rank_mode {
  std::string name;
  int threads = 1;  ///< number of cores of each rank
};

/// A row of the series. The numbers of bytes refer to an exchange of all faces in both directions.
struct scaling_row {
  int which = 1, cores = 0, ranks = 0;
  std::string mode, order;
  index3 cells, boxes;  ///< z, y, x
  std::int64_t off_host_bytes = 0, inter_socket_bytes = 0;
  /// predicted time of an exchange, determined by the hottest link or by the sequential messages of a rank
  double exchange_s = 0;
};

struct scaling_options {
  std::vector<int> cases{1, 2}, cores{32, 64, 128, 256, 512};
  std::vector<rank_mode> modes{{"flat", 1}, {"hybrid", 4}};
  std::vector<std::string> orders{"original", "random", "afc-nb", "afc", "ours"};
  double scale = 1;  ///< scale of the grid along each axis
  std::int64_t bytes_of_value = 8;
  unsigned seed = 1;
};

/// The whole grid for a number of cores, which is divided into one box for each rank.
/// @param cores number of cores, a multiple of `threads` @throws usage_error under the conditions of paper_grid
cartesian paper_grid_of_cores(int which, int cores, int threads, double scale);

/// All rows, ordered by case, number of cores, mode and order. For the random order, the bytes sent to other hosts and the
/// seconds are means over several draws. All other values are from one draw.
/// @throws usage_error if cores do not fill hosts, or if threads do not divide the cores of a host
std::vector<scaling_row> weak_scaling(const growing_machine& machine, const scaling_options& options);

}  // namespace osteon::studies
