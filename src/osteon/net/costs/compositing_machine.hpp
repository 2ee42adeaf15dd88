#pragma once
/// @file
/// The cost parameters of a machine for compositing, and the two machines of [Ono].
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace osteon::net {

/// Rates and overheads of a machine. Times are in s, sizes in bytes.
struct compositing_machine {
  std::string name;
  double rate = 0;              ///< bytes per second between two ranks, each way at the same time
  double latency = 0;           ///< per message
  double blend_rate = 0;        ///< bytes of blended image per second
  double blend_overhead = 0;    ///< per blend
  double collect_rate = 0;      ///< bytes per second of the network that gathers
  double collect_latency = 0;   ///< per gather
  double reconstruct = 0;       ///< per byte that is rearranged after the gather
  double send_overhead = 0;     ///< of the sender's processor, per message
  double arrival_overhead = 0;  ///< of a receiver, per message concurrent with another one of the same round
  double match_time = 0;        ///< of a receiver, per message already in the queue when another one is matched
  int ranks_per_host = 1;       ///< ranks 0 ... ranks_per_host - 1 are on host 0, and so on
  double host_rate = std::numeric_limits<double>::infinity();  ///< bytes per second in and out of a host, each way
  std::array<int, 3> torus = {0, 0, 0};                        ///< hosts along z, y and x, powers of two; 0: no torus

  /// Additional time of a receiver for `messages` concurrent messages of one round. MPI libraries search a list of k waiting
  /// messages in k / 2 steps on average: the sum grows quadratically. @cite [Flajslik2016]
  double fan_in(double messages) const {
    if (messages < 2) return 0;
    return (messages - 1) * arrival_overhead + messages * (messages - 1) / 2 * match_time;
  }
};

/// The machines of [Ono] with its figures: link rate, latency, blend rate; all else is zero.
/// The gather uses the same rate and latency, as [Ono] states for machines without a separate network; BG/L has one (a tree)
/// of the same rate.
/// @cite [Ono]: section on the model
compositing_machine blue_gene_l();
compositing_machine ha8000();

/// Effects not included in the printed equations, fitted to measured frames: transfers and blends are slower by `slowdown`,
/// and concurrent messages have additional overheads.
compositing_machine extended(compositing_machine printed, double slowdown, double arrival_overhead, double match_time);

/// The same two machines, extended by a fit to the frames that [Ono] measured on them.
compositing_machine measured_blue_gene_l();
compositing_machine measured_ha8000();

/// Number of messages that share the busiest link (of a host, or of the torus) when every rank exchanges with the rank that
/// differs in bit `distance`, a power of two. Messages of a torus use the shorter direction, or the positive one for equal
/// distances. At least 1; messages inside a host do not share links.
double sharing(const compositing_machine& machine, int distance);

/// Read a machine from a JSON text with the keys of `describe_machine`.
/// @throws data_error with every fault at once
compositing_machine parse_machine(const std::string& json_text, const std::string& source);
/// The JSON text of a machine, which `parse_machine` reads.
std::string describe_machine(const compositing_machine& machine);

}  // namespace osteon::net
