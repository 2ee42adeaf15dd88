#pragma once
/// @file
/// Cost parameters of a machine for compositing. The file contains the parameters of the two machines in [Ono].
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace osteon::net {

/// Rates and overheads of a machine. Times are in s, and sizes are in bytes.
struct compositing_machine {
  std::string name;
  double rate = 0;              ///< bandwidth between two ranks in bytes/s, full duplex
  double latency = 0;           ///< time per message
  double blend_rate = 0;        ///< blending rate in bytes of image per second
  double blend_overhead = 0;    ///< time per blend
  double collect_rate = 0;      ///< bandwidth of the gathering network in bytes/s
  double collect_latency = 0;   ///< time per gather
  double reconstruct = 0;       ///< time per byte for rearranging the image after the gather
  double send_overhead = 0;     ///< processor time of the sender per message
  double arrival_overhead = 0;  ///< processor time of a receiver per message after the first message of a round
  double match_time = 0;        ///< processor time of a receiver per waiting message, when another message is matched
  int ranks_per_host = 1;       ///< ranks 0 ... ranks_per_host - 1 are on host 0, and so on
  double host_rate = std::numeric_limits<double>::infinity();  ///< bandwidth of a host in bytes/s in each direction
  /// number of hosts along z, y and x, powers of two; 0: no torus
  std::array<int, 3> torus = {0, 0, 0};

  /// Additional time of a receiver for `messages` concurrent messages of one round. On average, an MPI library searches a
  /// list of k waiting messages in k / 2 steps. The additional time therefore grows quadratically with the number of
  /// messages.
  /// @cite [Flajslik2016]
  double fan_in(double messages) const {
    if (messages < 2) return 0;
    return (messages - 1) * arrival_overhead + messages * (messages - 1) / 2 * match_time;
  }
};

/// The machines of [Ono], with the link rate, latency and blend rate that [Ono] prints. All other parameters are zero. The
/// gather has the same rate and latency as messages. [Ono] specifies these values for machines without a separate gathering
/// network. On BG/L, the rate of the tree network equals the rate of the links.
/// @cite [Ono]: section on the model
compositing_machine blue_gene_l();
compositing_machine ha8000();

/// Add effects that the printed equations omit. Transfers and blends are slower by the factor `slowdown`, and concurrent
/// messages have additional overheads. These parameters are fitted to measured frames.
compositing_machine extended(compositing_machine printed, double slowdown, double arrival_overhead, double match_time);

/// The two machines of [Ono], extended by a fit to the frames that [Ono] measured.
compositing_machine measured_blue_gene_l();
compositing_machine measured_ha8000();

/// Return the number of messages that use the busiest link concurrently. The link belongs to a host or to the torus. Every
/// rank exchanges data with a partner. The numbers of the two ranks differ only in the bit `distance`, a power of two. On a
/// torus, messages use the shorter direction. If both directions are equally long, messages use the positive direction. The
/// result is at least 1. Messages inside a host use no links.
double sharing(const compositing_machine& machine, int distance);

/// Read a machine from a JSON text with the keys that `describe_machine` writes.
/// @throws data_error with all faults
compositing_machine parse_machine(const std::string& json_text, const std::string& source);
/// JSON text of a machine in the format that `parse_machine` reads.
std::string describe_machine(const compositing_machine& machine);

}  // namespace osteon::net
