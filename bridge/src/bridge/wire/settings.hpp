#pragma once
/// @file
/// Settings of a process, which `osteon join` passes through the environment.
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
  std::string server;          ///< OSTEON_WIRE_SERVER: host:port of the start-up server
  std::string key;             ///< OSTEON_WIRE_KEY, or the first line of the file OSTEON_WIRE_KEY_FILE
  bool tls = true;             ///< OSTEON_WIRE_TLS: on or off
  int cluster = 0;             ///< OSTEON_WIRE_CLUSTER: index of this cluster, from 0
  int local_rank = 0;          ///< set by the caller, from the vendor's MPI
  int local_size = 1;          ///< set by the caller, from the vendor's MPI
  std::string address;         ///< OSTEON_WIRE_ADDRESS: address of this process for others, or host=address,host=address,...
  std::string ports;           ///< OSTEON_WIRE_PORTS: range to listen on, first-last; empty: any
  std::string relay;           ///< OSTEON_WIRE_RELAY: host:port of this cluster's relay; empty: direct connections
  int streams = 1;             ///< OSTEON_WIRE_STREAMS: connections per peer, 1 .. 16
  double pacing_mbit = 0;      ///< OSTEON_WIRE_PACING_MBIT: upper limit of the rate of each stream; 0: no limit
  std::string congestion;      ///< OSTEON_WIRE_CONGESTION: TCP congestion control, such as bbr; empty: default of the system
  double zstd_below_mbit = 0;  ///< OSTEON_WIRE_ZSTD_BELOW_MBIT: compress while the link is slower; 0: never
  progress_mode progress = progress_mode::thread;  ///< OSTEON_WIRE_PROGRESS: thread or polling
  std::size_t short_bytes = 64 << 10;  ///< OSTEON_WIRE_SHORT: payload of a packet; longer messages wait for a match
  std::size_t eager_bytes = 4 << 20;   ///< OSTEON_WIRE_EAGER: limit of unmatched message bytes per source at a receiver
  int ackmark = 64;                    ///< OSTEON_WIRE_ACKMARK: packets from one acknowledgement to the next
  int hiwater = 8192;                  ///< OSTEON_WIRE_HIWATER: packets in flight before a sender waits
  double heartbeat_seconds = 5;        ///< OSTEON_WIRE_HEARTBEAT_S: idle time before a keep-alive packet
  double cut_seconds = 30;             ///< OSTEON_WIRE_CUT_S: longest interruption before the job fails
  double join_seconds = 60;            ///< OSTEON_WIRE_JOIN_S: time limit for the other processes at start and end
};

/// Values of a file or the environment. The keys are the names above in lower case, without OSTEON_WIRE_.
using given_values = std::map<std::string, std::string>;

/// Read and check the settings. @param faults receives all faults with key, value and limit
settings read_settings(const given_values& given, std::vector<problem>& faults);

/// The names that `[wire]` accepts.
const std::vector<std::string>& settings_of_file();

/// Read the variables above. @throws usage_error listing each invalid variable, its value and the limit
settings settings_from_environment();

/// True if OSTEON_WIRE_SERVER is set, that is, if this process must join a job.
bool joined_by_environment();

/// Check the limits of every value. @throws usage_error
void validate(const settings& s);

}  // namespace osteon::bridge::wire
