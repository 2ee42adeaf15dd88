#pragma once
/// @file
/// Measurement of pairs of ranks over MPI. Rank 0 sends requests, and all ranks execute the requests.
#include <mpi.h>

#include <osteon/machine/probe/link_probe.hpp>

namespace osteon::machine {

/// Rank 0 calls `measure` any number of times, and then `finish`. The other ranks call `serve`, which returns after
/// `finish`.
class pair_timer {
 public:
  /// @param host_names host name of each rank, for messages
  /// @param patience_s time without a reply in s; after this time a host is considered lost
  pair_timer(MPI_Comm comm, std::vector<std::string> host_names, double patience_s);
  /// @throws machine_error with the name of the host that does not respond
  std::vector<pair_timings> measure(const measurement& task);
  void finish();
  /// Execute requests of rank 0. @throws machine_error as measure
  void serve();

 private:
  std::vector<pair_timings> perform(const measurement& task);
  void lead(int peer, const measurement& task, double end, std::vector<timing>& times);
  void follow(int peer);
  double ping_pong(int peer, int bytes);
  void complete(MPI_Request& request, int peer);
  void broadcast_count(int& count);
  void complete_asleep(MPI_Request& request, double patience);

  MPI_Comm comm_;
  std::vector<std::string> host_names_;
  double patience_s_;
  std::vector<char> buffer_;
};

}  // namespace osteon::machine
