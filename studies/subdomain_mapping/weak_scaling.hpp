#pragma once
/// @file
/// [Ito]'s weak scaling as a series: bytes and time of an exchange of faces by the model of a machine, for each number of
/// cores, mode and order. No program is started.
#include <array>
#include <optional>
#include <osteon/machine/links/links.hpp>
#include <string>
#include <studies/subdomain_mapping/ranks/cartesian.hpp>
#include <vector>

namespace osteon::studies {

/// A machine of equal hosts that grows with the number of cores.
struct growing_machine {
  machine::host_tree host;
  std::array<std::optional<machine::link>, machine::paths_inside> inside;  ///< a host, by path
  machine::link between;                                                   ///< two hosts, one message at a time
  std::string network;  ///< net::network_by_text; its first PUs are the hosts
};

/// [Ito]'s cluster: 2 x 4 cores per host with the speeds measured inside one (table 5), 2 GB/s per host, and a fat
/// tree. The hosts per leaf switch are not given: 8 of them, and 4 : 1 above, which is near its bisection bandwidth.
/// @cite [Ito], tables 2 and 5
growing_machine paper_machine();

/// Use of the cores of a host.
struct rank_mode {
  std::string name;
  int threads = 1;  ///< cores of each rank
};

/// A line of the series. Bytes are those of an exchange of all faces, both directions.
struct scaling_row {
  int which = 1, cores = 0, ranks = 0;
  std::string mode, order;
  index3 cells, boxes;  ///< z, y, x
  std::int64_t off_host_bytes = 0, inter_socket_bytes = 0;
  double exchange_s = 0;  ///< time by the model: hottest link, or sequential messages of a rank
};

struct scaling_options {
  std::vector<int> cases{1, 2}, cores{32, 64, 128, 256, 512};
  std::vector<rank_mode> modes{{"flat", 1}, {"hybrid", 4}};
  std::vector<std::string> orders{"original", "random", "afc-nb", "afc", "ours"};
  double scale = 1;  ///< scale of the grid along each axis
  std::int64_t bytes_of_value = 8;
  unsigned seed = 1;
};

/// The whole grid for a number of cores, cut into a box for each rank.
/// @param cores a multiple of `threads` @throws usage_error as paper_grid does
cartesian paper_grid_of_cores(int which, int cores, int threads, double scale);

/// Case by case, cores by cores, mode by mode, order by order. For the random order, bytes sent to other hosts and seconds
/// are means of several draws; other values belong to one draw.
/// @throws usage_error if cores do not fill hosts, or threads do not divide the cores of a host
std::vector<scaling_row> weak_scaling(const growing_machine& machine, const scaling_options& options);

}  // namespace osteon::studies
