#pragma once
/// @file
/// Settings of a process. `osteon join` passes these settings through the environment.
#include <bridge/error.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace osteon::bridge::wire {

enum class progress_mode {
  thread,  ///< a side thread waits in epoll
  polling  ///< calls of the application serve the sockets
};

struct settings {
  std::string server;  ///< OSTEON_WIRE_SERVER: address host:port of the start-up server
  std::string key;     ///< OSTEON_WIRE_KEY, or the first line of the file OSTEON_WIRE_KEY_FILE
  bool tls = true;     ///< OSTEON_WIRE_TLS: on or off
  int cluster = 0;     ///< OSTEON_WIRE_CLUSTER: index of this cluster, from 0
  int local_rank = 0;  ///< rank in the MPI of the vendor; set by the caller
  int local_size = 1;  ///< number of ranks in the MPI of the vendor; set by the caller
  /// OSTEON_WIRE_ADDRESS: address of this process for other processes, or host=address,host=address,...
  std::string address;
  /// OSTEON_WIRE_PORTS: range of ports first-last on which the process listens; empty: any port
  std::string ports;
  /// OSTEON_WIRE_RELAY: address host:port of the relay of this cluster; empty: direct connections
  std::string relay;
  int streams = 1;         ///< OSTEON_WIRE_STREAMS: connections per peer, 1 .. 16
  double pacing_mbit = 0;  ///< OSTEON_WIRE_PACING_MBIT: upper limit of the rate of each stream; 0: no limit
  /// OSTEON_WIRE_CONGESTION: TCP congestion control, for example bbr; empty: default of the system
  std::string congestion;
  /// OSTEON_WIRE_ZSTD_BELOW_MBIT: packets are compressed while the link is slower than this rate; 0: never
  double zstd_below_mbit = 0;
  progress_mode progress = progress_mode::thread;  ///< OSTEON_WIRE_PROGRESS: thread or polling
  std::size_t short_bytes = 64 << 10;  ///< OSTEON_WIRE_SHORT: maximum payload of a packet; longer messages wait for a match
  /// OSTEON_WIRE_EAGER: maximum number of bytes of unmatched messages that a receiver stores for each source
  std::size_t eager_bytes = 4 << 20;
  int ackmark = 64;              ///< OSTEON_WIRE_ACKMARK: number of packets between two acknowledgements
  int hiwater = 8192;            ///< OSTEON_WIRE_HIWATER: maximum number of packets in flight; then the sender waits
  double heartbeat_seconds = 5;  ///< OSTEON_WIRE_HEARTBEAT_S: idle time after which a keep-alive packet is sent
  /// OSTEON_WIRE_CUT_S: longest interruption; after a longer interruption, the job fails
  double cut_seconds = 30;
  /// OSTEON_WIRE_JOIN_S: time limit for the other processes at the start and at the end
  double join_seconds = 60;
};

/// Values in a file or in the environment. The keys are the names above in lower case, without OSTEON_WIRE_.
using given_values = std::map<std::string, std::string>;

/// Read and check the settings. @param faults receives all faults with key, value and limit
settings read_settings(const given_values& given, std::vector<problem>& faults);

/// The names that `[wire]` accepts.
const std::vector<std::string>& settings_of_file();

/// Read the variables above. @throws usage_error that lists each invalid variable, its value and the limit
settings settings_from_environment();

/// True if OSTEON_WIRE_SERVER is set. The process must then join a job.
bool joined_by_environment();

/// Check the limits of every value. @throws usage_error
void validate(const settings& s);

}  // namespace osteon::bridge::wire
