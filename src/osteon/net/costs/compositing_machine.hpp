#pragma once
/// @file
/// Cost parameters of a machine for compositing, and the parameters of the two machines in [Ono].
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace osteon::net {

/// Rates and overheads of a machine. Times are in s, and sizes are in bytes.
struct compositing_machine {
  std::string name;
  double rate = 0;              ///< bandwidth between two ranks in bytes/s, full duplex
  double latency = 0;           ///< per message
  double blend_rate = 0;        ///< bytes of blended image per second
  double blend_overhead = 0;    ///< per blend
  double collect_rate = 0;      ///< bandwidth of the gathering network in bytes/s
  double collect_latency = 0;   ///< per gather
  double reconstruct = 0;       ///< per byte rearranged after the gather
  double send_overhead = 0;     ///< processor time of the sender per message
  double arrival_overhead = 0;  ///< processor time of a receiver per message after the first message of a round
  double match_time = 0;        ///< processor time of a receiver per queued message when another message is matched
  int ranks_per_host = 1;       ///< ranks 0 ... ranks_per_host - 1 are on host 0, and so on
  double host_rate = std::numeric_limits<double>::infinity();  ///< bandwidth of a host in bytes/s, per direction
  std::array<int, 3> torus = {0, 0, 0};                        ///< hosts along z, y and x, powers of two; 0: no torus

  /// Additional time of a receiver for `messages` concurrent messages of one round. MPI libraries search a list of k waiting
  /// messages in k / 2 steps on average. Therefore the additional time grows quadratically with the number of messages.
  /// @cite [Flajslik2016]
  double fan_in(double messages) const {
    if (messages < 2) return 0;
    return (messages - 1) * arrival_overhead + messages * (messages - 1) / 2 * match_time;
  }
};

/// The machines of [Ono] with the link rate, latency and blend rate printed in [Ono]. All other parameters are zero. The
/// gather uses the same rate and latency as messages, as specified in [Ono] for machines without a separate gathering
/// network. The tree network of BG/L has the same rate as its links.
/// @cite [Ono]: section on the model
compositing_machine blue_gene_l();
compositing_machine ha8000();

/// Add effects that the printed equations omit: transfers and blends are slower by the factor `slowdown`, and concurrent
/// messages have additional overheads. These effects are fitted to measured frames.
compositing_machine extended(compositing_machine printed, double slowdown, double arrival_overhead, double match_time);

/// The two machines of [Ono], extended by a fit to the measured frames in [Ono].
compositing_machine measured_blue_gene_l();
compositing_machine measured_ha8000();

/// Return the number of messages that share the busiest link (of a host, or of the torus). Every rank exchanges data with
/// the rank whose number differs only in the bit `distance`, a power of two. On a torus, messages use the shorter direction;
/// for equal distances, messages use the positive direction. The result is at least 1. Messages inside a host do not share
/// links.
double sharing(const compositing_machine& machine, int distance);

/// Read a machine from a JSON text with the keys of `describe_machine`.
/// @throws data_error with all faults
compositing_machine parse_machine(const std::string& json_text, const std::string& source);
/// JSON text of a machine, in the format of `parse_machine`.
std::string describe_machine(const compositing_machine& machine);

}  // namespace osteon::net
